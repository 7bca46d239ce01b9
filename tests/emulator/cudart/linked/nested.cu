/* SPDX-License-Identifier: MIT */
/* A kernel that launches another, which the emulator does not do; the other runs by itself. */
#include <cstdio>

__global__ void child(int *out)
{
    *out = 5;
}

__global__ void parent(int *out)
{
    child<<<1, 1>>>(out);
}

int main()
{
    int *out, value = 0;
    cudaMalloc(&out, sizeof(int));
    parent<<<1, 1>>>(out);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    child<<<1, 1>>>(out);
    cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", value);
    return 0;
}
