/* Planted: kernels launched to begin while the one in front still runs, and nothing that waits. */
#include "planted.h"

enum { THREADS = 64 };

/* Launch `kernel` behind the kernel in front as soon as all blocks of that have let it. */
template <typename... PARAMETERS, typename... ARGUMENTS>
static void launch_early(void (*kernel)(PARAMETERS...), ARGUMENTS... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute early = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 1;
    config.blockDim = THREADS;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, arguments...);
}

__global__ void produce(int *data)
{
    cudaTriggerProgrammaticLaunchCompletion(); /* and writes on */
    data[threadIdx.x] = threadIdx.x;
}

/* The second kernel reads what the first may not have written yet. */
template <bool REPAIRED> __global__ void missing_grid_wait(const int *data, int *out)
{
    if (REPAIRED)
        cudaGridDependencySynchronize();
    out[threadIdx.x] = data[threadIdx.x] + 1; // PLANTED: missing_grid_wait
}

static void missing_grid_wait(bool repaired)
{
    int *data = device_ints(THREADS, 0), *out = device_ints(THREADS, 0);

    produce<<<1, THREADS>>>(data);
    launch_early(repaired ? missing_grid_wait<true> : missing_grid_wait<false>, data, out);
    cudaDeviceSynchronize();
    cudaFree(data);
    cudaFree(out);
}

/* Two halves of a buffer in turn: a launch must not begin before the last one that had its half has
 * ended, and the one in between lets it begin without having waited for that. */
template <bool REPAIRED> __global__ void trigger_before_wait(int run, int *half, int *out)
{
    half[threadIdx.x] = run + threadIdx.x; // PLANTED: trigger_before_wait
    if (REPAIRED)
        cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    out[threadIdx.x] += half[threadIdx.x];
}

static void trigger_before_wait(bool repaired)
{
    int *halves = device_ints(2 * THREADS, 0), *out = device_ints(THREADS, 0);

    for (int run = 0; run < 3; run++)
        launch_early(repaired ? trigger_before_wait<true> : trigger_before_wait<false>, run,
                     halves + run % 2 * THREADS, out);
    cudaDeviceSynchronize();
    cudaFree(halves);
    cudaFree(out);
}

static const struct planted cases[] = {
    {"missing_grid_wait", missing_grid_wait},
    {"trigger_before_wait", trigger_before_wait},
};

PLANTED_MAIN(cases)
