// verdict: result
// A lane with nobody to ask gets its own number back, and adds it.
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
    int total = i < n ? in[i] : 0;

    for (int away = 1; away < 32; away *= 2)
        total += __shfl_up_sync(0xffffffff, total, away);
    if (i < n)
        out[i] = total;
}
