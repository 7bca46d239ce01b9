// verdict: result
// The mask has the lane's own bit as well, and so should the count.
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
    const int mine = i < n ? in[i] : -1;
    const unsigned same = __match_any_sync(0xffffffff, mine);

    if (i < n)
        out[i] = __popc(same) - 1;
}
