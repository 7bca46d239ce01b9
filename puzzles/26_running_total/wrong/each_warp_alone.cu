// verdict: result
// The rounds of one warp: the sums start again every 32 elements.
// prediction: 25
__global__ void look(int *out)
{
    __shared__ volatile int tile[128];
    const int t = threadIdx.x;

    for (int away = 1; away < 128; away *= 2)
        if (t >= away)
            tile[t] = away;
    if (t > 0)
        out[t] = tile[t];
}

__global__ void running_total(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? in[i] : 0;

    for (int away = 1; away < 32; away *= 2) {
        const int before = __shfl_up_sync(0xffffffff, sum, away);
        if (threadIdx.x % 32 >= away)
            sum += before;
    }
    if (i < n)
        out[i] = sum;
}
