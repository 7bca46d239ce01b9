/* Loops that lack what would end them, and store the same again and again.
 *
 * endless stride | byte
 */
#include <cuda_runtime.h>
#include <string.h>

enum { COUNT = 1000, BYTES = COUNT * sizeof(float) };

__global__ void stride(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    while (i < COUNT)
        out[i] = in[i] + 1;
}

__global__ void byte(unsigned char *out)
{
    const int i = threadIdx.x;

    while (i < COUNT)
        out[i] = i;
}

int main(int argc, char **argv)
{
    float *in, *out;

    if (cudaMalloc(&in, BYTES) || cudaMalloc(&out, BYTES) || cudaMemset(in, 0, BYTES))
        return 3;
    if (argc > 1 && !strcmp(argv[1], "byte"))
        byte<<<1, 1>>>((unsigned char *)out);
    else
        stride<<<4, 256>>>(in, out);
    return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
