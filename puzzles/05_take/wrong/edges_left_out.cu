// verdict: result
// The first and the last element have one neighbour, and a sum too.
// prediction: 14
__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[t] + in[t + 1] + in[t + 2];
}

__global__ void spread(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > 0 && i < n - 1)
        out[i] = in[i - 1] + in[i] + in[i + 1];
}
