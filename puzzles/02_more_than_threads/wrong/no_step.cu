// verdict: time
// The thread never leaves its first element.
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
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    while (i < n) {
        ((volatile int *)out)[i] = abs(in[i]);
        i + threads;
    }
}
