// Puzzle 7: neighbours read neighbours. The statement: puzzles/07_neighbours/puzzle.md
//
// look() below is complete. How many 32-byte sectors does its load fetch for one warp?
// prediction: ?

__global__ void look(float *out, const float *in)
{
    const int t = threadIdx.x;

    out[t] = in[4 * t];
}

// out[i] = 0.5f * in[i] for each i from 0 to n - 1. One thread for every four elements, or a few
// more. The result is right already, but memory moves four times as much as it needs to.
__global__ void halve(float *out, const float *in, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; k < 4; k++) {
        const int i = 4 * thread + k; // your code: another i
        if (i < n)
            out[i] = 0.5f * in[i];
    }
}
