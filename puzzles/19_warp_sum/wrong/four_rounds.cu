// verdict: result
// From 8 down: lanes 16 to 31 are never added.
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
    int sum = i < n ? in[i] : 0;

    for (int away = 8; away > 0; away /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, away);
    if (i < n && threadIdx.x % 32 == 0)
        sums[i / 32] = sum;
}
