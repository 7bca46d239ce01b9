// verdict: result
// __ffs counts from 1, lanes count from 0.
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
    const bool head = lane == 0 || x != left;
    const unsigned heads = __ballot_sync(0xffffffff, head);
    const unsigned behind = heads & ~((2u << lane) - 1);
    const int end = behind != 0 ? __ffs(behind) : 32;

    if (i < n)
        length[i] = head ? end - lane : 0;
}
