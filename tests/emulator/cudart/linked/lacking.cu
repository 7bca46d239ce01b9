/* SPDX-License-Identifier: MIT */
/* An object that is linked without the one that defines what it needs: its other kernel runs. */
#include <cstdio>

__device__ int nowhere(int x);

__global__ void lacking(int *out)
{
    *out = nowhere(1);
}

__global__ void complete(int *out)
{
    *out = 2;
}

int main()
{
    int *out, value = 0;
    cudaMalloc(&out, sizeof(int));
    lacking<<<1, 1>>>(out);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    complete<<<1, 1>>>(out);
    cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", value);
    return 0;
}
