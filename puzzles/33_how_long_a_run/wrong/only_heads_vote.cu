// verdict: sync
// The mask names 32 lanes; those within a run do not come.
// prediction: 3
__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;
    const unsigned heads = __ballot_sync(0xffffffff, t % 40 == 0);

    if (heads >> t % 32 > 1)
        out[t] = 1;
}

__global__ void runs(int *length, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int x = i < n ? in[i] : -1;
    const int left = __shfl_up_sync(0xffffffff, x, 1);
    int count = 0;

    if (lane == 0 || x != left) {
        const unsigned heads = __ballot_sync(0xffffffff, true);
        const unsigned behind = heads & ~((2u << lane) - 1);
        count = (behind != 0 ? __ffs(behind) - 1 : 32) - lane;
    }
    if (i < n)
        length[i] = count;
}
