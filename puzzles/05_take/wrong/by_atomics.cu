// verdict: goal
// Right in every order; but three atomics for each element, where none is needed.
// prediction: 14
__global__ void look(int *out, const int *in)
{
    const int t = threadIdx.x;

    out[t] = in[t] + in[t + 1] + in[t + 2];
}

__global__ void spread(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        atomicAdd(&out[i], in[i]);
        if (i > 0)
            atomicAdd(&out[i - 1], in[i]);
        if (i < n - 1)
            atomicAdd(&out[i + 1], in[i]);
    }
}
