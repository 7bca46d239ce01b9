// verdict: sync
// The mask names 32 lanes, and those past the end do not come.
// prediction: 7
__global__ void look(int *out)
{
    const int t = threadIdx.x;
    const unsigned same = __match_any_sync(0xffffffff, t / 12);

    if (__ffs(same) - 1 == t % 32)
        out[8 * t] = t;
}

__global__ void count_equals(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = __popc(__match_any_sync(0xffffffff, in[i]));
}
