// Puzzle 34: the best few. The statement: puzzles/34_best_few/puzzle.md
//
// look() below is complete, and runs with one block of 32 threads. How many store requests does it
// make? One instruction of one warp is one request.
// prediction: ?

__global__ void look(volatile int *out)
{
    const int first = threadIdx.x < 16 ? 0 : 5;
    int best = -1;

    for (int i = 0; i < 8; i++) {
        const int x = (first + 3 * i) % 8;
        if (x > best) {
            best = x;
            out[threadIdx.x] = x;
        }
    }
}

// The 4 largest of every 1024 elements, the largest first: block b puts those of in[1024 * b] and
// the 1023 after it at out[4 * b]. Equal elements count one by one. The last block may have fewer
// elements; where it has fewer than 4, INT_MIN takes the places left. Blocks of 128 threads.
__global__ void best(int *out, const int *in, int n)
{
    const int begin = blockIdx.x * 1024;
    const int end = min(n, begin + 1024);
    int kept[4] = {INT_MIN, INT_MIN, INT_MIN, INT_MIN}; // of this thread, the largest first

    for (int i = begin + threadIdx.x; i < end; i += 128) {
        const int x = in[i];
        if (x > kept[0])
            kept[0] = x; // your code: the one that was here is still among the best
    }
    // Your code: the threads' best make the block's best.
    if (threadIdx.x == 0)
        for (int k = 0; k < 4; k++)
            out[4 * blockIdx.x + k] = kept[k];
}
