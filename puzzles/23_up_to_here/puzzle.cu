// Puzzle 23: up to here. The statement: puzzles/23_up_to_here/puzzle.md
//
// look() below is complete, and runs with one block of 64 threads. out starts at the start of a
// 32-byte sector. How many sectors do its stores write, all of them together?
// prediction: ?

__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

    for (int away = 1; away < 32; away *= 2)
        if (t % 32 >= away)
            out[t] = away;
}

// out[i] = the sum of the numbers of i's group of 32, from the group's first up to in[i]. There is
// a thread for each number, and some to spare; a warp has one group.
__global__ void warp_totals(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = i < n ? in[i] : 0;

    // Your code: in each round a lane adds what a lane below it has, if there is such a lane.
    if (i < n)
        out[i] = total;
}
