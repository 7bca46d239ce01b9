/* SPDX-License-Identifier: MIT */
/* What the two objects of a program share, and a template and inline code that both have. */
#ifndef LINKED_H
#define LINKED_H

#include <cuda_runtime.h>

enum { LINKED_THREADS = 32 };

extern __device__ int shared_number;
extern __device__ int numbers[];
extern __constant__ float factor;
extern __managed__ int counter;
extern __device__ int (*operation)(int);

__device__ int twice(int x);
__device__ int sum_of_words(int count);

struct shape {
    virtual __device__ int sides() const
    {
        return 0;
    }
};
struct square : shape {
    __device__ int sides() const override;
};

/* One counter, however many objects have this function. */
inline __device__ int next_ticket()
{
    static int tickets = 100;
    return atomicAdd(&tickets, 1);
}

template <typename T> __global__ void fill(T *out, T value)
{
    __shared__ T tile[LINKED_THREADS];
    tile[threadIdx.x] = value + threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[LINKED_THREADS - 1 - threadIdx.x];
}

/* What the other object runs by itself: its own kernel and its own variable, whose names are here,
 * too, and the template. */
int part_own();
int part_fill(int value);
int part_number();
int part_ticket();

#endif
