// verdict: init
// Takes a number from a counter, which nobody has set to 0; and first come is not first in order.
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
    __shared__ int next[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        place[i] = in[i] > 0 ? atomicAdd(&next[threadIdx.x / 32], 1) : -1;
}
