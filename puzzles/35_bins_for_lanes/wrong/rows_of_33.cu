// verdict: goal
// Padding helps those who read a column of a tile. Here word l of row b is in bank (b + l) % 32,
// and lanes with different samples meet again.
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
    __shared__ int part[64][33];
    const int t = threadIdx.x;

    for (int k = t; k < 64 * 33; k += blockDim.x)
        part[0][k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[in[i]][t % 32], 1);
    __syncthreads();
    if (t < 64) {
        int sum = 0;

        for (int k = 0; k < 32; k++)
            sum += part[t][k];
        atomicAdd(&bins[t], sum);
    }
}
