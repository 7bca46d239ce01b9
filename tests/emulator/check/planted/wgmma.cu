/* Planted: products by four warps (compute capability 9.0a), without what they need. Both factors
 * are all ones, so that any order of their elements will do. Prints a sum; right is 16. */
#include "planted.h"

#include <cuda_bf16.h>

enum { THREADS = 128, A_SIZE = 64 * 16, B_SIZE = 16 * 8 };

struct tiles {
    __nv_bfloat16 a[A_SIZE], b[B_SIZE];
};

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT() asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async;" ::: "memory")
#define MULTIPLY(d, a, b)                                                                     \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, " \
                 "%5, 1, 1, 1, 0, 0;"                                                         \
                 : "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])                     \
                 : "l"(a), "l"(b)                                                             \
                 : "memory")

/* Eight rows of 16 bytes each lie together; 128 bytes on is the other half of the rows, 256 the
 * next eight. */
__device__ static unsigned long long describe(const void *matrix)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(matrix);

    return at >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

__device__ static void fill(struct tiles &tiles, int from = 0)
{
    for (int i = from + threadIdx.x; i < A_SIZE; i += THREADS)
        tiles.a[i] = __float2bfloat16_rn(1);
    tiles.b[threadIdx.x] = __float2bfloat16_rn(1);
}

/* All that a product needs before it. */
__device__ static void prepare(struct tiles &tiles, int from = 0)
{
    fill(tiles, from);
    PROXY_FENCE();
    __syncthreads();
    FENCE();
}

/* Nothing says that the sums' first values are there. */
template <bool REPAIRED> __global__ void missing_fence(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    fill(tiles);
    PROXY_FENCE();
    __syncthreads();
    if (REPAIRED)
        FENCE();
    MULTIPLY(d, describe(tiles.a), describe(tiles.b)); // PLANTED: missing_fence
    COMMIT();
    WAIT();
    out[threadIdx.x] = d[0];
}

/* A wait is for groups. */
template <bool REPAIRED> __global__ void missing_commit(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    prepare(tiles);
    MULTIPLY(d, describe(tiles.a), describe(tiles.b));
    if (REPAIRED)
        COMMIT();
    WAIT(); // PLANTED: missing_commit
    COMMIT();
    WAIT();
    out[threadIdx.x] = d[0];
}

/* The sums are stored before they are there. */
template <bool REPAIRED> __global__ void product_not_awaited(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    prepare(tiles);
    MULTIPLY(d, describe(tiles.a), describe(tiles.b));
    COMMIT();
    if (REPAIRED)
        WAIT();
    out[threadIdx.x] = d[0]; // PLANTED: product_not_awaited
    WAIT();
}

/* The threads' stores may still be on their way when tensor cores read. */
template <bool REPAIRED> __global__ void stores_not_fenced(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    fill(tiles);
    if (REPAIRED)
        PROXY_FENCE();
    __syncthreads();
    FENCE();
    MULTIPLY(d, describe(tiles.a), describe(tiles.b)); // PLANTED: stores_not_fenced
    COMMIT();
    WAIT();
    out[threadIdx.x] = d[0];
}

/* The next tile comes while the product still reads. */
template <bool REPAIRED> __global__ void tile_refilled(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    prepare(tiles);
    MULTIPLY(d, describe(tiles.a), describe(tiles.b));
    COMMIT();
    if (REPAIRED)
        WAIT();
    __syncthreads();
    tiles.a[threadIdx.x] = __float2bfloat16_rn(2); // PLANTED: tile_refilled
    WAIT();
    out[threadIdx.x] = d[0];
}

/* Part of a factor was never written. */
template <bool REPAIRED> __global__ void unwritten_factor(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    prepare(tiles, REPAIRED ? 0 : 8);
    MULTIPLY(d, describe(tiles.a), describe(tiles.b)); // PLANTED: unwritten_factor
    COMMIT();
    WAIT();
    out[threadIdx.x] = d[0];
}

/* A descriptor of the wrong tile: the second one ends behind the block's shared memory. */
template <bool REPAIRED> __global__ void wrong_tile(float *out)
{
    __shared__ __align__(128) struct tiles tiles;
    float d[4] = {};

    prepare(tiles);
    MULTIPLY(d, describe(REPAIRED ? tiles.a : tiles.b), // PLANTED: wrong_tile
             describe(tiles.b));
    COMMIT();
    WAIT();
    out[threadIdx.x] = d[0];
}

static void run(void (*kernel)(float *))
{
    float *out = (float *)device_ints(THREADS, 0), host = 0;

    kernel<<<1, THREADS>>>(out);
    cudaMemcpy(&host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g\n", host);
    cudaFree(out);
}

static const struct planted cases[] = {
    CASE(missing_fence), CASE(missing_commit),   CASE(product_not_awaited), CASE(stores_not_fenced),
    CASE(tile_refilled), CASE(unwritten_factor), CASE(wrong_tile),
};

PLANTED_MAIN(cases)
