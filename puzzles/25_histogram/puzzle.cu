// Puzzle 25: sixteen bins. The statement: puzzles/25_histogram/puzzle.md
//
// look() below is complete, and runs with 4 blocks of 64 threads. How many global atomic requests
// does it make? One instruction of one warp is one request.
// prediction: ?

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

// bins[b] += how many of in[0] to in[n - 1] have b in their upper four bits, for the 16 values of
// b. The host has set the bins to 0, and launches 8 blocks of 128 threads, whatever n is.
// The result is right already. But all threads add to the same 16 places of global memory.
__global__ void histogram(int *bins, const unsigned char *in, int n)
{
    const int threads = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&bins[in[i] / 16], 1); // your code: first within the block
}
