// verdict: race
// 32 lanes read, add and store without waiting for each other.
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
    if (lane == 0)
        y[row] = 0;
    __syncwarp();
    for (int k = begin[row] + lane; k < begin[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    y[row] += sum;
}
