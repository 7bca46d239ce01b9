/* One kernel, one printf: what the tests of emu itself run, and break. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hello(int *out)
{
    printf("hello from thread %d\n", (int)threadIdx.x);
    out[threadIdx.x] = threadIdx.x * 3;
}

int main(int argc, char **argv)
{
    int *out, value = -1;

    cudaError_t error = cudaMalloc(&out, 2 * sizeof(int));
    if (!error) {
        hello<<<1, 2>>>(out);
        error = cudaGetLastError();
    }
    if (!error)
        error = cudaMemcpy(&value, out + 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s, %d\n", cudaGetErrorName(error), value);
    return error ? 3 : argc > 1 ? argc : 0;
}
