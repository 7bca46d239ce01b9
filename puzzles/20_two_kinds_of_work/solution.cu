// Puzzle 20: two kinds of work.
//
// A warp stays in the loop as long as one of its lanes does. The last lane of warp 0 has t / 8 = 3
// and takes 4 turns, the last lane of warp 1 has 7 and takes 8.
// prediction: 12

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

__global__ void both(unsigned *out, const unsigned *in, int n)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int i = blockIdx.x * 64 + 2 * lane + warp;

    if (i < n) {
        if (warp == 0)
            out[i] = stir(in[i]);
        else
            out[i] = shake(in[i]);
    }
}
