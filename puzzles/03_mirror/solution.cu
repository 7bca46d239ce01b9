// Puzzle 3: left is right.
//
// Threads count along x first, so lanes 0 to 15 are row 0 and lanes 16 to 31 are row 1. Row 0
// stores 64 bytes from the start of a sector: 2 sectors. Row 1 begins 400 bytes later, in the
// middle of a sector: its 64 bytes touch 3.
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
        out[row * columns + columns - 1 - column] = in[row * columns + column];
}
