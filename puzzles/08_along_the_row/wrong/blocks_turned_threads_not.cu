// verdict: goal
// A warp is a matter of threads: the blocks may lie as they like.
// prediction: 20
__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[5 * t];
}

__global__ void fade(int *out, const int *in, int n)
{
    const int row = blockIdx.y * blockDim.x + threadIdx.x;
    const int column = blockIdx.x * blockDim.y + threadIdx.y;

    if (row < n && column < n)
        out[row * n + column] = in[row * n + column] - row;
}
