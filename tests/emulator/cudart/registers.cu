/* A kernel that wants many registers, in blocks of 1024 threads.
 *
 * registers [cooperative|bounded]: prints the registers of all kernels, the largest block of heavy,
 * and what the launch of heavy, or of bounded, says. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { LIVE = 80, THREADS = 1024, ROUNDS = 3 };

static __device__ void work(float *data)
{
    float values[LIVE];

#pragma unroll
    for (int i = 0; i < LIVE; i++)
        values[i] = data[i * THREADS + threadIdx.x];
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int i = 0; i < LIVE; i++)
            values[i] = values[i] * values[(i + 1) % LIVE] + 1;
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        data[i * THREADS + threadIdx.x] = values[i];
}

__global__ void heavy(float *data)
{
    work(data);
}

__global__ void __launch_bounds__(THREADS) bounded(float *data)
{
    work(data);
}

__global__ void __launch_bounds__(THREADS / 4, 4) promised(float *data)
{
    work(data);
}

#if CUDART_VERSION >= 12040
__global__ void __maxnreg__(40) limited(float *data)
{
    work(data);
}
#endif

static int registers_of(void (*kernel)(float *))
{
    cudaFuncAttributes attributes;

    return cudaFuncGetAttributes(&attributes, kernel) ? 0 : attributes.numRegs;
}

int main(int argc, char **argv)
{
    cudaFuncAttributes attributes;
    float *data;
    int blocks;

    if (cudaMalloc(&data, LIVE * THREADS * sizeof(*data)) ||
        cudaFuncGetAttributes(&attributes, heavy) ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, THREADS, 0))
        return 1;
    printf("heavy %d\nbounded %d\npromised %d\n", registers_of(heavy), registers_of(bounded),
           registers_of(promised));
#if CUDART_VERSION >= 12040
    printf("limited %d\n", registers_of(limited));
#endif
    printf("%d threads, %d blocks\n", attributes.maxThreadsPerBlock, blocks);
    void *arguments[] = {&data};
    const bool cooperative = argc > 1 && !strcmp(argv[1], "cooperative");
    const void *kernel =
        argc > 1 && !strcmp(argv[1], "bounded") ? (const void *)bounded : (const void *)heavy;
    const cudaError_t error = cooperative
                                  ? cudaLaunchCooperativeKernel(kernel, 1, THREADS, arguments)
                                  : cudaLaunchKernel(kernel, 1, THREADS, arguments);
    puts(cudaGetErrorName(error ? error : cudaDeviceSynchronize()));
    return 0;
}
