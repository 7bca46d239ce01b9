// Puzzle 17: the last warp. The statement: puzzles/17_the_last_warp/puzzle.md
//
// look() below is complete. One block of 64 threads runs it. How many load requests from shared
// memory does it make?
// prediction: ?

__global__ void look(int *out)
{
    __shared__ int tile[64];

    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
#pragma unroll 1
    for (int offset = 32; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            tile[threadIdx.x] += tile[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = tile[0];
}

enum { THREADS = 256 };

// sums[b] = the sum of the 256 elements of block b; the last block may have fewer. The tree of r3,
// but from offset 32 on one warp is alone, and the author saved its barriers. The sum is right
// here. It is a race.
__global__ void block_sums(int *sums, const int *in, int n)
{
    __shared__ int tile[THREADS];
    const int t = threadIdx.x;
    const int i = blockIdx.x * THREADS + t;

    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (t < offset)
            tile[t] += tile[t + offset];
        if (offset > 32) // your code: and in the last rounds?
            __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = tile[0];
}
