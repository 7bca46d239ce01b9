// Puzzle 12: three in a row. The statement: puzzles/12_three_in_a_row/puzzle.md
//
// look() below is complete, and one warp runs it. How many 32-byte sectors does its store touch?
// prediction: ?

__global__ void look(float *out)
{
    const int t = threadIdx.x;

    out[t % 3 * 32 + t / 3] = t;
}

// points holds n points, x0 y0 z0 x1 y1 z1 ... Split them into three arrays: x, y and z. Blocks of
// 96 threads, one thread for each point. Right already: but look at what each load fetches.
__global__ void split(float *x, float *y, float *z, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) { // your code: neighbours read neighbours
        x[i] = points[3 * i];
        y[i] = points[3 * i + 1];
        z[i] = points[3 * i + 2];
    }
}
