// verdict: goal
// Right, but 31 of 32 lanes are idle.
// prediction: 5
__global__ void look(int *out, int columns)
{
    out[threadIdx.y * columns + threadIdx.x] = threadIdx.x;
}

__global__ void mirror(int *out, const int *in, int rows, int columns)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && blockIdx.x == 0 && threadIdx.x == 0)
        for (int column = 0; column < columns; column++)
            out[row * columns + columns - 1 - column] = in[row * columns + column];
}
