/* Launches that may begin early save what a launch takes, on the modelled clock: if the kernel in
 * front says so, and runs on for as long; and then what a kernel does before it waits, where there
 * is room beside that one. Prints the microseconds saved by three such launches. */
#include <cstdio>
#include <cuda_runtime.h>

#include "check.h"

enum allows { NEVER, FIRST, LAST };
template <enum allows ALLOWS> __global__ void work(int before, int behind, float f, float *sink)
{
    float x = f;

    if (ALLOWS == FIRST)
        asm volatile("griddepcontrol.launch_dependents;");
    for (int k = 0; k < before; k++)
        x = fmaf(x, f, f);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    for (int k = 0; k < behind; k++)
        x = fmaf(x, f, f);
    if (ALLOWS == LAST)
        asm volatile("griddepcontrol.launch_dependents;");
    if (x == 1)
        *sink = x;
}

/* Four launches in a row. */
static int measure(void (*kernel)(int, int, float, float *), int blocks, int threads, int before,
                   int behind, bool early, float *ms)
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
        CHECK(cudaLaunchKernelEx(&config, kernel, before, behind, 0.3f, (float *)nullptr));
    CHECK(cudaEventRecord(end, config.stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(ms, begin, end));
    return 0;
}

static int compare(const char *name, void (*kernel)(int, int, float, float *), int blocks,
                   int threads, int before, int behind)
{
    float plain, early;

    if (measure(kernel, blocks, threads, before, behind, false, &plain) ||
        measure(kernel, blocks, threads, before, behind, true, &early))
        return 2;
    std::printf("%s: %.1f\n", name, (plain - early) * 1000);
    return 0;
}

int main()
{
    return compare("allowed", work<FIRST>, 132, 32, 0, 4096) ?:
           compare("not allowed", work<NEVER>, 132, 32, 0, 4096) ?:
           compare("allowed by a short kernel", work<FIRST>, 132, 32, 0, 64) ?:
           compare("allowed late, by a fourth wave", work<FIRST>, 4 * 2 * 132, 1024, 0, 128) ?:
           compare("half of it before it waits", work<FIRST>, 132, 32, 2048, 2048) ?:
           compare("all of it", work<FIRST>, 132, 32, 4096, 0) ?:
           compare("half of it, allowed at the end", work<LAST>, 132, 32, 2048, 2048) ?:
           compare("half of it, on a full GPU", work<FIRST>, 2 * 132, 1024, 2048, 2048);
}
