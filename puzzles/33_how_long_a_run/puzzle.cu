// Puzzle 33: how long a run. The statement: puzzles/33_how_long_a_run/puzzle.md
//
// look() below is complete, and runs with one block of 128 threads. How many store requests does it
// make? One instruction of one warp is one request.
// prediction: ?

__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;
    const unsigned heads = __ballot_sync(0xffffffff, t % 40 == 0);

    if (heads >> t % 32 > 1)
        out[t] = 1;
}

// Groups of 32 numbers, one for each warp; the last may be shorter. A run is a stretch of equal
// neighbours within a group. length[i] = how long the run is that begins at in[i]; 0 where none
// begins. Blocks of 128 threads, one thread per element.
__global__ void runs(int *length, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int x = i < n ? in[i] : 0;
    const int left = __shfl_up_sync(0xffffffff, x, 1);
    const bool head = lane == 0 || x != left;

    // Your code: where does the next run begin?
    if (i < n)
        length[i] = head ? 1 : 0;
}
