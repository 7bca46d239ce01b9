/* Launches: what a GPU refuses, attributes of kernels, occupancy. */
#include "expect.h"

#include <cstring>

__global__ void store_one(int *out)
{
    *out = 1;
}

__global__ void __launch_bounds__(64) at_most_64(int *out)
{
    *out = 2;
}

__global__ void static_shared(int *out)
{
    __shared__ int table[1024];

    table[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = table[blockDim.x - 1 - threadIdx.x];
}

__global__ void dynamic_shared(int *out, int last)
{
    extern __shared__ int table[];

    table[last] = 3;
    *out = table[last];
}

/* CUDA 13 gave up two codes that CUDA 12 had. */
static const cudaError_t bad_configuration =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
static const cudaError_t unknown_function =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;

static int *out;

static int result()
{
    int value = -1;

    EXPECT_SUCCESS(cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost));
    return value;
}

static void configurations()
{
    EXPECT_LAUNCH(cudaSuccess, store_one<<<1, 1>>>(out));
    EXPECT(result() == 1);
    EXPECT_LAUNCH(bad_configuration, store_one<<<0, 1>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<1, 0>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<1, 1025>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<1, dim3(32, 33)>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<1, dim3(1, 1, 65)>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<dim3(1, 65536), 1>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<dim3(1, 1, 65536), 1>>>(out));
    EXPECT_LAUNCH(bad_configuration, store_one<<<0x80000000u, 1>>>(out));
    EXPECT_LAUNCH(cudaSuccess, at_most_64<<<1, 64>>>(out));
    EXPECT(result() == 2);
    EXPECT_LAUNCH(cudaErrorInvalidValue, at_most_64<<<1, 65>>>(out));
}

static void shared_memory()
{
    cudaDeviceProp device;
    cudaFuncAttributes attributes;

    EXPECT_SUCCESS(cudaGetDeviceProperties(&device, 0));
    const int most = (int)device.sharedMemPerBlockOptin;
    EXPECT_LAUNCH(cudaSuccess, dynamic_shared<<<1, 1, 48 * 1024>>>(out, 12 * 1024 - 1));
    EXPECT(result() == 3);
    EXPECT_LAUNCH(cudaErrorInvalidValue, dynamic_shared<<<1, 1, 48 * 1024 + 1>>>(out, 0));
    EXPECT_LAUNCH(cudaErrorInvalidValue, static_shared<<<1, 1, 44 * 1024 + 1>>>(out));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      most + 1));
    EXPECT_ERROR(
        cudaErrorInvalidValue,
        cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    EXPECT_SUCCESS(
        cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, dynamic_shared));
    EXPECT(attributes.maxDynamicSharedSizeBytes == most);
    EXPECT_LAUNCH(cudaSuccess, dynamic_shared<<<1, 1, most>>>(out, most / 4 - 1));
    EXPECT(result() == 3);
    EXPECT_LAUNCH(cudaErrorInvalidValue, dynamic_shared<<<1, 1, most + 1>>>(out, 0));
}

static void other_ways_to_launch()
{
    void *arguments[] = {&out};
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute early = {};
    cudaStream_t stream;
    cudaKernel_t kernel;
    const char *name;

    EXPECT_ERROR(
        cudaErrorCooperativeLaunchTooLarge,
        cudaLaunchCooperativeKernel((const void *)store_one, 1000000, 256, arguments, 0, 0));
    EXPECT_SUCCESS(cudaMemset(out, 0, sizeof(int)));
    EXPECT_SUCCESS(cudaLaunchKernel((const void *)store_one, 1, 1, arguments, 0, 0));
    EXPECT(result() == 1);
    EXPECT_ERROR(cudaErrorInvalidDeviceFunction,
                 cudaLaunchKernel((const void *)NULL, 1, 1, arguments, 0, 0));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaLaunchKernel((const void *)store_one, 1, 1, (void **)NULL, 0, 0));
    EXPECT_ERROR(unknown_function,
                 cudaLaunchKernel((const void *)&failures, 1, 1, arguments, 0, 0));
    config.gridDim = 2;
    config.blockDim = 64;
    EXPECT_SUCCESS(cudaLaunchKernelEx(&config, at_most_64, out));
    EXPECT(result() == 2);
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    config.attrs = &early;
    config.numAttrs = 1;
    for (int allowed = 0; allowed < 2; allowed++) {
        early.val.programmaticStreamSerializationAllowed = allowed;
        EXPECT_SUCCESS(cudaMemset(out, 0, sizeof(int)));
        EXPECT_SUCCESS(cudaLaunchKernelEx(&config, at_most_64, out));
        EXPECT_SUCCESS(cudaLaunchKernelEx(&config, at_most_64, out));
        EXPECT(result() == 2);
    }
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_LAUNCH(cudaSuccess, store_one<<<1, 1, 0, stream>>>(out));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(result() == 1);
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaGetKernel(&kernel, (const void *)at_most_64));
    EXPECT_SUCCESS(cudaLaunchKernel((const void *)kernel, 1, 1, arguments, 0, 0));
    EXPECT(result() == 2);
    EXPECT_SUCCESS(cudaFuncGetName(&name, (const void *)store_one));
    EXPECT(!std::strcmp(name, "_Z9store_onePi"));
}

static void attributes()
{
    cudaFuncAttributes of;

    EXPECT_SUCCESS(cudaFuncGetAttributes(&of, store_one));
    EXPECT(of.maxThreadsPerBlock == 1024 && of.sharedSizeBytes == 0);
    EXPECT(of.numRegs > 0 && of.numRegs < 64);
    EXPECT(of.ptxVersion >= 75); /* of the machine code, where there is some */
    EXPECT_SUCCESS(cudaFuncGetAttributes(&of, at_most_64));
    EXPECT(of.maxThreadsPerBlock == 64);
    EXPECT_SUCCESS(cudaFuncGetAttributes(&of, static_shared));
    EXPECT(of.sharedSizeBytes == 4096 && of.maxDynamicSharedSizeBytes == 44 * 1024);
    EXPECT_ERROR(unknown_function, cudaFuncGetAttributes(&of, (const void *)&failures));
    EXPECT_SUCCESS(cudaFuncSetCacheConfig(store_one, cudaFuncCachePreferShared));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFuncSetAttribute(store_one, (cudaFuncAttribute)99, 1));
    EXPECT_ERROR(
        cudaErrorInvalidValue,
        cudaFuncSetAttribute(store_one, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
}

static void occupancy()
{
    cudaDeviceProp device;
    size_t dynamic = 0;
    int blocks = -1, smallest_grid = -1, best_block = -1;

    EXPECT_SUCCESS(cudaGetDeviceProperties(&device, 0));
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_one, 32, 0));
    EXPECT(blocks == device.maxBlocksPerMultiProcessor);
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_one, 512, 0));
    EXPECT(blocks == device.maxThreadsPerMultiProcessor / 512);
    EXPECT_SUCCESS(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_one, 32, 20 * 1024));
    EXPECT(blocks == (int)(device.sharedMemPerMultiprocessor /
                           (20 * 1024 + device.reservedSharedMemPerBlock)));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_one, 0, 0));
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_one, 1025, 0));
    EXPECT(blocks == 0);
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_one, 32, 50000));
    EXPECT(blocks == 0);
    EXPECT_SUCCESS(cudaOccupancyMaxPotentialBlockSize(&smallest_grid, &best_block, store_one));
    EXPECT(best_block == 1024);
    EXPECT(smallest_grid == device.multiProcessorCount * device.maxThreadsPerMultiProcessor / 1024);
    EXPECT_SUCCESS(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, store_one, 4, 32));
    EXPECT(dynamic > 0 && dynamic <= device.sharedMemPerMultiprocessor / 4);
}

int main()
{
    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(int)));
    configurations();
    shared_memory();
    other_ways_to_launch();
    attributes();
    occupancy();
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}
