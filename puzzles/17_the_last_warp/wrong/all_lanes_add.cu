// verdict: race
// One __syncwarp() in a round is enough only if no lane writes what another reads. Here lane 16
// writes what lane 0 reads.
// prediction: 13
__global__ void look(int *out)
{
    __shared__ int tile[64];

    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
#pragma unroll 1
    for (int offset = 32; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            tile[threadIdx.x] += tile[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = tile[0];
}

enum { THREADS = 256 };

__global__ void block_sums(int *sums, const int *in, int n)
{
    __shared__ int tile[THREADS];
    const int t = threadIdx.x;
    const int i = blockIdx.x * THREADS + t;

    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = THREADS / 2; offset > 32; offset /= 2) {
        if (t < offset)
            tile[t] += tile[t + offset];
        __syncthreads();
    }
    if (t < 32)
        for (int offset = 32; offset > 0; offset /= 2) {
            tile[t] += tile[t + offset];
            __syncwarp();
        }
    if (t == 0)
        sums[blockIdx.x] = tile[0];
}
