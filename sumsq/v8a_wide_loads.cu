/* v8a: fill the card with loads. A new beginning.
 *
 * Before: in v7b each thread had one 4-byte load in flight, and 32 blocks leave a large card idle.
 * Now:    as many blocks as the card holds at once, see choose_blocks(), and in every thread
 *         `LOADS` loads of 16 bytes in flight. The sums have 64 bits, so that they hold for any n.
 * See:    docs/sumsq.md#v8a
 */
#include <stdlib.h>

#include "sumsq.h"

enum { THREADS = 512, LOADS = 4, TILE = THREADS * LOADS };

typedef unsigned long long sum_t;

__device__ static int squares(int4 v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

__global__ void sum_of_squares(const int *num, int n, sum_t *partial)
{
    __shared__ sum_t shared[THREADS];
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

    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] += shared[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = shared[0];
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
