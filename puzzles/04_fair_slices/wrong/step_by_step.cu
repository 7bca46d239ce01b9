// verdict: goal
// Right, but thread 95 counts through 95 slices to find its own.
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
    int first = 0;

#pragma unroll 1
    for (int k = 0; k < t; k++)
        first += size + (k < n % threads);
    begin[t] = first;
    end[t] = first + size + (t < n % threads);
}
