// verdict: init
// Reads what nobody has written yet.
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
        out[row * n + column] -= row - in[row * n + column];
}
