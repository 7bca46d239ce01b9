// verdict: result
// The sum from here to the end of the group, not up to here.
// prediction: 34
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    for (int away = 1; away < 32; away *= 2)
        if (t % 32 >= away)
            out[t] = away;
}

__global__ void warp_totals(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    int total = i < n ? in[i] : 0;

    for (int away = 1; away < 32; away *= 2) {
        const int below = __shfl_down_sync(0xffffffff, total, away);
        if (lane + away < 32)
            total += below;
    }
    if (i < n)
        out[i] = total;
}
