// Puzzle 23: up to here.
//
// Rounds 1, 2 and 4 store to some of the first 8 words still: 4 sectors. In round 8 the first
// sector is left alone, in round 16 two are: 4 + 4 + 4 + 3 + 2, for each of two warps.
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
        const int below = __shfl_up_sync(0xffffffff, total, away);
        if (lane >= away)
            total += below;
    }
    if (i < n)
        out[i] = total;
}
