// verdict: memory
// A row of the output is as long as a column of the input, not as a row.
// prediction: 16
__global__ void look(int *out)
{
    const int x = threadIdx.x, y = threadIdx.y;

    out[x * 8 + y] = x;
}

__global__ void transpose(int *out, const int *in, int rows, int columns)
{
    const int column = 32 * blockIdx.x + threadIdx.x;

    for (int k = threadIdx.y; k < 32; k += 8) {
        const int row = 32 * blockIdx.y + k;
        if (row < rows && column < columns)
            out[column * columns + row] = in[row * columns + column];
    }
}
