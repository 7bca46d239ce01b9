// verdict: result
// Elements after the last whole round are left out.
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

    for (int k = 0; k < n / threads; k++)
        out[first + k * threads] = abs(in[first + k * threads]);
}
