// Puzzle 27: rows to columns.
//
// A warp has 4 values of y and all 8 of x. Its store goes to 8 rows of 32 bytes, and fills half of
// each: 8 sectors. The second warp fills the other halves, of the same 8.
// prediction: 16

__global__ void look(int *out)
{
    const int x = threadIdx.x, y = threadIdx.y;

    out[x * 8 + y] = x;
}

__global__ void transpose(int *out, const int *in, int rows, int columns)
{
    __shared__ int tile[32][33];
    const int x = threadIdx.x;
    const int left = 32 * blockIdx.x, top = 32 * blockIdx.y;

    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + x < columns)
            tile[k][x] = in[(top + k) * columns + left + x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < columns && top + x < rows)
            out[(left + k) * rows + top + x] = tile[x][k];
}
