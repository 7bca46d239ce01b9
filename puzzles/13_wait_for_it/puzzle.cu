// Puzzle 13: wait for it. The statement: puzzles/13_wait_for_it/puzzle.md
//
// look() below is complete, and runs with one block of 32 threads. How many wavefronts does its
// load from shared memory take?
// prediction: ?

__global__ void look(int *out)
{
    __shared__ int tile[64];

    tile[threadIdx.x] = tile[threadIdx.x + 32] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[2 * threadIdx.x];
}

// out[i] = in[i] - in[i - 1] for each i from 0 to n - 1, with 0 for in[-1]. Blocks of 256 threads,
// one thread for each element. It often gives the right answer. Find out why it need not.
__global__ void difference(int *out, const int *in, int n)
{
    __shared__ int tile[257]; // tile[0] is what stands before the block's first element
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? in[i - 1] : 0;
    if (i < n)
        out[i] = tile[threadIdx.x + 1] - tile[threadIdx.x];
}
