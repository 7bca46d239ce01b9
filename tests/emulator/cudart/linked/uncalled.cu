/* SPDX-License-Identifier: MIT */
/* A function of the runtime that kernels have on a GPU and not here; and a launch that is one level
 * too deep. */
#include <cstdio>

__global__ void ask(size_t *out)
{
    cudaDeviceGetLimit(out, cudaLimitMallocHeapSize);
}

__global__ void nest(int *out, int left)
{
    if (!left)
        return;
    nest<<<1, 1>>>(out, left - 1);
    if (cudaGetLastError() == cudaErrorLaunchMaxDepthExceeded)
        *out = left;
}

/* Endless, until a child fails. */
__global__ void fail(int *out)
{
    fail<<<1, 1, 0, cudaStreamTailLaunch>>>(out + (size_t(1) << 40));
    *out = 1;
}

int main()
{
    int *out, left;

    cudaMalloc(&out, sizeof(size_t));
    ask<<<1, 1>>>((size_t *)out);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    nest<<<1, 1>>>(out, 30);
    cudaMemcpy(&left, out, sizeof(left), cudaMemcpyDeviceToHost);
    std::printf("%d\n", left);
    fail<<<1, 1>>>(out);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
