// Puzzle 30: compare and swap.
//
// size takes 7 values from 2 to 128, and away 1, 2, ... 7 values for them: 1 + 2 + ... + 7.
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
    for (int size = 2; size <= 64; size *= 2)
        for (int away = size / 2; away > 0; away /= 2) {
            const int mine = tile[t], other = tile[t ^ away];
            const bool first = (t & away) == 0, rising = (t & size) == 0;
            __syncthreads();
            tile[t] = first == rising ? min(mine, other) : max(mine, other);
            __syncthreads();
        }
    if (i < n)
        out[i] = tile[t];
}
