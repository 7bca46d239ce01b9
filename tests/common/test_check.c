/* SPDX-License-Identifier: MIT */
/* check.c: the one line, and the exit code. */
#include <string.h>

#include "unit.h"

static int checks_success(void *data)
{
    (void)data;
    CHECK(cudaSuccess);
    return 0;
}

TEST(test_success_is_silent)
{
    const struct outcome outcome = run_child(checks_success, NULL);

    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.err, "");
    assert_string_equal(outcome.out, "");
}

static int checks_error(void *data)
{
    CHECK(*(const cudaError_t *)data);
    return 0;
}

TEST(test_line_names_everything)
{
    cudaError_t error = cudaErrorMemoryAllocation;
    const struct outcome outcome = run_child(checks_error, &error);

    assert_int_equal(outcome.code, EXIT_CUDA);
    assert_one_line(outcome.err, "test_check: *(const cudaError_t *)data at ");
    assert_contains(outcome.err, "test_check.c:");
    assert_contains(outcome.err, "cudaErrorMemoryAllocation (out of memory)");
    assert_contains(outcome.err, "smaller --n");
}

TEST(test_hints)
{
    assert_contains(check_hint(cudaErrorNoKernelImageForDevice), "GPU_ARCH");
    assert_contains(check_hint(cudaErrorInsufficientDriver), "update the driver");
    assert_contains(check_hint(cudaErrorMemoryAllocation), "--n");
    assert_contains(check_hint(cudaErrorIllegalAddress), "./tour check");
    assert_string_equal(check_hint(cudaErrorUnknown), "");
}

/* Without a hint the line ends after the error. */
TEST(test_no_hint)
{
    cudaError_t error = cudaErrorUnknown;
    const struct outcome outcome = run_child(checks_error, &error);

    assert_int_equal(outcome.code, EXIT_CUDA);
    assert_one_line(outcome.err, "cudaErrorUnknown (unknown error)\n");
}

/* Devices that no toolkit of today compiles for lack something; others lack the program's code. */
TEST(test_too_old)
{
    static const int codes[][2] = {{1, EXIT_SKIP}, {3, EXIT_SKIP}, {5, EXIT_CUDA}, {9, EXIT_CUDA}};
    cudaError_t error = cudaErrorNoKernelImageForDevice;

    for (int i = 0; i < 4; i++) {
        fake_reset();
        fake.devices[0].major = codes[i][0];
        const struct outcome outcome = run_child(checks_error, &error);
        assert_int_equal(outcome.code, codes[i][1]);
        assert_one_line(outcome.err, codes[i][1] == EXIT_SKIP ? "needs a newer GPU" : "GPU_ARCH");
    }
}

static int says_too_much(void *data)
{
    check_say("%s", (const char *)data);
    return 0;
}

/* A message beyond the buffer stays one line. */
TEST(test_long_message)
{
    static char text[3000];
    struct outcome outcome;

    memset(text, 'x', sizeof(text) - 1);
    outcome = run_child(says_too_much, text);
    assert_one_line(outcome.err, "test_check: xxx");
}

TEST_MAIN()
