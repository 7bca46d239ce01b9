/* SPDX-License-Identifier: MIT */
/* memory.c: inputs, outputs with poison and guard, and sizes that do not fit. */
#include "unit.h"
#include "host_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct device gpu = {.name = "a GPU"};

static struct run new_run(void)
{
    const struct options options = options_default(1);

    return run_new(&options, &gpu);
}

TEST_WITH(test_input_is_copied, setup_fake, NULL)
{
    const int host[] = {1, 2, 3};
    struct run run = new_run();
    int *device = device_input(int, host, 3), back[3];

    assert_ptr_not_equal(device, host);
    device_fetch(int, back, device, 3);
    assert_memory_equal(back, host, sizeof(host));
    device_free(&run, device);
    run_free(&run);
    assert_int_equal(fake.live, 0);
}

/* The guard starts right behind the output, whatever its size. */
TEST_WITH(test_output, setup_fake, NULL)
{
    struct run run = new_run();
    unsigned char *device = device_output(unsigned char, &run, 33);

    assert_int_equal(run.output_count, 1);
    memset(device, 1, 33);
    memory_poison(&run);
    for (int i = 0; i < 33; i++)
        assert_int_equal(device[i], MEMORY_POISON);
    for (int i = 0; i < MEMORY_GUARD_BYTES; i++)
        assert_int_equal(device[33 + i], MEMORY_GUARD);
    memory_check_guards(&run);
    assert_null(run.overrun);
    device_free(&run, device);
    assert_int_equal(run.output_count, 0);
    run_free(&run);
    assert_int_equal(fake.live, 0);
}

/* The guard stands behind the last row's pitch, and short rows leave room for it. */
TEST_WITH(test_pitched_output, setup_fake, NULL)
{
    for (size_t width = 0; width <= 1000; width += 100) {
        struct run run = new_run();
        size_t pitch;
        unsigned char *device = device_output_pitched(unsigned char, &run, width, 3, &pitch);

        assert_true(pitch >= width);
        memset(device, 1, 3 * pitch);
        memory_poison(&run);
        assert_int_equal(device[3 * pitch - 1], MEMORY_POISON);
        memory_check_guards(&run);
        assert_null(run.overrun);
        device[3 * pitch] = 1;
        memory_check_guards(&run);
        assert_non_null(run.overrun);
        device_free(&run, device);
        run_free(&run);
    }
    assert_int_equal(fake.live, 0);
}

TEST_WITH(test_overrun_is_located, setup_fake, NULL)
{
    static const int offsets[] = {0, 5, MEMORY_GUARD_BYTES - 1};

    for (int i = 0; i < 3; i++) {
        struct run run = new_run();
        char *first = device_output(char, &run, 16);
        char *second = device_output(char, &run, 100);
        char expected[64];

        second[100 + offsets[i]] ^= 1;
        memory_check_guards(&run);
        assert_non_null(run.overrun);
        snprintf(expected, sizeof(expected), "output 2 of 2 (100 bytes) was overrun: byte %d",
                 100 + offsets[i]);
        assert_contains(run.overrun, expected);
        memory_check_guards(&run); /* the first finding stays, and is not lost */
        assert_contains(run.overrun, expected);
        device_free(&run, first);
        device_free(&run, second);
        run_free(&run);
    }
    assert_int_equal(fake.live, 0);
}

TEST_WITH(test_without_guard_and_poison, setup_fake, NULL)
{
    struct run run = new_run();
    char *device;

    run.guard = run.poison = false;
    device = device_output(char, &run, 8);
    memset(device, 7, 8); /* and not one byte more: the address sanitizer would see */
    memory_poison(&run);
    memory_check_guards(&run);
    assert_int_equal(device[0], 7);
    assert_null(run.overrun);
    device_free(&run, device);
    run_free(&run);
}

TEST_WITH(test_outputs_leave_in_any_order, setup_fake, NULL)
{
    struct run run = new_run();
    int *a = device_output(int, &run, 1), *b = device_output(int, &run, 1);
    int *c = device_output(int, &run, 1);

    device_free(&run, b);
    assert_int_equal(run.output_count, 2);
    assert_ptr_equal(run.outputs[0].data, a);
    assert_ptr_equal(run.outputs[1].data, c);
    device_free(&run, a);
    device_free(&run, NULL);
    assert_int_equal(run.output_count, 1);
    device_free(&run, c);
    run_free(&run);
    assert_int_equal(fake.live, 0);
}

/* Of several outputs every one is poisoned and guarded, also once others have left. */
TEST_WITH(test_each_output_is_watched, setup_fake, NULL)
{
    enum { COUNT = 5, LEFT = COUNT - 1, BYTES = 8 };
    struct run run = new_run();
    unsigned char *device[COUNT];

    for (int i = 0; i < COUNT; i++)
        device[i] = device_output(unsigned char, &run, BYTES);
    device_free(&run, device[0]);
    for (int i = 0; i < LEFT; i++) {
        assert_ptr_equal(run.outputs[i].data, device[i + 1]);
        assert_int_equal(run.outputs[i].bytes, BYTES);
        memset(device[i + 1], 1, BYTES);
    }
    memory_poison(&run);
    memory_check_guards(&run);
    assert_null(run.overrun);
    for (int i = 0; i < LEFT; i++) {
        for (int k = 0; k < BYTES; k++)
            assert_int_equal(device[i + 1][k], MEMORY_POISON);
        device[i + 1][BYTES] ^= 1;
        memory_check_guards(&run);
        assert_non_null(run.overrun);
        device[i + 1][BYTES] ^= 1;
        free(run.overrun);
        run.overrun = NULL;
    }
    for (int i = 0; i < LEFT; i++)
        device_free(&run, device[i + 1]);
    run_free(&run);
    assert_int_equal(fake.live, 0);
}

TEST_WITH(test_nothing, setup_fake, NULL)
{
    struct run run = new_run();
    int *in = device_input(int, NULL, 0), *out = device_output(int, &run, 0);
    void *host = memory_host(0);

    assert_non_null(in);
    assert_non_null(out);
    assert_non_null(host);
    memory_poison(&run);
    memory_check_guards(&run);
    assert_null(run.overrun);
    free(host);
    device_free(&run, in);
    device_free(&run, out);
    run_free(&run);
}

static int allocates_too_much(void *data)
{
    struct run run = new_run();

    (void)data;
    fake.fails = 'A';
    fake.error = cudaErrorMemoryAllocation;
    device_output(int, &run, 1000);
    return 0;
}

static int allocates_beyond_addresses(void *data)
{
    struct run run = new_run();

    (void)data;
    memory_output(&run, SIZE_MAX - 1);
    return 0;
}

static int frees_with_error(void *data)
{
    struct run run = new_run();

    (void)data;
    fake.fails = 'F';
    fake.error = cudaErrorIllegalAddress;
    device_free(&run, NULL);
    return 0;
}

TEST_WITH(test_errors_end_the_program, setup_fake, NULL)
{
    struct outcome outcome = run_child(allocates_too_much, NULL);

    assert_int_equal(outcome.code, EXIT_CUDA);
    assert_one_line(outcome.err, "cudaErrorMemoryAllocation");
    outcome = run_child(allocates_beyond_addresses, NULL);
    assert_int_equal(outcome.code, EXIT_CUDA);
    assert_one_line(outcome.err, "cudaErrorMemoryAllocation");
    outcome = run_child(frees_with_error, NULL);
    assert_int_equal(outcome.code, EXIT_CUDA);
    assert_one_line(outcome.err, "cudaErrorIllegalAddress");
}

/* The address sanitizer would end the program where malloc() returns NULL. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static int wants_host_memory(void *data)
{
    memory_host(*(const size_t *)data);
    return 0;
}

TEST_WITH(test_no_host_memory, setup_fake, NULL)
{
    size_t bytes = SIZE_MAX / 2;
    const struct outcome outcome = run_child(wants_host_memory, &bytes);

    assert_int_equal(outcome.code, EXIT_CUDA);
#ifdef __SANITIZE_ADDRESS__ /* which has a line of its own to say */
    assert_contains(outcome.err, "no host memory for 9223372036854775807 bytes");
#else
    assert_one_line(outcome.err, "no host memory for 9223372036854775807 bytes");
#endif
}

/* In the place of base/host_memory.c. */
static uint64_t host_bytes = UINT64_MAX / 16;

uint64_t host_memory(const char *root)
{
    assert_string_equal(root, "");
    return host_bytes;
}

static int refuses_on(const struct device *device, size_t bytes)
{
    const int code = memory_refuse(device, bytes);

    return code < 0 ? 100 : code;
}

static int refuses(void *data)
{
    return refuses_on(&gpu, *(const size_t *)data);
}

static int refuses_modelled(void *data)
{
    const struct device modelled = {.name = "a model", .modelled = true};

    return refuses_on(&modelled, *(const size_t *)data);
}

TEST_WITH(test_size_is_refused, setup_fake, NULL)
{
    size_t bytes = (size_t)2 << 20;
    struct outcome outcome;

    fake.free_bytes = (size_t)1 << 20;
    outcome = run_child(refuses, &bytes);
    assert_int_equal(outcome.code, EXIT_USAGE);
    assert_one_line(outcome.err,
                    "not enough memory on the device: this size needs 2 MiB, 1 MiB are free");
    assert_string_equal(outcome.out, "");

    fake.free_bytes = bytes;
    outcome = run_child(refuses, &bytes);
    assert_int_equal(outcome.code, 100);
    assert_string_equal(outcome.err, "");

    bytes++; /* need is rounded up, so that the two numbers differ */
    outcome = run_child(refuses, &bytes);
    assert_one_line(outcome.err, "this size needs 3 MiB, 2 MiB are free");

    fake.free_bytes = SIZE_MAX;
    bytes = SIZE_MAX / 4;
    outcome = run_child(refuses, &bytes);
    assert_int_equal(outcome.code, EXIT_USAGE);
    assert_one_line(outcome.err, "not enough memory on the host");
}

/* The host holds an input twice where it also plays the device, and once where it does not. */
TEST_WITH(test_modelled_device_takes_host_memory, setup_fake, NULL)
{
    size_t most = (size_t)3 << 20, some = most / 2, all = SIZE_MAX - 1;
    struct outcome outcome;

    fake.free_bytes = SIZE_MAX;
    host_bytes = most;
    assert_int_equal(run_child(refuses, &most).code, 100);
    assert_int_equal(run_child(refuses_modelled, &some).code, 100);
    some++;
    outcome = run_child(refuses_modelled, &some);
    assert_int_equal(outcome.code, EXIT_USAGE);
    assert_one_line(outcome.err,
                    "not enough memory on the host: this size needs 4 MiB, 3 MiB are free");
    assert_int_equal(run_child(refuses_modelled, &all).code, EXIT_USAGE);
}

TEST_MAIN()
