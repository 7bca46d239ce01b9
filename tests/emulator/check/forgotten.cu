/* Results that stay on the device, forgotten there or not.
 *
 * forgotten CASE: see main().
 */
#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>

enum { COUNT = 64, BYTES = COUNT * sizeof(int) };

__global__ void twice(const int *in, int *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
}

__global__ void square(int *data)
{
    data[threadIdx.x] *= data[threadIdx.x];
}

__global__ void add_neighbours(const int *in, int *scratch, int *out)
{
    scratch[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = scratch[threadIdx.x] + scratch[threadIdx.x ^ 1];
}

__device__ int variable[COUNT];

__global__ void twice_to_variable(const int *in, int *scratch)
{
    scratch[threadIdx.x] = in[threadIdx.x];
    variable[threadIdx.x] = 2 * in[threadIdx.x];
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    static int host[COUNT];
    int *in, *out, *more;

    if (cudaMalloc(&in, BYTES) || cudaMalloc(&out, BYTES) || cudaMalloc(&more, BYTES) ||
        cudaMemcpy(in, host, BYTES, cudaMemcpyHostToDevice))
        return 3;
    if (!strcmp(name, "in_place"))
        square<<<1, COUNT>>>(in);
    else if (!strcmp(name, "variable"))
        twice_to_variable<<<1, COUNT>>>(in, out);
    else if (!strcmp(name, "scratch"))
        add_neighbours<<<1, COUNT>>>(in, more, out);
    else
        twice<<<1, COUNT>>>(in, out);
    if (!strcmp(name, "chain") || !strcmp(name, "both"))
        twice<<<1, COUNT>>>(out, more);
    if (!strcmp(name, "other_way"))
        cudaMemcpy(out, host, BYTES, cudaMemcpyHostToDevice);
    if (!strcmp(name, "wrong_one"))
        cudaMemcpy(host, in, BYTES, cudaMemcpyDeviceToHost);
    if (!strcmp(name, "refused"))
        cudaMemcpy(host, out, BYTES, cudaMemcpyHostToDevice);
    if (!strcmp(name, "copied") || !strcmp(name, "both") || !strcmp(name, "scratch"))
        cudaMemcpy(host, out, BYTES, cudaMemcpyDeviceToHost);
    if (!strcmp(name, "variable"))
        cudaMemcpyFromSymbol(host, variable, BYTES);
    if (strcmp(name, "leaked"))
        cudaFree(out);
    cudaFree(more);
    cudaFree(in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
