// verdict: goal
// No shared memory, no barrier: every element is loaded twice.
// prediction: 2
__global__ void look(int *out)
{
    __shared__ int tile[64];

    tile[threadIdx.x] = tile[threadIdx.x + 32] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[2 * threadIdx.x];
}

__global__ void difference(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] - (i > 0 ? in[i - 1] : 0);
}
