// verdict: race
// Takes a place and counts on, in two steps: two threads may take the same.
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

    if (i < n && in[i] > 0) {
        const int place = *count;
        *count = place + 1;
        out[place] = in[i];
    }
}
