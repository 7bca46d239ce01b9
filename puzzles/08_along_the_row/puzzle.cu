// Puzzle 8: along the row. The statement: puzzles/08_along_the_row/puzzle.md
//
// look() below is complete, and one warp runs it. How many 32-byte sectors does its load fetch?
// prediction: ?

__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[5 * t];
}

// A picture of n x n numbers, row after row, gets darker towards the bottom: row r loses r. Blocks
// of 16 x 16 threads, as many as it takes in both directions. The result is right already.
__global__ void fade(int *out, const int *in, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x; // your code: other directions
    const int column = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < n && column < n)
        out[row * n + column] = in[row * n + column] - row;
}
