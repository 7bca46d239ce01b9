/* SPDX-License-Identifier: MIT */
/* uneven WORK [BLOCKS [STRIDE [TIMES]]]: many blocks whose work differs as WORK says, so many times
 * as much. Prints the kernel's time in milliseconds. Exit 2 where WORK is unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

enum { THREADS = 128, ROUNDS = 24 };

/* Block b adds `rounds[b]` numbers per thread, `stride` threads apart. */
__global__ void add(const float *in, const int *rounds, int stride, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < rounds[blockIdx.x]; k++)
        sum += in[(i * stride + k * THREADS) & 0xFFFFF];
    out[i] = sum;
}

static int rounds_of(const char *work, int b, int blocks)
{
    if (!strcmp(work, "even"))
        return ROUNDS;
    if (!strcmp(work, "rising"))
        return 2 * ROUNDS * b / blocks;
    if (!strcmp(work, "falling"))
        return 2 * ROUNDS * (blocks - b) / blocks;
    if (!strcmp(work, "first"))
        return b < blocks / 3 ? 2 * ROUNDS : 1;
    if (!strcmp(work, "last"))
        return b < blocks / 3 ? 1 : 2 * ROUNDS;
    if (!strcmp(work, "random"))
        return (int)((unsigned)b * 2654435761u >> 16) % (2 * ROUNDS);
    if (!strcmp(work, "rare"))
        return b % 97 == 0 ? 10 * ROUNDS : ROUNDS;
    fprintf(stderr, "uneven: unknown work '%s'\n", work);
    exit(2);
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "uneven: %s\n", cudaGetErrorString(error));
    exit(1);
}

int main(int argc, char **argv)
{
    const char *work = argc > 1 ? argv[1] : "even";
    const int blocks = argc > 2 ? atoi(argv[2]) : 8000, stride = argc > 3 ? atoi(argv[3]) : 1,
              times = argc > 4 ? atoi(argv[4]) : 1;
    int *rounds = (int *)malloc(blocks * sizeof *rounds), *d_rounds;
    float *in, *out, ms;
    cudaEvent_t start, stop;

    for (int b = 0; b < blocks; b++)
        rounds[b] = rounds_of(work, b, blocks) * times;
    check(cudaMalloc(&in, sizeof(float) << 20));
    check(cudaMemset(in, 0, sizeof(float) << 20));
    check(cudaMalloc(&d_rounds, blocks * sizeof *rounds));
    check(cudaMalloc(&out, (size_t)blocks * THREADS * sizeof *out));
    check(cudaMemcpy(d_rounds, rounds, blocks * sizeof *rounds, cudaMemcpyHostToDevice));
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    check(cudaEventRecord(start));
    add<<<blocks, THREADS>>>(in, d_rounds, stride, out);
    check(cudaEventRecord(stop));
    check(cudaDeviceSynchronize());
    check(cudaEventElapsedTime(&ms, start, stop));
    printf("%.6f\n", ms);
    free(rounds);
    return 0;
}
