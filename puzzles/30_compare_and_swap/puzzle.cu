// Puzzle 30: compare and swap. The statement: puzzles/30_compare_and_swap/puzzle.md
//
// look() below is complete, and runs with one block of 128 threads. How many barriers does each of
// its warps reach?
// prediction: ?

__global__ void look(int *out)
{
    for (int size = 2; size <= 128; size *= 2)
        for (int away = size / 2; away > 0; away /= 2)
            __syncthreads();
    out[threadIdx.x] = 1;
}

// Each block of 64 threads sorts its own 64 elements, smallest first. One thread per element; the
// last block may have fewer elements.
__global__ void sort_64(int *out, const int *in, int n)
{
    __shared__ int tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const int t = threadIdx.x;

    tile[t] = i < n ? in[i] : 0x7fffffff; // what is missing goes to the end
    __syncthreads();
    for (int size = 2; size <= 64; size *= 2)
        for (int away = size / 2; away > 0; away /= 2) {
            // Your code: compare tile[t] with its partner's, away places off, and keep the smaller
            // or the larger. Runs of `size` elements become sorted, rising and falling in turn.
        }
    if (i < n)
        out[i] = tile[t];
}
