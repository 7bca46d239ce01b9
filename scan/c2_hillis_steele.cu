/* c2: one block, each thread adds what lies further and further before it. A new beginning.
 *
 * Before: in c1 each addition waited for the one before it.
 * Now:    a block takes THREADS numbers at a time. In round k each thread adds the sum that ends
 *         2^k places before its own: after log2(THREADS) rounds all sums are there. Rounds read
 *         one half of `sums` and write the other. That is the algorithm of Hillis and Steele.
 * See:    docs/scan.md#c2
 */
#include "scan.h"

enum { THREADS = 1024 };

template <typename T>
__global__ void __launch_bounds__(THREADS) scan(const T *a, int n, bool inclusive, T *out)
{
    __shared__ T sums[2][THREADS];
    const int t = threadIdx.x;
    T before = 0; /* the sum of all earlier tiles */

    for (int i = t; i - t < n; i += THREADS) {
        const T x = i < n ? a[i] : 0;
        int now = 0;

        sums[now][t] = x;
        __syncthreads();
        for (int offset = 1; offset < THREADS; offset *= 2) {
            sums[!now][t] = t < offset ? sums[now][t] : sums[now][t - offset] + sums[now][t];
            now = !now;
            __syncthreads();
        }
        if (i < n)
            out[i] = before + (inclusive ? sums[now][t] : t > 0 ? sums[now][t - 1] : 0);
        before += sums[now][THREADS - 1];
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
                      .chain = 12});
}
