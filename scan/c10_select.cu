/* c10: keep the even numbers.
 *
 * Before: c9 adds up the numbers before each.
 * Now:    a scan counts: as many as stay before a number, that is its place in the result. To
 *         count a tile, each lane takes quads, as in c9. To store, neighbouring lanes have
 *         neighbouring numbers, so what a warp stores at once has no gaps; its votes, from
 *         staying(), say how many stay in the lanes below, without a shuffle.
 * See:    docs/scan.md#c10
 */
#include "ahead.cuh"

/* Whether the number x at `at` stays. */
__device__ static bool stays(int x, int at, int n)
{
    return at < n && x % 2 == 0;
}

/* The votes of the warp: which of its numbers stay. */
__device__ static unsigned staying(int x, int at, int n)
{
    return __ballot_sync(0xffffffff, stays(x, at, n));
}

/* Count what stays of this warp's part of a tile. */
__device__ static void add_up(stages<int> *m, input<int> in, int turn)
{
    quad<int> quads[QUADS];
    int sum = 0;

    first_look(m, in, turn, quads);
    for (int k = 0; k < NUMBERS; k++)
        sum += stays(quads[k / 4].v[k % 4], quad_at(turn, k / 4) * 4 + k % 4, in.n);
    hand_over(m, turn, warp_sum(sum));
}

/* Store what stays of this warp's part. */
__device__ static void store_kept(stages<int> *m, input<int> in, int turn, int *kept)
{
    const unsigned me = 1u << threadIdx.x % 32;
    int numbers[NUMBERS], next = second_look(m, in, turn, numbers);

    for (int k = 0; k < NUMBERS; k++) {
        const unsigned votes = staying(numbers[k], number_at(turn, k), in.n);

        if (votes & me)
            kept[next + __popc(votes & (me - 1))] = numbers[k];
        next += __popc(votes);
    }
}

__global__ void __launch_bounds__(AHEAD_THREADS) select_even(input<int> in, int *kept, int *count)
{
    stages<int> *const m = stages_new<int>();

    if (went_ahead(m, in, count))
        return;
    for (int turn = -AHEAD; tile_of(turn) < in.tiles; turn++) {
        if (tile_of(turn + AHEAD) < in.tiles)
            add_up(m, in, turn + AHEAD);
        if (turn >= 0)
            store_kept(m, in, turn, kept);
    }
}

/* The whole device side, from host numbers to those that stay, and how many these are. */
static int select_gpu(const int *a, int n, struct run *run, int *kept)
{
    int *d_kept = device_output(int, run, n);
    int *d_count = device_output(int, run, 1), count;
    input<int> in = input_on_device(a, n);
    const cudaLaunchConfig_t config = config_ahead(select_even, in, run);

    TIMED(run) {
        in.launch++;
        CHECK(cudaLaunchKernelEx(&config, select_even, in, d_kept, d_count));
    }

    device_fetch(int, &count, d_count, 1);
    device_fetch(int, kept, d_kept, count);
    device_free(run, d_kept);
    device_free(run, d_count);
    input_free(run, in);
    return count;
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.select = select_gpu,
                      .tile = TILE,
                      .wave = {(void *)select_even, AHEAD_THREADS, sizeof(stages<int>)}});
}
