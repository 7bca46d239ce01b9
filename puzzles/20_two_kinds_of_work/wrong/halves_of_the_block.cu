// verdict: result
// Stirs the first half of the block's elements: no warp diverges, and wrong elements are stirred.
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
    const int i = blockIdx.x * 64 + threadIdx.x;

    if (i < n) {
        if (threadIdx.x < 32)
            out[i] = stir(in[i]);
        else
            out[i] = shake(in[i]);
    }
}
