// Puzzle 25: sixteen bins.
//
// Only the last atomicAdd is to global memory, and only the first warp of each of the 4 blocks has
// lanes that get there.
// prediction: 4

__global__ void look(int *bins, const unsigned char *in)
{
    __shared__ int part[16];
    const int t = threadIdx.x;

    if (t < 16)
        part[t] = 0;
    __syncthreads();
    atomicAdd(&part[in[blockIdx.x * blockDim.x + t] % 16], 1);
    __syncthreads();
    if (t < 16)
        atomicAdd(&bins[t], part[t]);
}

__global__ void histogram(int *bins, const unsigned char *in, int n)
{
    __shared__ int part[16];
    const int threads = gridDim.x * blockDim.x;

    if (threadIdx.x < 16)
        part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&part[in[i] / 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
