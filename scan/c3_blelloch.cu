/* c3: one block, a tree up and down.
 *
 * Before: c2 makes THREADS additions in each round, n log n in all, where c1 makes n.
 * Now:    `sums` holds a tile, and the rounds go up a tree: pairs, pairs of pairs, to the sum of
 *         all. Then they come down: each sum of two halves hands its left half what lies before
 *         both, and its right half that and the left half. These are two additions for each
 *         number. That is Blelloch's algorithm. It takes twice the rounds, and half the threads.
 * See:    docs/scan.md#c3
 */
#include "scan.h"

enum { THREADS = 512, TILE = 2 * THREADS };

/* From a tile's numbers to the sums before each. Returns the sum of all. */
template <typename T> __device__ T up_and_down(T *sums)
{
    for (int half = 1; half < TILE; half *= 2) {
        const int right = (threadIdx.x + 1) * 2 * half - 1, left = right - half;

        __syncthreads();
        if (right < TILE)
            sums[right] += sums[left];
    }
    __syncthreads();
    const T total = sums[TILE - 1];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[TILE - 1] = 0;
    for (int half = TILE / 2; half > 0; half /= 2) {
        const int right = (threadIdx.x + 1) * 2 * half - 1, left = right - half;

        __syncthreads();
        if (right < TILE) {
            const T sum = sums[left];

            sums[left] = sums[right];
            sums[right] += sum;
        }
    }
    __syncthreads();
    return total;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) scan(const T *a, int n, bool inclusive, T *out)
{
    __shared__ T sums[TILE];
    T before = 0; /* the sum of all earlier tiles */

    for (int first = 0; first < n; first += TILE) {
        T x[2], total;

        for (int k = 0; k < 2; k++) {
            const int place = threadIdx.x + k * THREADS;

            x[k] = first + place < n ? a[first + place] : 0;
            sums[place] = x[k];
        }
        total = up_and_down(sums);
        for (int k = 0; k < 2; k++) {
            const int place = threadIdx.x + k * THREADS;

            if (first + place < n)
                out[first + place] = before + sums[place] + (inclusive ? x[k] : 0);
        }
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
                      .tile = TILE,
                      .chain = 24});
}
