/* SPDX-License-Identifier: MIT */
/* The object that defines what linked.cu uses. */
#include "linked.h"

__device__ int shared_number = 5;
__device__ int numbers[4] = {1, 2, 3, 4};
__constant__ float factor = 2.0F;
__managed__ int counter = 7;
static __device__ int own = 40;

__device__ int twice(int x)
{
    return 2 * x + own;
}

static __device__ int thrice(int x)
{
    return 3 * x;
}
__device__ int (*operation)(int) = thrice;

__device__ int square::sides() const
{
    return 4;
}

/* Over the dynamic shared memory, which its caller has filled. */
__device__ int sum_of_words(int count)
{
    extern __shared__ int words[];
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += words[i];
    return sum;
}

static __global__ void kernel(int *out)
{
    *out = own;
}

static __global__ void take_ticket(int *out)
{
    *out = next_ticket();
}

static int value_of(void (*launched)(int *))
{
    int *out, value = -1;
    cudaMalloc(&out, sizeof(int));
    launched<<<1, 1>>>(out);
    cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    return value;
}

int part_own()
{
    return value_of(kernel);
}

int part_ticket()
{
    return value_of(take_ticket);
}

int part_fill(int value)
{
    int *out, first = -1;
    cudaMalloc(&out, LINKED_THREADS * sizeof(int));
    fill<<<1, LINKED_THREADS>>>(out, value);
    cudaMemcpy(&first, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    return first;
}

int part_number()
{
    int value = -1;
    cudaMemcpyFromSymbol(&value, shared_number, sizeof(int));
    return value;
}
