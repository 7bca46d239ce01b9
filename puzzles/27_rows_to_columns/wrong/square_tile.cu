// verdict: goal
// Right, and the 32 elements of a column share one bank.
// prediction: 16
__global__ void look(int *out)
{
    const int x = threadIdx.x, y = threadIdx.y;

    out[x * 8 + y] = x;
}

__global__ void transpose(int *out, const int *in, int rows, int columns)
{
    __shared__ int tile[32][32];
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
