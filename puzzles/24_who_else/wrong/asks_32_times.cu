// verdict: goal
// As given: right, and a shuffle for each lane.
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
    int equals = 0;

    for (int lane = 0; lane < 32; lane++)
        equals += __shfl_sync(0xffffffff, mine, lane) == mine;
    if (i < n)
        out[i] = equals;
}
