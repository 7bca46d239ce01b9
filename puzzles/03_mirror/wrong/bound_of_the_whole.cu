// verdict: memory
// Inside the array is not inside the row: past the right edge, column 40 of row 0 writes before the
// picture.
// prediction: 5
__global__ void look(int *out, int columns)
{
    out[threadIdx.y * columns + threadIdx.x] = threadIdx.x;
}

__global__ void mirror(int *out, const int *in, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row * columns + column < rows * columns)
        out[row * columns + columns - 1 - column] = in[row * columns + column];
}
