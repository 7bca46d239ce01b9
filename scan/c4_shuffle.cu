/* c4: one block, by shuffles.
 *
 * Before: the trees of c2 and c3 meet at a barrier in each round.
 * Now:    warp_scan() adds as c2 does, within a warp, by __shfl_up_sync: lanes hand each other
 *         registers and need no barrier. block_scan() does the same once more with the warps'
 *         sums.
 * See:    docs/scan.md#c4
 */
#include "scan.h"

enum { THREADS = 1024, WARPS = THREADS / 32 };

/* Each lane returns the sum of its own number and of all lanes below. */
template <typename T> __device__ T warp_scan(T sum)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        const T below = __shfl_up_sync(0xffffffff, sum, offset);

        if (threadIdx.x % 32 >= offset)
            sum += below;
    }
    return sum;
}

/* Each thread returns the sum over all threads before it; *total becomes that over all. */
template <typename T> __device__ T block_scan(T x, T *total)
{
    __shared__ T sums[WARPS]; /* of each warp, then of it and all warps before */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const T sum = warp_scan(x), before = __shfl_up_sync(0xffffffff, sum, 1);

    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0)
        sums[lane] = warp_scan(sums[lane]);
    __syncthreads();
    *total = sums[WARPS - 1];
    return (warp > 0 ? sums[warp - 1] : 0) + (lane > 0 ? before : 0);
}

template <typename T>
__global__ void __launch_bounds__(THREADS) scan(const T *a, int n, bool inclusive, T *out)
{
    T before = 0, total; /* the sum of all earlier tiles, and of this one */

    for (int first = 0; first < n; first += THREADS) {
        const int i = first + threadIdx.x;
        const T x = i < n ? a[i] : 0;
        const T sum = before + block_scan(x, &total);

        if (i < n)
            out[i] = inclusive ? sum + x : sum;
        before += total;
        __syncthreads();
    }
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    T *d_a = device_input(T, a, n);
    T *d_sums = device_output(T, run, n);

    run->blocks = 1;
    run->threads = THREADS;
    TIMED(run)
        scan<<<1, THREADS>>>(d_a, n, inclusive, d_sums);

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_a);
    device_free(run, d_sums);
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.ints = scan_gpu<int>,
                      .floats = scan_gpu<float>,
                      .usual = SCAN_ONE_BLOCK_N,
                      .tile = THREADS,
                      .chain = 14});
}
