// verdict: goal
// Right, by way of 32 reads of shared memory.
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
    __shared__ int tile[128];
    int equals = 0;

    tile[threadIdx.x] = i < n ? in[i] : -1;
    __syncwarp();
    for (int lane = 0; lane < 32; lane++)
        equals += tile[threadIdx.x / 32 * 32 + lane] == tile[threadIdx.x];
    if (i < n)
        out[i] = equals;
}
