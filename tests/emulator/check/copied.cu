/* A copy on the device of memory that one thread left unwritten: what was written is written in the
 * copy, and the hole is a hole there, wherever it lies.
 *
 * copied HOLE: the element that nobody writes, of 64; one kernel computes with it alone, and
 * another with its neighbours before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

enum { COUNT = 64 };

__global__ void fill(int *in, int hole)
{
    if (threadIdx.x != hole)
        in[threadIdx.x] = threadIdx.x;
}

__global__ void read_others(const int *in, int hole, int *out)
{
    if (threadIdx.x != hole)
        out[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void read_hole(const int *in, int hole, int *out)
{
    out[hole] = in[hole] + 1;
}

int main(int argc, char **argv)
{
    const int hole = argc > 1 ? atoi(argv[1]) : 0;
    const size_t bytes = COUNT * sizeof(int);
    int *in, *copy, *out;

    cudaMalloc(&in, bytes);
    cudaMalloc(&copy, bytes);
    cudaMalloc(&out, bytes);
    fill<<<1, COUNT>>>(in, hole);
    cudaMemcpy(copy, in, bytes, cudaMemcpyDeviceToDevice);
    read_others<<<1, COUNT>>>(copy, hole, out);
    read_hole<<<1, 1>>>(copy, hole, out);
    cudaFree(in);
    cudaFree(copy);
    cudaFree(out);
    if (cudaDeviceSynchronize() == cudaSuccess)
        return 0;
    fprintf(stderr, "%s: %s\n", argv[0], cudaGetErrorString(cudaGetLastError()));
    return 1;
}
