// verdict: result
// Neighbours in another block count as outside.
// prediction: 14
__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[t] + in[t + 1] + in[t + 2];
}

__global__ void spread(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (threadIdx.x > 0 ? in[i - 1] : 0) + in[i] +
                 (threadIdx.x < blockDim.x - 1 && i < n - 1 ? in[i + 1] : 0);
}
