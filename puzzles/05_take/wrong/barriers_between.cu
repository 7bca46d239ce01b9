// verdict: race
// Right here, and in order inside a block. Where two blocks meet, nothing orders them.
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
        out[i] += in[i];
    __syncthreads();
    if (i > 0 && i < n)
        out[i - 1] += in[i];
    __syncthreads();
    if (i < n - 1)
        out[i + 1] += in[i];
}
