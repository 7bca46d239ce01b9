// verdict: goal
// Block 0 alone: no other block asks for an atomic, and it asks for one for each element.
// prediction: 4
__global__ void look(int *bins, const unsigned char *in)
{
    __shared__ int part[16];
    const int t = threadIdx.x;

    if (t < 16)
        part[t] = 0;
    __syncthreads();
    atomicAdd(&part[in[blockIdx.x * blockDim.x + t] % 16], 1);
    __syncthreads();
    if (t < 16)
        atomicAdd(&bins[t], part[t]);
}

__global__ void histogram(int *bins, const unsigned char *in, int n)
{
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            atomicAdd(&bins[in[i] / 16], 1);
}
