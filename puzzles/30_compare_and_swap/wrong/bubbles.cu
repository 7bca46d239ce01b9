// verdict: goal
// Right, and takes 64 steps where the network takes 21.
// prediction: 28
__global__ void look(int *out)
{
    for (int size = 2; size <= 128; size *= 2)
        for (int away = size / 2; away > 0; away /= 2)
            __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void sort_64(int *out, const int *in, int n)
{
    __shared__ int tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const int t = threadIdx.x;

    tile[t] = i < n ? in[i] : 0x7fffffff;
    __syncthreads();
    for (int step = 0; step < 64; step++) {
        if (t % 2 == step % 2 && t < 63 && tile[t] > tile[t + 1]) {
            const int larger = tile[t];
            tile[t] = tile[t + 1];
            tile[t + 1] = larger;
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = tile[t];
}
