// verdict: result
// Only the load is turned, and the picture with it.
// prediction: 20
__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[5 * t];
}

__global__ void fade(int *out, const int *in, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < n && column < n)
        out[row * n + column] = in[column * n + row] - row;
}
