// Puzzle 35: a bin for each lane. The statement: puzzles/35_bins_for_lanes/puzzle.md
//
// look() below is complete, and runs with one block of 32 threads. How many wavefronts do its
// atomic additions take?
// prediction: ?

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

// bins[b] += how many of in[0] to in[n - 1] are b, for b from 0 to 63. The host launches 4 blocks
// of 128 threads, whatever n is. The result is right already. But bins b and b + 32 share a bank.
__global__ void histogram(int *bins, const unsigned char *in, int n)
{
    __shared__ int part[64];
    const int t = threadIdx.x;

    if (t < 64)
        part[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[in[i]], 1); // your code: here, above and below
    __syncthreads();
    if (t < 64)
        atomicAdd(&bins[t], part[t]);
}
