/* Kernels that order blocks, in every way that programs have. What they print
 * and what they cost must be the same however the host runs them: chance.sh compares. `FLOATS` adds
 * what the oldest GPUs lack. */
#include <stdio.h>

#include "check.h"

enum { BLOCKS = 12, THREADS = 96, ROUNDS = 3 };

struct board {
    unsigned counter, lock, order, arrived, flags[BLOCKS], words[BLOCKS * THREADS];
    float sum;
};

/* Work of another length in every block. */
static __device__ unsigned work(unsigned x, unsigned rounds)
{
#pragma unroll 1
    for (unsigned i = 0; i < rounds; i++)
        x = x * 1664525 + 1013904223;
    return x;
}

/* Whoever comes last adds up what the others left. */
__global__ void last_block(board *b)
{
    __shared__ bool last;
    const unsigned block = blockIdx.x;

    b->words[block * THREADS + threadIdx.x] = work(threadIdx.x, block * 7 % 11 * 40);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&b->counter, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    for (unsigned i = threadIdx.x; i < BLOCKS * THREADS; i += THREADS)
        atomicXor(&b->order, ((volatile unsigned *)b->words)[i] * (i + block));
}

/* A block begins when the one in front of it has ended. */
__global__ void chain(board *b)
{
    if (threadIdx.x == 0 && blockIdx.x > 0)
        while (((volatile unsigned *)b->flags)[blockIdx.x - 1] == 0)
            ;
    __syncthreads();
    const unsigned x = work(blockIdx.x, 100 + blockIdx.x % 5 * 50);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        ((volatile unsigned *)b->flags)[blockIdx.x] = x | 1;
}

/* The first block waits for the last one. */
__global__ void backwards(board *b)
{
    if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
        while (((volatile unsigned *)b->flags)[blockIdx.x + 1] == 0)
            ;
    __syncthreads();
    if (threadIdx.x == 0)
        ((volatile unsigned *)b->flags)[blockIdx.x] = work(blockIdx.x, 300) | 1;
}

/* All blocks meet, again and again. */
__global__ void grid_barrier(board *b)
{
    for (unsigned round = 1; round <= ROUNDS; round++) {
        const unsigned x = work(threadIdx.x, (blockIdx.x + round) % 7 * 60);
        b->words[blockIdx.x * THREADS + threadIdx.x] = x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(&b->arrived, 1); /* nobody reads what it returns */
            while (*(volatile unsigned *)&b->arrived < round * gridDim.x)
                ;
        }
        __syncthreads();
    }
}

/* One block after the other behind a lock; and lanes of one warp, too. */
__global__ void locked(board *b)
{
    if (threadIdx.x % 40 != 0)
        return;
    for (bool done = false; !done;) {
        if (atomicCAS(&b->lock, 0, 1) == 0) {
            b->order = work(b->order + blockIdx.x, 20);
            __threadfence();
            atomicExch(&b->lock, 0);
            done = true;
        }
    }
}

/* Tiles to whoever is free. */
__global__ void tickets(board *b)
{
    __shared__ unsigned tile;

    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            tile = atomicAdd(&b->counter, 1);
        __syncthreads();
        if (tile >= 5 * BLOCKS)
            return;
        atomicMax(&b->words[tile], work(blockIdx.x, tile % 13 * 30));
    }
}

__global__ void says(board *b)
{
    if (threadIdx.x % 48 == 0)
        printf("block %u thread %u: %u\n", blockIdx.x, threadIdx.x, work(b->counter, blockIdx.x));
}

__global__ void float_sum(board *b)
{
#ifdef FLOATS
    atomicAdd(&b->sum, 1.0f / (1 + work(threadIdx.x, blockIdx.x % 9 * 20) % 1000));
#endif
}

static void report(const char *name, board *d_board, void (*kernel)(board *))
{
    static board board;
    unsigned sum = 0;

    CHECK(cudaMemset(d_board, 0, sizeof board));
    kernel<<<BLOCKS, THREADS>>>(d_board);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&board, d_board, sizeof board, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        sum = sum * 31 + board.words[i];
    for (unsigned i = 0; i < BLOCKS; i++)
        sum = sum * 31 + board.flags[i];
    printf("%s: counter %u order %u words %u sum %.9g\n", name, board.counter, board.order, sum,
           board.sum);
}

/* All wait for what nobody does. */
__global__ void stuck(board *b)
{
    while (*(volatile unsigned *)&b->flags[0] == 0)
        ;
}

int main(int argc, char **)
{
    board *d_board;

    CHECK(cudaMalloc(&d_board, sizeof *d_board));
    if (argc > 1)
        report("stuck", d_board, stuck);
    report("last_block", d_board, last_block);
    report("chain", d_board, chain);
    report("backwards", d_board, backwards);
    report("grid_barrier", d_board, grid_barrier);
    report("locked", d_board, locked);
    report("tickets", d_board, tickets);
#ifdef FLOATS
    report("says", d_board, says);
    report("float_sum", d_board, float_sum);
#endif
    CHECK(cudaFree(d_board));
    return 0;
}
