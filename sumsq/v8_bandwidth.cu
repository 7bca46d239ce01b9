/* v8: fill the card, in one launch.
 *
 * Before: in v7 every thread had one 4-byte load under way, a handful of blocks had to do, and the
 *         CPU added up what they found.
 * Now:    as many blocks as the card holds at once; every thread has four 16-byte loads under way;
 *         sums are 64-bit; lanes add by shuffles; blocks add into one word that counts them too, so
 *         that the last one knows it is the last and one number comes back.
 * See:    docs/sumsq.md#v8
 */
#include "sumsq.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 4, TILE = THREADS * LOADS };

typedef unsigned long long sum_t;

/* A word that blocks add into: their sums in the low 48 bits (2^30 squares of up to 81 need 37),
 * how many they are above. */
#define ONE_BLOCK (1ULL << 48)

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

/* `total` is 0 before the launch, and again after it. */
__global__ void __launch_bounds__(THREADS)
    sum_of_squares(const int *num, int n, sum_t *total, sum_t *result)
{
    __shared__ sum_t shared[WARPS];
    const int4 *quads = (const int4 *)num;
    const int count = n / 4;
    sum_t sum = 0;
    int i = blockIdx.x * TILE + threadIdx.x;

    for (; i + (LOADS - 1) * THREADS < count; i += gridDim.x * TILE) {
        int4 v[LOADS]; /* loaded first, used later: four loads wait together */

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
    if (threadIdx.x == 0) {
        const sum_t before = atomicAdd(total, sum + ONE_BLOCK);

        if (before / ONE_BLOCK == gridDim.x - 1) {
            *result = (before + sum) % ONE_BLOCK;
            *total = 0;
        }
    }
}

/* As many blocks as are resident on the whole card at once, or as there are tiles. */
static unsigned choose_blocks(int n)
{
    const unsigned tiles = n / 4 / TILE + 1;
    int device, multiprocessors, resident;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sum_of_squares, THREADS, 0));
    return min(tiles, (unsigned)(multiprocessors * resident));
}

/* The whole device side, from host numbers to a host sum. */
static long long sumsq_gpu(const int *num, int n, struct run *run)
{
    const sum_t zero = 0;
    int *d_num = device_input(int, num, n);
    sum_t *d_total = device_input(sum_t, &zero, 1);
    sum_t *d_result = device_output(sum_t, run, 1);
    sum_t result;

    run->blocks = choose_blocks(n);
    TIMED(run)
        sum_of_squares<<<run->blocks, THREADS>>>(d_num, n, d_total, d_result);

    device_fetch(sum_t, &result, d_result, 1);
    device_free(run, d_num);
    device_free(run, d_total);
    device_free(run, d_result);
    return result;
}

int main(int argc, char **argv)
{
    return sumsq_main(argc, argv, STEP, sumsq_gpu, {.threads = THREADS, .wide_sums = true});
}
