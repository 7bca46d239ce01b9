// verdict: init
// Hopes that the result is there already.
// prediction: 5
__global__ void look(int *out, const int *in, int n)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
}

__global__ void absolute(int *out, const int *in, int n)
{
    const int threads = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[i] = max(out[i], abs(in[i]));
}
