// Puzzle 1: every element once. The statement: puzzles/01_every_element/puzzle.md
//
// First say what you expect, then run: ./tour puzzle 1
//
// look() below is complete. Launched with blocks of 256 threads, as many as n = 1000 needs, how
// many store requests does it make? One store instruction of one warp is one request.
// prediction: ?

__global__ void look(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = i;
}

// out[i] = 3 * in[i] + 1 for each i from 0 to n - 1. The launch has a thread for each element, and
// some to spare.
__global__ void affine(int *out, const int *in, int n)
{
    // Your code: which element is this thread's, and is there one for it?
}
