// verdict: goal
// Four neighbours for each thread, but one after the other: as many requests, and worse ones.
// prediction: 9
__global__ void look(int2 *out, const int2 *in)
{
    out[threadIdx.x] = in[threadIdx.x + 1];
}

__global__ void add_to(int *y, const int *x, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = 4 * thread; i < min(4 * thread + 4, n); i++)
        y[i] += x[i];
}
