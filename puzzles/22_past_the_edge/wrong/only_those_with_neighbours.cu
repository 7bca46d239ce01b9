// verdict: sync
// The mask names all lanes, and those at the edges do not come.
// prediction: 26
__global__ void look(int *out)
{
    const int lane = threadIdx.x;
    const int from = __shfl_down_sync(0xffffffff, lane, 3, 16);

    if (from != lane)
        out[8 * lane] = from;
}

__global__ void smooth(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = i < n ? in[i] : 0;
    int left = x, right = x;

    if (i % 16 > 0)
        left = __shfl_up_sync(0xffffffff, x, 1);
    if (i % 16 < 15 && i + 1 < n)
        right = __shfl_down_sync(0xffffffff, x, 1);
    if (i < n)
        out[i] = left + x + right;
}
