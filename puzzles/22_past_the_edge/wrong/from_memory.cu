// verdict: goal
// Right, and each number is fetched three times.
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

    if (i < n) {
        const int left = in[i % 16 > 0 ? i - 1 : i];
        const int right = in[i % 16 < 15 && i + 1 < n ? i + 1 : i];
        out[i] = left + in[i] + right;
    }
}
