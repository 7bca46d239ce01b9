// verdict: race
// volatile makes every access take place. It does not order the accesses of different warps.
// prediction: 30
__global__ void look(int *out)
{
    __shared__ int tile[70];
    int mine = threadIdx.x;

#pragma unroll 1
    for (int k = 0; k < 5; k++) {
        tile[threadIdx.x] = mine;
        __syncthreads();
        mine += tile[69 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = mine;
}

enum { CELLS = 128 };

__global__ void heat(int *out, const int *in, int rounds)
{
    __shared__ volatile int tile[CELLS + 2]; // the first and the last are the cold ends
    const int i = blockIdx.x * CELLS + threadIdx.x;
    const int t = threadIdx.x + 1;

    tile[t] = in[i];
    if (threadIdx.x == 0)
        tile[0] = 0, tile[CELLS + 1] = 0;
    for (int k = 0; k < rounds; k++) {
        __syncthreads();
        tile[t] = (tile[t - 1] + 2 * tile[t] + tile[t + 1]) / 4;
    }
    out[i] = tile[t];
}
