/* What r8b teaches, for r9a and r9b: a block's tile by 16-byte loads, and its sum by shuffles. */
#ifndef TILE_CUH
#define TILE_CUH

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 8, TILE = THREADS * LOADS };

/* Lane 0 returns the sum over its warp. */
template <typename T> __device__ T warp_sum(T sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

/* Thread 0 returns the sum over its block. All threads of the block call it. */
template <typename T> __device__ T block_sum(T sum)
{
    __shared__ T shared[WARPS];

    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < WARPS ? shared[threadIdx.x] : 0) : 0;
}

/* A thread's share of the sum over its block's tile of `a`, n floats. */
__device__ static float tile_sum(const float *a, int n)
{
    const float4 *quads = (const float4 *)a;
    float4 v[LOADS]; /* loaded first, used later: all loads wait together */
    float sum = 0;

    for (int k = 0; k < LOADS; k++) {
        const int quad = blockIdx.x * TILE + k * THREADS + threadIdx.x;

        v[k] = quad < n / 4 ? __ldcs(quads + quad) : float4(); /* streaming: read once */
    }
    for (int k = 0; k < LOADS; k++)
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < n % 4) /* what fills no quad */
        sum += a[n / 4 * 4 + threadIdx.x];
    return sum;
}

#endif
