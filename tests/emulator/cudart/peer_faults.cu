/* SPDX-License-Identifier: MIT */
/* A kernel that uses another device's memory without access to it. With "variable", that memory is
 * a variable; with "after", access was there and has been taken away again. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ int counter[4];

__global__ void put(int *where)
{
    where[2] = 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int *block;

    cudaSetDevice(1);
    cudaMalloc(&block, 4 * sizeof(int));
    if (!std::strcmp(how, "variable"))
        cudaGetSymbolAddress((void **)&block, counter);
    cudaSetDevice(0);
    if (!std::strcmp(how, "after")) {
        cudaDeviceEnablePeerAccess(1, 0);
        put<<<1, 1>>>(block);
        cudaDeviceDisablePeerAccess(1);
    }
    put<<<1, 1>>>(block);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s", cudaGetErrorName(error));
    cudaSetDevice(1); /* which goes on as if nothing had happened */
    std::printf(", %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
