// verdict: goal
// Right, and hardly a barrier: but 256 threads queue for one word.
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
    __shared__ int sum;
    const int t = threadIdx.x;
    const int i = blockIdx.x * THREADS + t;

    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, i < n ? in[i] : 0);
    __syncthreads();
    if (t == 0)
        sums[blockIdx.x] = sum;
}
