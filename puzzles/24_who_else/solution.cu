// Puzzle 24: who else?
//
// t / 12 is 0, 1 and 2 in warp 0, and 2, 3, 4 and 5 in warp 1. The lowest lane of each of these 7
// groups stores, each to a sector of its own.
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
    const int mine = i < n ? in[i] : -1; // no number is negative
    const unsigned same = __match_any_sync(0xffffffff, mine);

    if (i < n)
        out[i] = __popc(same);
}
