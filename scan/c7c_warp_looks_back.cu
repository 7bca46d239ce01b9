/* c7c: a warp looks back.
 *
 * Before: in c7b one thread asks for one tile after another, and waits for each answer.
 * Now:    the lanes of a warp ask for 32 tiles at once in look_back(). Behind the nearest tile
 *         that knows the sum of all up to it nobody needs to look. A ballot finds that one.
 * See:    docs/scan.md#c7c
 */
#include "block.cuh"
#include "words.cuh"

enum { NOTHING, ITS_SUM, ALL_SUM };

/* The sum of all tiles before this one. A warp calls it; lane 31 looks at the nearest tile. */
template <typename T> __device__ T look_back(const volatile unsigned long long *words, int tile)
{
    const int lane = threadIdx.x % 32;
    T sum = 0;

    for (int at = tile - 32 + lane;; at -= 32) {
        word<T> found = {{0, at < 0 ? ALL_SUM : NOTHING}};

        while (found.half.what == NOTHING)
            found.whole = words[at];
        const unsigned all = __ballot_sync(0xffffffff, found.half.what == ALL_SUM);
        const int from = 31 - __clz(all); /* -1: none of them */

        sum += warp_sum<T>(lane >= from ? found.half.sum : 0);
        if (all)
            return sum;
    }
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

    if (threadIdx.x == 0)
        words[tile] = word<T>{{total, ITS_SUM}}.whole;
    if (threadIdx.x < 32) {
        const T all_before = look_back<T>(words, tile);

        if (threadIdx.x == 0) {
            words[tile] = word<T>{{all_before + total, ALL_SUM}}.whole;
            before = all_before;
        }
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
