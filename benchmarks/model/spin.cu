/* Blocks that wait for each other by reading a word of memory until another block has written it:
 * a barrier of the grid, two blocks in turns, a chain of blocks, one that all wait for, and tiles
 * that blocks take as they come. */
#include "calibration.h"
#include "work.cuh"

enum { ROUNDS = 32, CHAIN = 8192, TILES = 1056 };

__device__ static void wait_for(const volatile unsigned *word, unsigned least)
{
    while (*word < least) {
    }
}

/* ROUNDS times all blocks count up a word, and wait until all have. */
__global__ void meet(unsigned *word)
{
#pragma unroll 1
    for (unsigned round = 1; round <= ROUNDS; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(word, 1);
            wait_for(word, round * gridDim.x);
        }
        __syncthreads();
    }
}

/* Two blocks, of which one goes on when the other has. */
__global__ void in_turns(unsigned *word)
{
#pragma unroll 1
    for (unsigned round = 0; round < ROUNDS; round++) {
        wait_for(word + 32 * blockIdx.x, round + 1 - blockIdx.x);
        __threadfence();
        *(volatile unsigned *)(word + 32 * (1 - blockIdx.x)) = round + 1;
    }
}

/* Each block waits for the one before it. */
__global__ void follow(unsigned *word)
{
    if (threadIdx.x == 0 && blockIdx.x > 0)
        wait_for(word + blockIdx.x - 1, 1);
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0)
        *(volatile unsigned *)(word + blockIdx.x) = 1;
}

/* Block 0 works, and all others wait for it. */
__global__ void wait_for_one(unsigned *word, float f, float *sink)
{
    if (blockIdx.x == 0) {
        const float x = chain(CHAIN, f);

        if (x == 1)
            *sink = x;
        __threadfence();
        *(volatile unsigned *)word = 1;
    } else {
        wait_for(word, 1);
    }
}

/* Each block takes the next tile until there is none. Every eighth takes four times as long. */
__global__ void take_tiles(unsigned *word, int count, float f, float *sink)
{
    __shared__ unsigned tile;

    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicAdd(word, 1);
        __syncthreads();
        const unsigned mine = tile;
        __syncthreads();
        if (mine >= TILES)
            return;
        const float x = chain(mine % 8 == 0 ? 4 * count : count, f);
        if (x == 1)
            *sink = x;
    }
}

static void measure(struct calibration *calibration)
{
    const int sms = calibration->device.multiprocessors;
    const size_t words = 8 * (size_t)sms * sizeof(unsigned);
    unsigned *word = (unsigned *)calibration_memory(words);
    float *sink = (float *)calibration_memory(sizeof *sink);

    TIMED_CASE(calibration, "words cleared")
        CHECK(cudaMemsetAsync(word, 0, words));
    for (int blocks : {2, 16, sms, 8 * sms})
        for (int threads : {32, 256})
            TIMED_CASE(calibration, "%d blocks of %d meet %d times", blocks, threads, ROUNDS) {
                CHECK(cudaMemsetAsync(word, 0, words));
                meet<<<blocks, threads>>>(word);
            }
    TIMED_CASE(calibration, "2 blocks in turns, %d times", ROUNDS) {
        CHECK(cudaMemsetAsync(word, 0, words));
        in_turns<<<2, 1>>>(word);
    }
    for (int blocks : {2, 16, sms, 8 * sms})
        TIMED_CASE(calibration, "%d blocks, each waits for the one before", blocks) {
            CHECK(cudaMemsetAsync(word, 0, words));
            follow<<<blocks, 32>>>(word);
        }
    for (int blocks : {2, sms, 8 * sms})
        TIMED_CASE(calibration, "%d blocks that wait for one", blocks) {
            CHECK(cudaMemsetAsync(word, 0, words));
            wait_for_one<<<blocks, 32>>>(word, 0.3f, sink);
        }
    for (int blocks : {sms, 4 * sms})
        for (int count : {256, 2048})
            TIMED_CASE(calibration, "%d blocks take %d tiles of %d", blocks, TILES, count) {
                CHECK(cudaMemsetAsync(word, 0, words));
                take_tiles<<<blocks, 128>>>(word, count, 0.3f, sink);
            }
    CHECK(cudaFree(word));
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "spin", measure);
}
