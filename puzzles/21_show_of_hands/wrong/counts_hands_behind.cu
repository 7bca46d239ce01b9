// verdict: result
// The bits above its own are the lanes behind it.
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
    const bool positive = i < n && in[i] > 0;
    const unsigned hands = __ballot_sync(0xffffffff, positive);

    if (i < n)
        place[i] = positive ? __popc(hands & ~lanes_below) - 1 : -1;
}
