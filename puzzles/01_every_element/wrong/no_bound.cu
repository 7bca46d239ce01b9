// verdict: memory
// The threads to spare write past the end.
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

    out[i] = 3 * in[i] + 1;
}
