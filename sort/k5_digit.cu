/* k5: by 4 bits at a time, stored in order. A new beginning.
 *
 * Before: k4 takes 32 passes over memory, and what neighbouring threads store lies in two places.
 * Now:    a pass sorts by a digit of BITS bits: 8 passes for 32. A block counts its 16 digits, and
 *         the scan is over the counts of all blocks for digit 0, then 1, ... Before it stores, a
 *         block sorts its tile by the digit, with k4's split in shared memory: sort_tile(). Then
 *         neighbouring threads store to neighbouring places, digit by digit.
 * See:    docs/sort.md#k5
 */
#include "passes.cuh"

enum { BITS = 4, DIGITS = 1 << BITS };

template <typename T> __device__ int digit_of(T item, int shift)
{
    return key_of(item) >> shift & (DIGITS - 1);
}

/* How many items of each digit each block has: counts[digit][block]. */
template <typename T>
__global__ void __launch_bounds__(THREADS) count_digits(const T *a, int n, int shift, int *counts)
{
    __shared__ int mine[DIGITS];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;

    if (t < DIGITS)
        mine[t] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&mine[digit_of(a[i], shift)], 1);
    __syncthreads();
    if (t < DIGITS)
        counts[t * gridDim.x + blockIdx.x] = mine[t];
}

/* By the bits of a digit, one after the other. Items behind the end count as the largest. */
template <typename T> __device__ void sort_tile(T *items, int here, int shift)
{
    const int t = threadIdx.x;
    int zeros;

    for (int bit = 0; bit < BITS; bit++) {
        const T item = items[t];
        const bool one = t >= here || (key_of(item) >> (shift + bit) & 1);
        const int before = block_scan<int>(!one, &zeros);

        items[one ? zeros + t - before : before] = item;
        __syncthreads();
    }
}

/* `counts` are now those before each block's items of a digit. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    scatter(const T *a, int n, int shift, const int *counts, T *out)
{
    __shared__ T items[THREADS];
    __shared__ int starts[DIGITS]; /* of each digit in the sorted tile */
    const int t = threadIdx.x, first = blockIdx.x * THREADS, here = min((int)THREADS, n - first);

    items[t] = t < here ? a[first + t] : T();
    __syncthreads();
    sort_tile(items, here, shift);
    const int digit = digit_of(items[t], shift);

    if (t < here && (t == 0 || digit != digit_of(items[t - 1], shift)))
        starts[digit] = t;
    __syncthreads();
    if (t < here)
        out[counts[digit * gridDim.x + blockIdx.x] + t - starts[digit]] = items[t];
}

/* The whole device side, from host items to the same in order. */
template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    sort_by<T>({BITS, THREADS, THREADS, count_digits<T>, scatter<T>}, a, n, run, sorted);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = THREADS, WAVE_OF(scatter, THREADS)});
}
