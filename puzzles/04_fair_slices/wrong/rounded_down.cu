// verdict: result
// Rounding down loses the end of the array.
// prediction: 6
__global__ void look(int *sums, const int *in, int n)
{
    const int size = (n + blockDim.x - 1) / blockDim.x;
    const int begin = threadIdx.x * size;
    const int end = min(begin + size, n);
    int sum = 0;

#pragma unroll 1
    for (int i = begin; i < end; i++)
        sum += in[i];
    sums[threadIdx.x] = sum;
}

__global__ void slices(int *begin, int *end, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int size = n / threads;

    begin[t] = t * size;
    end[t] = t * size + size;
}
