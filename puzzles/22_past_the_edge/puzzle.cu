// Puzzle 22: past the edge. The statement: puzzles/22_past_the_edge/puzzle.md
//
// look() below is complete, and one warp runs it. How many sectors does its store write?
// prediction: ?

__global__ void look(int *out)
{
    const int lane = threadIdx.x;
    const int from = __shfl_down_sync(0xffffffff, lane, 3, 16);

    if (from != lane)
        out[8 * lane] = from;
}

// Rows of 16 numbers, n numbers in all; the last row may be shorter. out[i] = the sum of in[i] and
// its neighbours to the left and to the right in the same row. Where a row has no neighbour, in[i]
// itself stands in. Blocks of 128 threads, one thread per element.
__global__ void smooth(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = i < n ? in[i] : 0;
    int left = x, right = x;

    // Your code: ask the lanes next door.
    if (i < n)
        out[i] = left + x + right;
}
