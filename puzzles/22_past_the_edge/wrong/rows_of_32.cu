// verdict: result
// Without a width the two rows of a warp are neighbours.
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
    const int left = __shfl_up_sync(0xffffffff, x, 1);
    int right = __shfl_down_sync(0xffffffff, x, 1);

    if (i == n - 1)
        right = x;
    if (i < n)
        out[i] = left + x + right;
}
