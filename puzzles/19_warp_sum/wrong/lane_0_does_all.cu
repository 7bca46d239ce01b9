// verdict: goal
// Right, and 31 lanes look on.
// prediction: 2
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    if (t / 32 % 2 == 0)
        out[t] = 1;
    else
        out[t] = 2;
    if (t % 64 < 40)
        out[t] = 3;
    else
        out[t] = 4;
}

__global__ void warp_sums(int *sums, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && threadIdx.x % 32 == 0) {
        int sum = 0;
        for (int k = 0; k < 32; k++)
            sum += in[i + k];
        sums[i / 32] = sum;
    }
}
