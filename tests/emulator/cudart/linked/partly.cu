/* SPDX-License-Identifier: MIT */
/* Linked with an object that has no PTX: that one's kernel cannot run, the one here does. */
#include <cstdio>

#include "linked.h"

__global__ void here(int *out)
{
    *out = 2;
}

int main()
{
    int *out, value = 0;
    cudaMalloc(&out, sizeof(int));
    here<<<1, 1>>>(out);
    cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
    const bool is_own = part_own() == 40;
    std::printf("%d, %s\n", value, is_own ? "right" : cudaGetErrorName(cudaGetLastError()));
    return 0;
}
