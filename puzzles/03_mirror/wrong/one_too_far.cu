// verdict: memory
// The last column is columns - 1.
// prediction: 5
__global__ void look(int *out, int columns)
{
    out[threadIdx.y * columns + threadIdx.x] = threadIdx.x;
}

__global__ void mirror(int *out, const int *in, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && column < columns)
        out[row * columns + columns - column] = in[row * columns + column];
}
