/* c3b: the tree's words spread over the banks.
 *
 * Before: in c3 the lanes of a warp reach for words 2, 4, 8 ... apart, up to 32 of one bank.
 * Now:    padded() leaves a word unused behind every 32, so that words far apart lie in different
 *         banks.
 * See:    docs/scan.md#c3b
 */
#include "scan.h"

enum { THREADS = 512, TILE = 2 * THREADS };

/* Where number i of a tile lies. */
__device__ static int padded(int i)
{
    return i + i / 32;
}

/* From a tile's numbers to the sums before each. Returns the sum of all. */
template <typename T> __device__ T up_and_down(T *sums)
{
    for (int half = 1; half < TILE; half *= 2) {
        const int right = (threadIdx.x + 1) * 2 * half - 1, left = right - half;

        __syncthreads();
        if (right < TILE)
            sums[padded(right)] += sums[padded(left)];
    }
    __syncthreads();
    const T total = sums[padded(TILE - 1)];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[padded(TILE - 1)] = 0;
    for (int half = TILE / 2; half > 0; half /= 2) {
        const int right = (threadIdx.x + 1) * 2 * half - 1, left = right - half;

        __syncthreads();
        if (right < TILE) {
            const T sum = sums[padded(left)];

            sums[padded(left)] = sums[padded(right)];
            sums[padded(right)] += sum;
        }
    }
    __syncthreads();
    return total;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) scan(const T *a, int n, bool inclusive, T *out)
{
    __shared__ T sums[TILE + TILE / 32];
    T before = 0; /* the sum of all earlier tiles */

    for (int first = 0; first < n; first += TILE) {
        T x[2], total;

        for (int k = 0; k < 2; k++) {
            const int place = threadIdx.x + k * THREADS;

            x[k] = first + place < n ? a[first + place] : 0;
            sums[padded(place)] = x[k];
        }
        total = up_and_down(sums);
        for (int k = 0; k < 2; k++) {
            const int place = threadIdx.x + k * THREADS;

            if (first + place < n)
                out[first + place] = before + sums[padded(place)] + (inclusive ? x[k] : 0);
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
