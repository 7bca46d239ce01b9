// verdict: sync
// The mask names 32 lanes, and only the lower half comes.
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
    const int lane = threadIdx.x % 32;
    int sum = i < n ? in[i] : 0;

    for (int away = 16; away > 0; away /= 2)
        if (lane < away)
            sum += __shfl_down_sync(0xffffffff, sum, away);
    if (i < n && lane == 0)
        sums[i / 32] = sum;
}
