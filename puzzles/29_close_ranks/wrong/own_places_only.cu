// verdict: goal
// One addition per warp: better, and four times too many.
// prediction: 3
__global__ void look(int *count)
{
    const int t = threadIdx.x;
    const unsigned kept = __ballot_sync(0xffffffff, t % 48 < 16);

    if (t % 32 == __ffs(kept) - 1)
        atomicAdd(count, __popc(kept));
}

__global__ void keep_positive(int *out, int *count, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int x = i < n ? in[i] : 0;
    const unsigned kept = __ballot_sync(0xffffffff, x > 0);
    int base = 0;

    if (lane == 0)
        base = atomicAdd(count, __popc(kept));
    base = __shfl_sync(0xffffffff, base, 0);
    if (x > 0)
        out[base + __popc(kept & ((1u << lane) - 1))] = x;
}
