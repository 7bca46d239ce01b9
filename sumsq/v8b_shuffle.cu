/* v8b: shuffles.
 *
 * Before: in v8a every round of the tree went through shared memory, with a barrier behind it.
 * Now:    lanes read each other's registers, in warp_sum(), with __shfl_down_sync. Only one sum per
 *         warp still goes through shared memory, and one barrier is left.
 * See:    docs/sumsq.md#v8b
 */
#include <stdlib.h>

#include "sumsq.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 4, TILE = THREADS * LOADS };

typedef unsigned long long sum_t;

__device__ static int squares(int4 v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

/* Lane 0 returns the sum over its warp. */
__device__ static sum_t warp_sum(sum_t sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

__global__ void sum_of_squares(const int *num, int n, sum_t *partial)
{
    __shared__ sum_t shared[WARPS];
    const int4 *quads = (const int4 *)num;
    const int count = n / 4;
    sum_t sum = 0;
    int i = blockIdx.x * TILE + threadIdx.x;

    for (; i + (LOADS - 1) * THREADS < count; i += gridDim.x * TILE) {
        int4 v[LOADS]; /* loaded first, used later: the four loads wait together */

        for (int k = 0; k < LOADS; k++)
            v[k] = quads[i + k * THREADS];
        for (int k = 0; k < LOADS; k++)
            sum += squares(v[k]);
    }
    for (int k = 0; k < LOADS; k++)
        if (i + k * THREADS < count)
            sum += squares(quads[i + k * THREADS]);
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        sum += num[4 * count + threadIdx.x] * num[4 * count + threadIdx.x];

    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    sum = warp_sum(threadIdx.x < WARPS ? shared[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

/* As many blocks as the whole card holds at once, or as there are tiles. */
static unsigned choose_blocks(int n)
{
    int device, sms, resident;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sum_of_squares, THREADS, 0));
    return min(n / 4 / TILE + 1, sms * resident);
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    const int count = run->blocks = choose_blocks(n);
    sum_t *partial = (sum_t *)memory_host(count * sizeof(sum_t)), sum = 0;
    int *d_num = device_input(int, num, n);
    sum_t *d_partial = device_output(sum_t, run, count);

    TIMED(run)
        sum_of_squares<<<count, THREADS>>>(d_num, n, d_partial);

    device_fetch(sum_t, partial, d_partial, count);
    device_free(run, d_num);
    device_free(run, d_partial);
    for (int i = 0; i < count; i++)
        sum += partial[i];
    free(partial);
    return sum;
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu, {.threads = THREADS, .wide_sums = true});
}
