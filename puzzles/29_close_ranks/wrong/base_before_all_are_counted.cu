// verdict: race
// Thread 0 reserves places while others still take theirs.
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
    __shared__ int kept, base;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = i < n ? in[i] : 0;
    int place = 0;

    if (threadIdx.x == 0)
        kept = 0;
    __syncthreads();
    if (x > 0)
        place = atomicAdd(&kept, 1);
    if (threadIdx.x == 0)
        base = atomicAdd(count, kept);
    __syncthreads();
    if (x > 0)
        out[base + place] = x;
}
