// verdict: result
// A row has 32 columns, and its sum is over all of them.
// prediction: 4
__global__ void look(int *out)
{
    __shared__ int counts[128];
    const int t = threadIdx.x;

    for (int k = t; k < 128; k += 32)
        counts[k] = 0;
    __syncwarp();
    atomicAdd(&counts[4 * t], 1);
    __syncwarp();
    out[t] = counts[4 * t];
}

__global__ void histogram(int *bins, const unsigned char *in, int n)
{
    __shared__ int part[64][32];
    const int t = threadIdx.x;

    for (int k = t; k < 64 * 32; k += blockDim.x)
        part[0][k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[in[i]][t % 32], 1);
    __syncthreads();
    if (t < 64) {
        int sum = 0;

        sum = part[t][t % 32];
        atomicAdd(&bins[t], sum);
    }
}
