// verdict: result
// Right as long as blocks and warps run in order: nothing says that they do.
// prediction: 32
__global__ void look(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = i;
}

__device__ int turns;

__global__ void affine(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[atomicAdd(&turns, 1)] = 3 * in[i] + 1;
}
