// Puzzle 10: rows with room. The statement: puzzles/10_rows_with_room/puzzle.md
//
// look() below is complete. One warp runs it with rows 48 bytes apart, and reads the first 8 ints
// of four rows. How many 32-byte sectors does its load fetch?
// prediction: ?

// pitch is in bytes.
__global__ void look(int *out, const int *in, int pitch)
{
    const int row = threadIdx.x / 8, column = threadIdx.x % 8;

    out[threadIdx.x] = in[row * pitch / 4 + column];
}

// Adds 100 to each number of a picture. Its rows are pitch bytes apart, which is more than the
// columns take: what lies behind a row must stay as it is. Blocks of 32 x 4 threads, as many as it
// takes. Written as if rows touched.
__global__ void brighten(int *picture, size_t pitch, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && column < columns)
        picture[row * columns + column] += 100; // your code: where does this row begin?
}
