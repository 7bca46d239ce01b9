// verdict: goal
// Right: 31 questions, where one vote answers all.
// prediction: 8
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    if (__any_sync(0xffffffff, t > 40))
        out[t] = 1;
    if (__all_sync(0xffffffff, t > 40))
        out[t] = 2;
    if (t > 40)
        out[t] = 3;
}

__global__ void places(int *place, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int positive = i < n && in[i] > 0;
    int before = 0;

    for (int lane = 0; lane < 31; lane++) {
        const int hand = __shfl_sync(0xffffffff, positive, lane);
        if (lane < threadIdx.x % 32)
            before += hand;
    }
    if (i < n)
        place[i] = positive ? before : -1;
}
