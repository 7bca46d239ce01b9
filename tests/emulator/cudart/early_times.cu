/* Launches that may begin early save what a launch takes, on the modelled clock: if the kernel in
 * front says so, and runs on for as long. Prints the microseconds saved by three such launches. */
#include <cstdio>
#include <cuda_runtime.h>

#include "check.h"

template <bool ALLOWS> __global__ void work(int count, float f, float *sink)
{
    float x = f;

    if (ALLOWS)
        asm volatile("griddepcontrol.launch_dependents;");
    for (int k = 0; k < count; k++)
        x = fmaf(x, f, f);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (x == 1)
        *sink = x;
}

/* Four launches in a row. */
static int measure(void (*kernel)(int, float, float *), int blocks, int threads, int count,
                   bool early, float *ms)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    cudaEvent_t begin, end;

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = early;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaStreamCreate(&config.stream));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin, config.stream));
    for (int k = 0; k < 4; k++)
        CHECK(cudaLaunchKernelEx(&config, kernel, count, 0.3f, (float *)nullptr));
    CHECK(cudaEventRecord(end, config.stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(ms, begin, end));
    return 0;
}

static int compare(const char *name, void (*kernel)(int, float, float *), int blocks, int threads,
                   int count)
{
    float plain, early;

    if (measure(kernel, blocks, threads, count, false, &plain) ||
        measure(kernel, blocks, threads, count, true, &early))
        return 2;
    std::printf("%s: %.1f\n", name, (plain - early) * 1000);
    return 0;
}

int main()
{
    return compare("allowed", work<true>, 132, 32, 4096) ?:
           compare("not allowed", work<false>, 132, 32, 4096) ?:
           compare("allowed by a short kernel", work<true>, 132, 32, 64) ?:
           compare("allowed late, by a fourth wave", work<true>, 4 * 2 * 132, 1024, 128);
}
