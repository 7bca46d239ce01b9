// Puzzle 4: fair slices. The statement: puzzles/04_fair_slices/puzzle.md
//
// look() below is complete: the slices of v2. One block of 128 threads runs it with n = 180. How
// many load requests does it make?
// prediction: ?

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

// Thread t of the grid is to work on elements begin[t] to end[t] - 1. Here each thread only says
// which they are. These are the slices of v2: the last threads get little or nothing. Make them
// fair.
__global__ void slices(int *begin, int *end, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int size = (n + threads - 1) / threads;

    begin[t] = min(t * size, n); // your code: other slices
    end[t] = min(t * size + size, n);
}
