// verdict: goal
// The blocks walk into each other's elements, and do them again.
// prediction: 5
__global__ void look(int *out, const int *in, int n)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
}

__global__ void absolute(int *out, const int *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        out[i] = abs(in[i]);
}
