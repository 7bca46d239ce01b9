// verdict: memory
// Rows are pitch bytes apart, not pitch ints.
// prediction: 6
// pitch is in bytes.
__global__ void look(int *out, const int *in, int pitch)
{
    const int row = threadIdx.x / 8, column = threadIdx.x % 8;

    out[threadIdx.x] = in[row * pitch / 4 + column];
}

__global__ void brighten(int *picture, size_t pitch, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && column < columns)
        picture[row * pitch + column] += 100;
}
