/* c7a: one launch, and blocks that look back.
 *
 * Before: c6 reads each number twice, and blocks wait for each other where a launch ends.
 * Now:    look_back() asks the tiles before this one: for the sum up to there if it is known,
 *         else for that tile's own, and goes on. Each tile leaves its own sum as soon as it has
 *         it, so nobody waits for a chain of others. Tiles go to blocks in the order in which
 *         these start: whoever waits, waits for a block that runs.
 * See:    docs/scan.md#c7a
 */
#include "block.cuh"

enum { NOTHING, ITS_SUM, ALL_SUM };

template <typename T> struct tile {
    volatile int state; /* which of its sums are there */
    T sum, all; /* of this tile; of all up to it */
};

/* The sum of all tiles from `first` up to this one, without it. */
template <typename T> __device__ T look_back(const tile<T> *first, const tile<T> *tile)
{
    T sum = 0;

    while (tile-- > first) {
        int state = NOTHING;

        while (state == NOTHING)
            state = tile->state;
        __threadfence();
        if (state == ALL_SUM)
            return tile->all + sum;
        sum = tile->sum + sum;
    }
    return sum;
}

/* `tiles` and `started` are zeros at first. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    scan(const T *a, int n, bool inclusive, T *out, tile<T> *tiles, int *started)
{
    __shared__ int mine;
    __shared__ T before;

    if (threadIdx.x == 0)
        mine = atomicAdd(started, 1);
    __syncthreads();
    tile<T> *const tile = tiles + mine;
    const int i = mine * THREADS + threadIdx.x;
    const T x = i < n ? a[i] : 0;
    T total;
    T sum = block_scan(x, &total);

    if (threadIdx.x == 0) {
        tile->sum = total;
        __threadfence();
        tile->state = ITS_SUM;
        before = look_back<T>(tiles, tile);
        tile->all = before + total;
        __threadfence();
        tile->state = ALL_SUM;
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
    tile<T> *d_tiles = device_output(tile<T>, run, blocks + 1);
    int *d_started = (int *)(d_tiles + blocks);

    run->blocks = blocks;
    run->threads = THREADS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_tiles, 0, (blocks + 1) * sizeof(tile<T>)));
        scan<<<blocks, THREADS>>>(d_a, n, inclusive, d_sums, d_tiles, d_started);
    }

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_a);
    device_free(run, d_sums);
    device_free(run, d_tiles);
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
