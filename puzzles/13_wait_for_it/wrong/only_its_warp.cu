// verdict: race
// Right in most orders: but lane 0 of a warp reads what lane 31 of the warp before writes.
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
    __shared__ int tile[257];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? in[i - 1] : 0;
    __syncwarp();
    if (i < n)
        out[i] = tile[threadIdx.x + 1] - tile[threadIdx.x];
}
