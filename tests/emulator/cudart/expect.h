/* SPDX-License-Identifier: MIT */
/* Expectations of a test that talks to the CUDA runtime: on the emulator, and word for word the
 * same on a GPU. */
#ifndef EXPECT_H
#define EXPECT_H

#include <cstdio>
#include <cuda_runtime.h>

static int failures;

static void expect(bool holds, const char *what, int line)
{
    if (holds)
        return;
    failures++;
    std::printf("line %d: expected %s\n", line, what);
}

static void expect_error(cudaError_t error, cudaError_t expected, const char *call, int line)
{
    if (error == expected)
        return;
    failures++;
    std::printf("line %d: %s gave %s, not %s\n", line, call, cudaGetErrorName(error),
                cudaGetErrorName(expected));
}

/* A condition holds. */
#define EXPECT(condition) expect((condition), #condition, __LINE__)

/* A call returns this error, which then leaves no trace. */
#define EXPECT_ERROR(error, call) \
    (expect_error((call), (error), #call, __LINE__), (void)cudaGetLastError())

#define EXPECT_SUCCESS(call) expect_error((call), cudaSuccess, #call, __LINE__)

/* A launch leaves this error behind. */
#define EXPECT_LAUNCH(error, ...)                                          \
    do {                                                                   \
        __VA_ARGS__;                                                       \
        expect_error(cudaGetLastError(), (error), #__VA_ARGS__, __LINE__); \
    } while (0)

/* What main() returns. */
static int finish()
{
    if (!failures)
        std::printf("every expectation held\n");
    return failures ? 1 : 0;
}

#endif
