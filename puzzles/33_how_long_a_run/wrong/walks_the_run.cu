// verdict: goal
// Right: each head walks along its run, and the warp waits for the longest.
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
    const int end = min(n, (i / 32 + 1) * 32);
    int k = i;

    if (i >= n)
        return;
    if (i % 32 == 0 || in[i] != in[i - 1])
        while (k < end && in[k] == in[i])
            k++;
    length[i] = k - i;
}
