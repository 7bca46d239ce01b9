/* k14: merges by paths, in all blocks. A new beginning.
 *
 * Before: k3 takes a launch for each round of a merge, until runs fit into a tile.
 * Now:    a launch for each merge. Each block writes one tile of the result, in merge_runs(), and
 *         path() finds where the tile begins and ends in both runs. These two parts fit into shared
 *         memory, where the block merges them as k13 does.
 * See:    docs/sort.md#k14
 */
#include "merge.cuh"

/* A tile in each block. */
template <typename T>
__global__ void __launch_bounds__(THREADS) sort_tiles(const T *a, int n, T *sorted)
{
    __shared__ T items[TILE];
    const int t = threadIdx.x, start = blockIdx.x * TILE, here = min((int)TILE, n - start);

    for (int i = t; i < here; i += THREADS)
        items[i] = a[start + i];
    __syncthreads();
    sort_tile(items, here);
    for (int i = t; i < here; i += THREADS)
        sorted[start + i] = items[i];
}

/* Each block merges a tile of the result. */
template <typename T>
__global__ void __launch_bounds__(THREADS) merge_runs(const T *a, int n, int length, T *merged)
{
    __shared__ T items[TILE];
    __shared__ int ends[2]; /* of the tile's part of run a: its first item, and behind its last */
    const int t = threadIdx.x, start = blockIdx.x * TILE, here = min((int)TILE, n - start);
    const int first = start / (2 * length) * 2 * length;
    const runs<T> all = runs_at(a, first, length, n);

    if (t % 32 == 0 && t < 64)
        ends[t / 32] = path(all, start - first + (t > 0 ? here : 0));
    __syncthreads();
    const int in_a = ends[1] - ends[0];

    for (int i = t; i < here; i += THREADS)
        items[i] = i < in_a ? all.a[ends[0] + i] : all.b[start - first - ends[0] + i - in_a];
    __syncthreads();
    merge<T>({items, items + in_a, in_a, here - in_a}, 0, items, here);
    for (int i = t; i < here; i += THREADS)
        merged[start + i] = items[i];
}

template <typename T> static void sort_gpu(const T *a, int n, struct run *run, T *sorted)
{
    T *d_a = device_input(T, a, n);
    T *to[2] = {device_output(T, run, n), device_output(T, run, n)};
    int now = 0;

    run->blocks = n > 0 ? (n - 1) / TILE + 1 : 1;
    run->threads = THREADS;
    TIMED(run) {
        now = 0;
        sort_tiles<<<run->blocks, THREADS>>>((const T *)d_a, n, to[now]);
        for (int length = TILE; length < n; length *= 2, now = !now)
            merge_runs<<<run->blocks, THREADS>>>((const T *)to[now], n, length, to[!now]);
    }

    device_fetch(T, sorted, to[now], n);
    device_free(run, d_a);
    device_free(run, to[0]);
    device_free(run, to[1]);
}

int main(int argc, char **argv)
{
    return sort_main(argc, argv, STEP,
                     {OF_ALL_ITEMS(sort_gpu), .tile = TILE, WAVE_OF(merge_runs, THREADS)});
}
