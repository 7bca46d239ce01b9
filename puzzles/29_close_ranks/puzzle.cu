// Puzzle 29: close ranks. The statement: puzzles/29_close_ranks/puzzle.md
//
// look() below is complete, and runs with one block of 128 threads. How many global atomic requests
// does it make? One instruction of one warp is one request.
// prediction: ?

__global__ void look(int *count)
{
    const int t = threadIdx.x;
    const unsigned kept = __ballot_sync(0xffffffff, t % 48 < 16);

    if (t % 32 == __ffs(kept) - 1)
        atomicAdd(count, __popc(kept));
}

// Copies the positive elements of `in` to the front of `out`, in any order, and counts them in
// *count, which the host has set to 0. `out` has room for these and no more. Blocks of 128 threads,
// one thread per element. Right already; but every warp goes to the global counter.
__global__ void keep_positive(int *out, int *count, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] > 0)
        out[atomicAdd(count, 1)] = in[i]; // your code: one addition for the whole block
}
