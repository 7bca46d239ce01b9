// verdict: result
// Lanes without a number hold 0, and the last run goes on through them.
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
    const int x = i < n ? in[i] : 0;
    const int left = __shfl_up_sync(0xffffffff, x, 1);
    const bool head = lane == 0 || x != left;
    const unsigned heads = __ballot_sync(0xffffffff, head);
    const unsigned behind = heads & ~((2u << lane) - 1);
    const int end = behind != 0 ? __ffs(behind) - 1 : 32;

    if (i < n)
        length[i] = head ? end - lane : 0;
}
