/* SPDX-License-Identifier: MIT */
/* Programs with one bug each, planted on purpose, and the same ones repaired.
 *
 *   PROGRAM NAME [repaired]
 *
 * The line a checker must name carries "PLANTED: NAME". Every case runs in a process of its own:
 * some leave the device broken.
 */
#ifndef PLANTED_H
#define PLANTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

/* A case: its host side, planted or repaired. */
struct planted {
    const char *name;
    void (*run)(bool repaired);
};

/* Launch KERNEL<repaired> with the rest as its launch configuration and arguments. */
#define LAUNCH(repaired, kernel, grid, block, ...)       \
    do {                                                 \
        if (repaired)                                    \
            kernel<true><<<grid, block>>>(__VA_ARGS__);  \
        else                                             \
            kernel<false><<<grid, block>>>(__VA_ARGS__); \
        cudaDeviceSynchronize();                         \
    } while (0)

/* `count` ints on the device, all `value`'s bytes; uninitialised if that is -2. */
static inline int *device_ints(int count, int value)
{
    int *ints = NULL;

    cudaMalloc((void **)&ints, count * sizeof(int));
    if (value != -2)
        cudaMemset(ints, value, count * sizeof(int));
    return ints;
}

/* Run a kernel on arrays that device_ints() has made. */
template <typename... Parameters, typename... Arrays>
static inline void run(void (*kernel)(Parameters...), int blocks, int threads, Arrays... arrays)
{
    kernel<<<blocks, threads>>>((Parameters)arrays...);
    cudaDeviceSynchronize();
    (cudaFree(arrays), ...);
}

/* The row of a case that is all in a kernel, NAME<repaired>: how to run() that. */
#define CASE(name, ...)                                                                       \
    {                                                                                         \
#name, [](bool repaired) { run(repaired ? name<true> : name<false>, ##__VA_ARGS__); } \
    }

static inline int planted_main(int argc, char **argv, const struct planted *cases, int count)
{
    const bool repaired = argc == 3 && !strcmp(argv[2], "repaired");

    for (int i = 0; i < count && (argc == 2 || repaired); i++)
        if (!strcmp(argv[1], cases[i].name)) {
            cases[i].run(repaired);
            return 0;
        }
    fprintf(stderr, "usage: %s NAME [repaired]\n", argv[0]);
    return 2;
}

#define PLANTED_MAIN(cases)                                                     \
    int main(int argc, char **argv)                                             \
    {                                                                           \
        return planted_main(argc, argv, cases, sizeof(cases) / sizeof(*cases)); \
    }

#endif
