// verdict: time
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

    for (unsigned k = n - 1; k >= 0; k--) // an unsigned number is never below 0
        if (k == i)
            out[k] = 3 * in[k] + 1;
}
