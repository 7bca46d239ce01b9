// verdict: memory
// The first round is inside the array; the last one is not.
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
    const int first = blockIdx.x * blockDim.x + threadIdx.x;

    if (first < n)
        for (int i = first; i < n + threads; i += threads)
            out[i] = abs(in[i]);
}
