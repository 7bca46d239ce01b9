// verdict: goal
// Right, with a load for each number below.
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
    int total = 0;

    if (i < n) {
        for (int k = i / 32 * 32; k <= i; k++)
            total += in[k];
        out[i] = total;
    }
}
