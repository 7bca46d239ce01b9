/* A program that throws its environment away: what emu was told holds all the same. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main()
{
    cudaDeviceProp properties;

    clearenv();
    const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    printf("%s, %s\n", cudaGetErrorName(error), properties.name);
    return error ? 3 : 0;
}
