/* What a launch costs: of nothing, of many empty blocks, several in a row; and waves of blocks. */
#include "calibration.h"
#include "work.cuh"

/* Few blocks fit an SM: shared memory is what they run out of. */
__global__ void work_large(int count, float f, float *sink)
{
    __shared__ volatile float room[48 * 256];

    room[threadIdx.x] = f;
    const float x = chain(count, f);
    if (x == 1)
        *sink = x + room[threadIdx.x];
}

static void measure(struct calibration *calibration)
{
    float *sink = (float *)calibration_memory(sizeof *sink);

    TIMED_CASE(calibration, "an empty kernel")
        nothing<<<1, 32>>>();
    for (int blocks : {1024, 16384, 65536})
        TIMED_CASE(calibration, "%d empty blocks of 256 threads", blocks)
            nothing<<<blocks, 256>>>();
    for (int times : {2, 4, 8})
        TIMED_CASE(calibration, "%d empty kernels in a row", times)
            for (int k = 0; k < times; k++)
                nothing<<<1, 32>>>();
    for (int count : {256, 1024, 2048, 4096, 16384})
        TIMED_CASE(calibration, "a chain of %d", count)
            work<<<1, 32>>>(count, 0.5f, sink);
    for (int blocks : {132, 528, 1056, 1057, 2112, 3168})
        TIMED_CASE(calibration, "%d blocks of 256 threads", blocks)
            work<<<blocks, 256>>>(2048, 0.5f, sink);
    for (int blocks : {528, 529, 1056})
        TIMED_CASE(calibration, "%d blocks of 48 KiB", blocks)
            work_large<<<blocks, 128>>>(4096, 0.5f, sink);
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "launch", measure);
}
