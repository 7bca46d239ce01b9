// Puzzle 24: who else? The statement: puzzles/24_who_else/puzzle.md
//
// look() below is complete, and runs with one block of 64 threads. How many sectors of 32 bytes
// does it write? out starts at the start of one.
// prediction: ?

__global__ void look(int *out)
{
    const int t = threadIdx.x;
    const unsigned same = __match_any_sync(0xffffffff, t / 12);

    if (__ffs(same) - 1 == t % 32)
        out[8 * t] = t;
}

// out[i] = how many numbers of i's group of 32 are equal to in[i], itself among them. There is a
// thread for each number, and some to spare; a warp has one group.
__global__ void count_equals(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int mine = i < n ? in[i] : -1; // no number is negative
    int equals = 0;

    // Right, but a lane asks 32 others, one by one. Your code: let it ask once.
    for (int lane = 0; lane < 32; lane++)
        equals += __shfl_sync(0xffffffff, mine, lane) == mine;
    if (i < n)
        out[i] = equals;
}
