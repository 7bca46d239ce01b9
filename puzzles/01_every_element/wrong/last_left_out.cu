// verdict: result
// prediction: 32
__global__ void look(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = i;
}

__global__ void affine(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n - 1)
        out[i] = 3 * in[i] + 1;
}
