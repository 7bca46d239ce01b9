/* A little of everything that a trace shows, small enough that all of it is in the sample: one
 * block of two warps, no instruction executed more than four times by a warp. */
#include <cuda_runtime.h>
#include <stdio.h>

__constant__ int table[32];

template <char bracket, int times> __global__ void few(const int *in, int *out, int n)
{
    __shared__ int tile[32 * 33];
    const int t = threadIdx.x;
    int sum = 0;

#pragma unroll 1
    for (int i = 0; i < times; i++)
        sum += in[(t * 9 + i * 64) % n]; /* every other sector */
    tile[t * 2] = sum; /* two-way conflicts */
    __syncthreads();
    if (t % 3 == 0)
        sum += tile[(t * 32) % 1024] + table[t % 5]; /* lanes wait; one bank for all */
    else
        sum -= tile[t];
    atomicAdd(&out[t / 8], sum);
    reinterpret_cast<int2 *>(out)[32 + t] = make_int2(sum, bracket);
}

/* With an argument nothing is launched. */
int main(int argc, char **argv)
{
    int *in, *out, n = 640;

    (void)argv;
    if (argc > 1)
        return cudaFree(0) != cudaSuccess;
    if (cudaMalloc(&in, n * sizeof(int)) || cudaMalloc(&out, 4096) ||
        cudaMemset(in, 1, n * sizeof(int)) || cudaMemset(out, 0, 4096))
        return 1;
    few<'<', 3><<<1, 64>>>(in, out, n);
    few<'<', 3><<<1, 64>>>(in, out, n);
    few<'&', 2><<<dim3(3, 2), dim3(8, 8)>>>(in, out, n);
    if (cudaDeviceSynchronize())
        return 3;
    printf("done\n");
    return 0;
}
