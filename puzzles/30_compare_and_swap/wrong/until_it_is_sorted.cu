// verdict: time
// Waits for a swap that makes no difference: equal neighbours swap for ever.
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
    __shared__ int swaps;
    const int i = blockIdx.x * 64 + threadIdx.x;
    const int t = threadIdx.x;

    tile[t] = i < n ? in[i] : 0x7fffffff;
    do {
        __syncthreads();
        if (t == 0) {
            swaps = 0;
            for (int k = 0; k < 63; k++)
                if (tile[k] >= tile[k + 1]) {
                    const int larger = tile[k];
                    tile[k] = tile[k + 1];
                    tile[k + 1] = larger;
                    swaps++;
                }
        }
        __syncthreads();
    } while (swaps > 0);
    if (i < n)
        out[i] = tile[t];
}
