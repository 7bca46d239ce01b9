// Puzzle 27: rows to columns. The statement: puzzles/27_rows_to_columns/puzzle.md
//
// look() below is complete, and runs with one block of 8 by 8 threads. How many sectors does its
// store write?
// prediction: ?

__global__ void look(int *out)
{
    const int x = threadIdx.x, y = threadIdx.y;

    out[x * 8 + y] = x;
}

// out[c][r] = in[r][c]. Blocks of 32 by 8 threads take a tile of 32 by 32 elements each. Right
// already. But where neighbours store, their elements are a whole row apart.
__global__ void transpose(int *out, const int *in, int rows, int columns)
{
    const int column = 32 * blockIdx.x + threadIdx.x;

    for (int k = threadIdx.y; k < 32; k += 8) {
        const int row = 32 * blockIdx.y + k;
        if (row < rows && column < columns)
            out[column * rows + row] = in[row * columns + column]; // your code: by way of a tile
    }
}
