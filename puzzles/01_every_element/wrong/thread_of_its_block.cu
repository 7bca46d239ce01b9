// verdict: result
// Every block takes the first 256 elements.
// prediction: 32
__global__ void look(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = i;
}

__global__ void affine(int *out, const int *in, int n)
{
    const int i = threadIdx.x;

    if (i < n)
        out[i] = 3 * in[i] + 1;
}
