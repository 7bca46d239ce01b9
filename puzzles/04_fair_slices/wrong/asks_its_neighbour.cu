// verdict: race
// The end of a slice is the begin of the next: but the next thread may not have written it yet.
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

    begin[t] = t * (n / threads) + min(t, n % threads);
    __syncthreads();
    if (t == threads - 1)
        end[t] = n;
    else
        end[t] = begin[t + 1];
}
