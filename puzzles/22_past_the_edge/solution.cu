// Puzzle 22: past the edge.
//
// With width 16 a warp has two halves. In each, the last 3 lanes have nobody 3 places above them
// and keep their own number; the other 13 store, each to a sector of its own: 2 * 13.
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
    int right = __shfl_down_sync(0xffffffff, x, 1, 16);

    if (i == n - 1)
        right = x;
    if (i < n)
        out[i] = left + x + right;
}
