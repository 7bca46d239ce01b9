// verdict: goal
// Right, but the lanes of a warp are in different rows, a pitch apart.
// prediction: 6
// pitch is in bytes.
__global__ void look(int *out, const int *in, int pitch)
{
    const int row = threadIdx.x / 8, column = threadIdx.x % 8;

    out[threadIdx.x] = in[row * pitch / 4 + column];
}

__global__ void brighten(int *picture, size_t pitch, int rows, int columns)
{
    const int row = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.y * 32 + threadIdx.x;

    if (row < rows)
        for (int column = 0; column < columns; column++)
            ((int *)((char *)picture + row * pitch))[column] += 100;
}
