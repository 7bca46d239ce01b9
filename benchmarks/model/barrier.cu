/* Barriers: of a block of 1 to 32 warps, of a warp, and by many blocks on an SM. And lanes that
 * wait for each other because they leave a loop at different times. */
#include "calibration.h"

enum { TIMES = 1024 };

__global__ void wait_for_block(unsigned *sink)
{
#pragma unroll 1
    for (int k = 0; k < TIMES; k++)
        __syncthreads();
    if (threadIdx.x == 0xFFFFFFFF)
        *sink = 1;
}

__global__ void wait_for_warp(unsigned *sink)
{
    __shared__ volatile unsigned word[32];
    unsigned seen = threadIdx.x;

#pragma unroll 1
    for (int k = 0; k < TIMES; k++) {
        word[threadIdx.x] = seen;
        __syncwarp();
        seen = word[threadIdx.x ^ 1] + 1;
        __syncwarp();
    }
    if (seen == 0xFFFFFFFF)
        *sink = 1;
}

/* Lane by lane, 1 to `most` additions a turn. */
__global__ void leave(unsigned most, float f, float *sink)
{
    float x = f + threadIdx.x;

    for (int k = 0; k < TIMES; k++) {
#pragma unroll 1
        for (unsigned j = 0; j <= threadIdx.x % most; j++)
            x = fmaf(x, f, f);
    }
    if (x == f)
        *sink = x;
}

__global__ void wait_and_fence(unsigned *data)
{
#pragma unroll 1
    for (int k = 0; k < TIMES / 16; k++) {
        data[blockIdx.x * blockDim.x + threadIdx.x] = k;
        __threadfence();
    }
}

static void measure(struct calibration *calibration)
{
    unsigned *data = (unsigned *)calibration_memory(sizeof(unsigned) * 132 * 256);

    for (unsigned threads = 32; threads <= 1024; threads *= 2)
        TIMED_CASE(calibration, "%d barriers of %u threads", TIMES, threads)
            wait_for_block<<<1, threads>>>(data);
    TIMED_CASE(calibration, "%d barriers of 256 threads in 1056 blocks", TIMES)
        wait_for_block<<<1056, 256>>>(data);
    TIMED_CASE(calibration, "%d turns in a warp", TIMES)
        wait_for_warp<<<1, 32>>>(data);
    for (unsigned most : {1, 4})
        TIMED_CASE(calibration, "%d loops of 1 to %u turns in a warp", TIMES, most)
            leave<<<1, 32>>>(most, 0.5f, (float *)data);
    TIMED_CASE(calibration, "%d fences in 132 blocks", TIMES / 16)
        wait_and_fence<<<132, 256>>>(data);
    CHECK(cudaFree(data));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "barrier", measure);
}
