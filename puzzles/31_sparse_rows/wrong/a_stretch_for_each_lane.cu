// verdict: goal
// Right, and every lane works; but each walks through a stretch of its own.
// prediction: 107
__global__ void look(int *out, const volatile int *in)
{
    const int t = threadIdx.x;
    const int length = t == 40 ? 100 : t % 8;
    int sum = 0;

#pragma unroll 1
    for (int k = 0; k < length; k++)
        sum += in[k];
    out[t] = sum;
}

__global__ void multiply(int *y, const int *begin, const int *column, const int *value,
                         const int *x, int n)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    int sum = 0;

    if (row >= n)
        return;
    const int end = begin[row + 1];
    const int share = (end - begin[row] + 31) / 32;
    const int first = begin[row] + lane * share;
    for (int k = first; k < min(end, first + share); k++)
        sum += value[k] * x[column[k]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}
