// Puzzle 2: more elements than threads. The statement: puzzles/02_more_than_threads/puzzle.md
//
// look() below is complete. One block of 64 threads runs it with n = 130. How many load requests
// does it make?
// prediction: ?

__global__ void look(int *out, const int *in, int n)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
}

// out[i] = |in[i]| for each i from 0 to n - 1. The launch is always 4 blocks of 128 threads,
// whatever n is. As it stands, elements from 512 on are left out.
__global__ void absolute(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) // your code: and then?
        out[i] = abs(in[i]);
}
