// verdict: time
// Looks at the first number of the run again and again.
// prediction: 3
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;
    const unsigned heads = __ballot_sync(0xffffffff, t % 40 == 0);

    if (heads >> t % 32 > 1)
        out[t] = 1;
}

__global__ void runs(int *length, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int k = i;

    if (i >= n)
        return;
    while (k < n && in[k] == in[i])
        length[i] = k - i + 1;
}
