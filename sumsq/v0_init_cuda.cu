/* v0: find a device.
 *
 * Now:    count the devices, ask for the properties of each, as print_device() does, and pick the
 *         first that will do. Every other step calls this InitCUDA from common/.
 * See:    docs/sumsq.md#v0
 */
#include <stdio.h>

#include "common.h"

/* A block of lines per device: what its cudaDeviceProp says. */
static void print_device(int index)
{
    cudaDeviceProp prop;

    CHECK(cudaGetDeviceProperties(&prop, index));
    printf("device %d: %s\n", index, prop.name);
    printf("  compute capability      %d.%d\n", prop.major, prop.minor);
    printf("  multiprocessors         %d\n", prop.multiProcessorCount);
    printf("  device memory           %zu bytes\n", prop.totalGlobalMem);
    printf("  constant memory         %zu bytes\n", prop.totalConstMem);
    printf("  shared memory a block   %zu bytes\n", prop.sharedMemPerBlock);
    printf("  registers a block       %d\n", prop.regsPerBlock);
    printf("  threads a warp          %d\n", prop.warpSize);
    printf("  threads a block         %d\n", prop.maxThreadsPerBlock);
    printf("  block                   %d x %d x %d\n", prop.maxThreadsDim[0], prop.maxThreadsDim[1],
           prop.maxThreadsDim[2]);
    printf("  grid                    %d x %d x %d\n", prop.maxGridSize[0], prop.maxGridSize[1],
           prop.maxGridSize[2]);
}

int main(int argc, char **argv)
{
    const struct option_list none = {};
    struct options options;
    struct device device;
    int count, code;

    code = options_parse(argc, argv, &none, &options);
    if (code >= 0)
        return code;
    code = InitCUDA((int)options.device, STEP_MINIMUM, &device);
    if (code)
        return code;
    if (options.json)
        return report_device(STEP, &device);

    CHECK(cudaGetDeviceCount(&count));
    for (int i = 0; i < count; i++)
        print_device(i);
    printf("CUDA initialized: device %d, %s.\n", device.index, device.name);
    return report_delivered();
}
