// Puzzle 11: memory nobody asked for. The statement: puzzles/11_memory_nobody_asked_for/puzzle.md
//
// look() below is complete, and one warp runs it. How many load requests to local memory does it
// make?
// prediction: ?

__global__ void look(int *out, const int *in)
{
    int count[8] = {0};

#pragma unroll 1
    for (int k = 0; k < 6; k++)
        count[in[32 * k + threadIdx.x] & 7]++;
    out[threadIdx.x] = count[threadIdx.x & 7];
}

// A table of 16 rows, n columns each. out[r][c] = the mean of in[r - 3][c] to in[r][c], of those
// that exist. A thread goes down its column and keeps the last four numbers. Right already: but
// where does it keep them?
__global__ void smooth(float *out, const float *in, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (column >= n)
        return;
    float last[4] = {0, 0, 0, 0}; // your code: keep them in registers

#pragma unroll 1
    for (int r = 0; r < 16; r++) {
        last[r % 4] = in[r * n + column];
        out[r * n + column] = (last[0] + last[1] + last[2] + last[3]) / min(r + 1, 4);
    }
}
