/* c1: one thread.
 *
 * Now:    a single thread keeps a `sum`, and leaves it at each number before it adds that number.
 *         All of a prefix sum is here, and none of a GPU: each addition waits for the one before.
 * See:    docs/scan.md#c1
 */
#include "scan.h"

template <typename T> __global__ void scan(const T *a, int n, bool inclusive, T *sums)
{
    T sum = 0;

    for (int i = 0; i < n; i++) {
        const T x = a[i];

        sums[i] = inclusive ? sum + x : sum;
        sum += x;
    }
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    T *d_a, *d_sums = device_output(T, run, n);

    CHECK(cudaMalloc(&d_a, n * sizeof(T)));
    CHECK(cudaMemcpy(d_a, a, n * sizeof(T), cudaMemcpyHostToDevice));

    run->blocks = run->threads = 1;
    TIMED(run)
        scan<<<1, 1>>>(d_a, n, inclusive, d_sums);

    CHECK(cudaMemcpy(sums, d_sums, n * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    device_free(run, d_sums);
}

int main(int argc, char **argv)
{
    return scan_main(
        argc, argv, STEP,
        {.ints = scan_gpu<int>, .floats = scan_gpu<float>, .usual = SCAN_ONE_BLOCK_N, .tile = 1});
}
