// Puzzle 31: sparse rows. The statement: puzzles/31_sparse_rows/puzzle.md
//
// look() below is complete: one thread per row, and the rows have different lengths. It runs with
// one block of 64 threads. How many load requests does it make? One instruction of one warp is one
// request.
// prediction: ?

__global__ void look(int *out, const volatile int *in)
{
    const int t = threadIdx.x;
    const int length = t == 40 ? 100 : t % 8;
    int sum = 0;

#pragma unroll 1
    for (int k = 0; k < length; k++)
        sum += in[k];
    out[t] = sum;
}

// y = A * x for a sparse matrix A with n rows. Row r has the elements k = begin[r] to
// begin[r + 1] - 1: value[k] stands in column column[k]. A row may be empty.
// Blocks of 128 threads, 4 rows per block: there are 32 threads for each row, but only one of them
// works. Right already; but neighbours in a warp read elements that lie a whole row apart.
__global__ void multiply(int *y, const int *begin, const int *column, const int *value,
                         const int *x, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x; // your code: a warp for each row
    int sum = 0;

    if (row >= n)
        return;
    for (int k = begin[row]; k < begin[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}
