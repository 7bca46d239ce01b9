/* c7b: state and sum in one word.
 *
 * Before: in c7a a fence on either side keeps a tile's sum and its state in order.
 * Now:    a `word` of 64 bits has both. It is written and read whole, so a thread that sees the
 *         state sees the sum that belongs to it. So look_back() needs no fence, and one load per
 *         tile.
 * See:    docs/scan.md#c7b
 */
#include "block.cuh"

enum { NOTHING, ITS_SUM, ALL_SUM };

/* What a tile leaves: which sum it is, and the sum. */
template <typename T> union word {
    struct {
        T sum;
        int what;
    } half;
    unsigned long long whole;
};

/* The sum of all tiles before this one. */
template <typename T> __device__ T look_back(const volatile unsigned long long *words, int tile)
{
    T sum = 0;

    while (tile-- > 0) {
        word<T> found = {};

        while (found.half.what == NOTHING)
            found.whole = words[tile];
        sum = found.half.sum + sum;
        if (found.half.what == ALL_SUM)
            break;
    }
    return sum;
}

/* `words` and `started` are zeros at first. */
template <typename T>
__global__ void __launch_bounds__(THREADS) scan(const T *a, int n, bool inclusive, T *out,
                                                volatile unsigned long long *words, int *started)
{
    __shared__ int tile;
    __shared__ T before;

    if (threadIdx.x == 0)
        tile = atomicAdd(started, 1);
    __syncthreads();
    const int i = tile * THREADS + threadIdx.x;
    const T x = i < n ? a[i] : 0;
    T total;
    T sum = block_scan(x, &total);

    if (threadIdx.x == 0) {
        words[tile] = word<T>{{total, ITS_SUM}}.whole;
        before = look_back<T>(words, tile);
        words[tile] = word<T>{{before + total, ALL_SUM}}.whole;
    }
    __syncthreads();
    sum += before;
    if (i < n)
        out[i] = inclusive ? sum + x : sum;
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    const int blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
    T *d_a = device_input(T, a, n);
    T *d_sums = device_output(T, run, n);
    unsigned long long *d_words = device_output(unsigned long long, run, blocks + 1);
    int *d_started = (int *)(d_words + blocks);

    run->blocks = blocks;
    run->threads = THREADS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_words, 0, (blocks + 1) * sizeof(unsigned long long)));
        scan<<<blocks, THREADS>>>(d_a, n, inclusive, d_sums, d_words, d_started);
    }

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_a);
    device_free(run, d_sums);
    device_free(run, d_words);
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.ints = scan_gpu<int>,
                      .floats = scan_gpu<float>,
                      .tile = THREADS,
                      .chain = 28,
                      .wave = {(void *)scan<int>, THREADS}});
}
