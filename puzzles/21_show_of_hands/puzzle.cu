// Puzzle 21: a show of hands. The statement: puzzles/21_show_of_hands/puzzle.md
//
// look() below is complete, and runs with one block of 128 threads. How many store requests does it
// make? One instruction of one warp is one request.
// prediction: ?

__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    if (__any_sync(0xffffffff, t > 40))
        out[t] = 1;
    if (__all_sync(0xffffffff, t > 40))
        out[t] = 2;
    if (t > 40)
        out[t] = 3;
}

// place[i] = how many elements in front of in[i], among the 32 of its warp, are positive; -1 where
// in[i] is not positive itself. One thread per element, blocks of 128 threads.
__global__ void places(int *place, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int before = -1;

    // Your code: let the lanes show their hands.
    if (i < n)
        place[i] = before;
}
