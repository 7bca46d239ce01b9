// Puzzle 28: neighbours count. The statement: puzzles/28_neighbours_count/puzzle.md
//
// look() below is complete, and one warp runs it. How many sectors do its three loads fetch? Both
// arrays begin at a multiple of 256 bytes.
// prediction: ?

__global__ void look(int *out, const int *in)
{
    const int i = 32 + threadIdx.x;

    out[threadIdx.x] = in[i - 1] + in[i] + in[i + 1];
}

// out[i] = in[i - 3] + ... + in[i + 3], seven elements, where what is outside the array counts 0.
// Blocks of 256 threads, one thread per element. Right already; but each element is fetched seven
// times.
__global__ void blur(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;

    if (i >= n)
        return;
    for (int k = i - 3; k <= i + 3; k++) // your code: fetch first, for the whole block
        if (k >= 0 && k < n)
            sum += in[k];
    out[i] = sum;
}
