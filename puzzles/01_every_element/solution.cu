// Puzzle 1: every element once.
//
// 1000 elements take 4 blocks of 256 threads, 32 warps. The last of them has 8 lanes inside the
// array, and asks like the others: 32 requests.
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

    if (i < n)
        out[i] = 3 * in[i] + 1;
}
