// Puzzle 20: two kinds of work. The statement: puzzles/20_two_kinds_of_work/puzzle.md
//
// look() below is complete, and runs with one block of 64 threads. How many store requests does it
// make? One instruction of one warp is one request.
// prediction: ?

__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;

#pragma unroll 1
    for (int k = 0; k <= t / 8; k++)
        out[t] = k;
}

__device__ unsigned stir(unsigned x)
{
    for (int k = 0; k < 12; k++)
        x = (x ^ x >> 7) * 2654435761u;
    return x;
}

__device__ unsigned shake(unsigned x)
{
    for (int k = 0; k < 8; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

// out[i] = stir(in[i]) for even i and shake(in[i]) for odd i. Blocks of 64 threads take 64 elements
// each. Right already. But every warp has to go both ways, one after the other.
__global__ void both(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x; // your code: which thread takes which element?

    if (i < n) {
        if (i % 2 == 0)
            out[i] = stir(in[i]);
        else
            out[i] = shake(in[i]);
    }
}
