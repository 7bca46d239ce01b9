// Puzzle 26: a running total.
//
// In the rounds 1, 2, 4, 8 and 16 every one of the four warps has lanes that store. In round 32
// the first warp has none, in round 64 the first two: 5 * 4 + 3 + 2.
// prediction: 25

__global__ void look(int *out)
{
    __shared__ volatile int tile[128];
    const int t = threadIdx.x;

    for (int away = 1; away < 128; away *= 2)
        if (t >= away)
            tile[t] = away;
    if (t > 0)
        out[t] = tile[t];
}

__global__ void running_total(int *out, const int *in, int n)
{
    __shared__ int tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x;

    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int away = 1; away < 256; away *= 2) {
        const int before = t >= away ? tile[t - away] : 0;
        __syncthreads();
        tile[t] += before;
        __syncthreads();
    }
    if (i < n)
        out[i] = tile[t];
}
