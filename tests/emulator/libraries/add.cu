#include "add.h"

__global__ void add_to_each(float *x, int step, float what)
{
    x[threadIdx.x * step] += what;
}

void add(float *x, int count, int step, float what, cudaStream_t stream)
{
    add_to_each<<<1, count, 0, stream>>>(x, step, what);
}
