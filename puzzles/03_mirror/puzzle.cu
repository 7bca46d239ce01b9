// Puzzle 3: left is right. The statement: puzzles/03_mirror/puzzle.md
//
// look() below is complete. One block of 16 x 2 threads, which is one warp, runs it with columns =
// 100. How many 32-byte sectors does its store touch?
// prediction: ?

__global__ void look(int *out, int columns)
{
    out[threadIdx.y * columns + threadIdx.x] = threadIdx.x;
}

// A picture of rows x columns, row after row, is mirrored: the leftmost column becomes the
// rightmost. Blocks of 32 x 8 threads, as many as it takes to cover the picture in both directions.
__global__ void mirror(int *out, const int *in, int rows, int columns)
{
    // Your code: which row and which column are this thread's, and are they in the picture?
}
