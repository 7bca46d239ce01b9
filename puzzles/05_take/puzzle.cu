// Puzzle 5: take, do not hand out. The statement: puzzles/05_take/puzzle.md
//
// look() below is complete, and one warp runs it. How many 32-byte sectors do its three loads fetch
// together?
// prediction: ?

__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[t] + in[t + 1] + in[t + 2];
}

// out[i] = in[i - 1] + in[i] + in[i + 1] for each i from 0 to n - 1, with 0 for what is outside the
// array. out is all zeros before. Blocks of 128 threads, one thread for each element. The result
// may well be right, and the kernel is wrong.
__global__ void spread(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) { // your code: no two threads may write to one place
        out[i] += in[i];
        if (i > 0)
            out[i - 1] += in[i];
        if (i < n - 1)
            out[i + 1] += in[i];
    }
}
