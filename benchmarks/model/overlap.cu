/* Launches of one stream that may begin early (programmatic dependent launch): what of a launch,
 * and of what a kernel does before it waits, goes on beside the kernel in front. */
#include "calibration.h"
#include "overlap.cuh"

enum { LAUNCHES = 8 };

/* A chain of `before` additions, then the wait, then one of `behind`. */
template <bool ALLOWS> __global__ void part(int before, int behind, float f, float *sink)
{
    float x = f;

    if (ALLOWS)
        overlap_allow();
#pragma unroll 4
    for (int k = 0; k < before; k++)
        x = fmaf(x, f, f);
    overlap_wait();
#pragma unroll 4
    for (int k = 0; k < behind; k++)
        x = fmaf(x, f, f);
    if (x == 1)
        *sink = x;
}

static void launch(void (*kernel)(int, int, float, float *), int blocks, int before, int behind,
                   bool early, float *sink)
{
    cudaLaunchAttribute attribute = overlap_attribute(kernel);
    cudaLaunchConfig_t config = {};

    config.gridDim = blocks;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = early;
    for (int k = 0; k < LAUNCHES; k++)
        CHECK(cudaLaunchKernelEx(&config, kernel, before, behind, 0.3f, sink));
}

static void measure(struct calibration *calibration)
{
    const int sms = calibration->device.multiprocessors;
    float *sink = (float *)calibration_memory(sizeof *sink);

    for (int blocks : {sms, 8 * sms, 16 * sms}) /* a wave has 8 blocks on an SM */
        for (int count : {256, 1024, 4096}) {
            TIMED_CASE(calibration, "%d blocks of %d, in a row", blocks, count)
                launch(part<true>, blocks, 0, count, false, sink);
            TIMED_CASE(calibration, "%d blocks of %d, early, but not allowed", blocks, count)
                launch(part<false>, blocks, 0, count, true, sink);
            TIMED_CASE(calibration, "%d blocks of %d, early, wait first", blocks, count)
                launch(part<true>, blocks, 0, count, true, sink);
            TIMED_CASE(calibration, "%d blocks of %d, early, wait halfway", blocks, count)
                launch(part<true>, blocks, count / 2, count / 2, true, sink);
        }
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "overlap", measure);
}
