// Puzzle 19: a warp adds up. The statement: puzzles/19_warp_sum/puzzle.md
//
// look() below is complete, and runs with one block of 128 threads. How many of its branches
// diverge? One branch that one warp executes counts as one.
// prediction: ?

__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    if (t / 32 % 2 == 0)
        out[t] = 1;
    else
        out[t] = 2;
    if (t % 64 < 40)
        out[t] = 3;
    else
        out[t] = 4;
}

// sums[w] = the sum of in[32 * w] to in[32 * w + 31], for each of the n / 32 warps. n is a multiple
// of 32; blocks of 128 threads, and some warps to spare. No shared memory: lanes can read each
// other.
__global__ void warp_sums(int *sums, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? in[i] : 0;

    // Your code: five rounds in which each lane adds what another lane has.
    if (i < n && threadIdx.x % 32 == 0)
        sums[i / 32] = sum;
}
