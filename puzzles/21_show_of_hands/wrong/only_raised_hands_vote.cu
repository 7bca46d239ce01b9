// verdict: sync
// The mask names 32 lanes; those that have nothing to show never come.
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
    const unsigned lanes_below = (1u << threadIdx.x % 32) - 1;
    int before = -1;

    if (i < n && in[i] > 0)
        before = __popc(__ballot_sync(0xffffffff, true) & lanes_below);
    if (i < n)
        place[i] = before;
}
