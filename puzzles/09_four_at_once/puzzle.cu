// Puzzle 9: four at once. The statement: puzzles/09_four_at_once/puzzle.md
//
// look() below is complete, and one warp runs it. An int2 is 8 bytes. How many 32-byte sectors does
// its load fetch?
// prediction: ?

__global__ void look(int2 *out, const int2 *in)
{
    out[threadIdx.x] = in[threadIdx.x + 1];
}

// y[i] += x[i] for each i from 0 to n - 1. Blocks of 128 threads, one thread for every four
// elements, or a few more. Right already, and each sector moves once; only, it takes four times as
// many requests as it has to. Both arrays start at a multiple of 16 bytes.
__global__ void add_to(int *y, const int *x, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;

    for (int i = thread; i < n; i += threads) // your code: four at once
        y[i] += x[i];
}
