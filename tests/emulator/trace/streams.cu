/* Three kernels in as many streams, at the same time. */
#include <cuda_runtime.h>

__global__ void add(int *out, int times)
{
    int sum = threadIdx.x;

#pragma unroll 1
    for (int i = 0; i < times; i++)
        sum = sum * 3 + i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    cudaStream_t streams[3];
    int *out;

    if (cudaMalloc(&out, 4096))
        return 1;
    for (cudaStream_t &stream : streams) {
        if (cudaStreamCreate(&stream))
            return 1;
        add<<<2, 64, 0, stream>>>(out, 1000);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
