/* v8c: one launch, one number.
 *
 * Before: in v8b the CPU fetched one sum per block and added them up.
 * Now:    the blocks add into one 64-bit word that also counts them, by `ONE_BLOCK`: the last one
 *         knows that it is the last, and delivers the total.
 * See:    docs/sumsq.md#v8c
 */
#include "sumsq.h"

enum { THREADS = 512, WARPS = THREADS / 32, LOADS = 4, TILE = THREADS * LOADS };

typedef unsigned long long sum_t;
const sum_t ONE_BLOCK = 1ULL << 48; /* counts blocks, above their sum: 2^30 squares need 37 bits */

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
__global__ void sum_of_squares(const int *num, int n, sum_t *total, sum_t *result)
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
    if (threadIdx.x > 0)
        return;
    const sum_t before = atomicAdd(total, sum + ONE_BLOCK);
    if (before / ONE_BLOCK == gridDim.x - 1) {
        *result = (before + sum) % ONE_BLOCK;
        *total = 0;
    }
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
    const sum_t zero = 0;
    int *d_num = device_input(int, num, n);
    sum_t *d_total = device_input(sum_t, &zero, 1);
    sum_t *d_result = device_output(sum_t, run, 1), result;

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
