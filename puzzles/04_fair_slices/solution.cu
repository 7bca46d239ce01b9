// Puzzle 4: fair slices.
//
// Slices of 180 / 128 elements, rounded up: 2. After 90 threads nothing is left. Warps 0, 1 and 2
// load twice each, the last of them with 26 lanes; warp 3 never does.
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
    const int rest = n % threads; // so many slices are longer by one: the first

    begin[t] = t * size + min(t, rest);
    end[t] = (t + 1) * size + min(t + 1, rest);
}
