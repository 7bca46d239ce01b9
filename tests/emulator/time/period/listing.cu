/* The device query of a GeForce 8400M GS, as the article on prime numbers prints it. */
#include <cstdio>
#include <cuda_runtime.h>

static int attribute(cudaDeviceAttr name)
{
    int value = 0;

    cudaDeviceGetAttribute(&value, name, 0);
    return value;
}

int main()
{
    cudaDeviceProp prop;

    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess)
        return 1;
    printf("%s\n", prop.name);
    printf("major revision number: %d\n", prop.major);
    printf("minor revision number: %d\n", prop.minor);
    printf("global memory: %zu bytes\n", prop.totalGlobalMem);
    printf("multiprocessors: %d\n", prop.multiProcessorCount);
    printf("constant memory: %zu bytes\n", prop.totalConstMem);
    printf("shared memory per block: %zu bytes\n", prop.sharedMemPerBlock);
    printf("registers per block: %d\n", prop.regsPerBlock);
    printf("warp size: %d\n", prop.warpSize);
    printf("threads per block: %d\n", prop.maxThreadsPerBlock);
    printf("block: %d x %d x %d\n", prop.maxThreadsDim[0], prop.maxThreadsDim[1],
           prop.maxThreadsDim[2]);
    printf("grid: %d x %d x %d\n", prop.maxGridSize[0], prop.maxGridSize[1], prop.maxGridSize[2]);
    printf("memory pitch: %zu bytes\n", prop.memPitch);
    printf("texture alignment: %zu bytes\n", prop.textureAlignment);
    printf("clock rate: %.2f GHz\n", attribute(cudaDevAttrClockRate) * 1e-6);
    printf("concurrent copy and execution: %s, %d engines\n",
           attribute(cudaDevAttrGpuOverlap) ? "Yes" : "No", prop.asyncEngineCount);
    return 0;
}
