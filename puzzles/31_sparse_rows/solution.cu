// Puzzle 31: sparse rows.
//
// A warp goes on until its longest row is done. In warp 0 that is 7 elements, so 7 requests; in
// warp 1 thread 40 alone has 100. The other lanes wait, and a request for one lane counts as one.
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

    if (row >= n) // the same for the whole warp
        return;
    for (int k = begin[row] + lane; k < begin[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}
