// Puzzle 8: along the row.
//
// 32 lanes, 20 bytes apart, reach over 624 bytes. No sector in between is left out, as 20 is less
// than 32: 20 sectors.
// prediction: 20

__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[5 * t];
}

__global__ void fade(int *out, const int *in, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < n && column < n)
        out[row * n + column] = in[row * n + column] - row;
}
