// verdict: result
// The last number adds the 0 of a thread past the end.
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
    const int left = __shfl_up_sync(0xffffffff, x, 1, 16);
    const int right = __shfl_down_sync(0xffffffff, x, 1, 16);

    if (i < n)
        out[i] = left + x + right;
}
