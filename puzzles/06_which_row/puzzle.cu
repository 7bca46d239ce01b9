// Puzzle 6: which row is mine?. The statement: puzzles/06_which_row/puzzle.md
//
// look() below is complete: the search from the front, with rows of 4 elements each, so start is 0,
// 4, 8, 12 ... One warp runs it. How many load requests does it make?
// prediction: ?

__global__ void look(int *row, const int *start)
{
    int r = 0;

#pragma unroll 1
    while (start[r + 1] <= threadIdx.x)
        r++;
    row[threadIdx.x] = r;
}

// Rows of different lengths lie one behind the other: row r has elements start[r] to start[r + 1] -
// 1; start[0] is 0, start[rows] is n. Some rows are empty. For each element i, row[i] = the row
// that it is in. Blocks of 128 threads, one thread for each element. Right already, and slow.
__global__ void find_rows(int *row, const int *start, int rows, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    int r = 0;
    while (start[r + 1] <= i) // your code: a quicker search
        r++;
    row[i] = r;
}
