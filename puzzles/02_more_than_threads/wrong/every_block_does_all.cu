// verdict: goal
// Right, because all blocks store the same: but each element is loaded four times.
// prediction: 5
__global__ void look(int *out, const int *in, int n)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
}

__global__ void absolute(int *out, const int *in, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = abs(in[i]);
}
