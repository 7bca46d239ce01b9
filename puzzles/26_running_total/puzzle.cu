// Puzzle 26: a running total. The statement: puzzles/26_running_total/puzzle.md
//
// look() below is complete, and runs with one block of 128 threads. How many store requests to
// shared memory does it make? One instruction of one warp is one request.
// prediction: ?

__global__ void look(int *out)
{
    __shared__ volatile int tile[128];
    const int t = threadIdx.x;

    for (int away = 1; away < 128; away *= 2)
        if (t >= away)
            tile[t] = away;
    if (t > 0)
        out[t] = tile[t];
}

// Each block of 256 threads takes 256 elements and gives each the sum of all up to it:
// out[i] = in[256 * b] + ... + in[i], where b is the block of element i. One thread per element.
__global__ void running_total(int *out, const int *in, int n)
{
    __shared__ int tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x;

    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    // Your code: eight rounds; in each, thread t adds what stands some places before it.
    if (i < n)
        out[i] = tile[t];
}
