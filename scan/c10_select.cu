/* c10: keep the even numbers.
 *
 * Before: c9 adds up the numbers before each.
 * Now:    a scan counts: as many as stay before a number, that is its place in the result. A lane
 *         has a quad, and keep_of() has a bit for each of its numbers that stays. The votes of
 *         the warp on each bit say how many stay in the lanes below: no shuffle is needed.
 * See:    docs/scan.md#c10
 */
#include "ahead.cuh"
#include "votes.cuh"

/* A bit for each number of quad k that stays. */
__device__ static unsigned keep_of(const quad<int> &four, int first, int n)
{
    unsigned keep = 0;

    for (int j = 0; j < 4; j++)
        keep |= (first + j < n && four.v[j] % 2 == 0) << j;
    return keep;
}

/* Count what stays of this warp's part of a tile. */
__device__ static void add_up(stages<int> *m, input<int> in, int turn)
{
    quad<int> quads[QUADS];
    int sum = 0, below;

    first_look(m, in, turn, quads);
    for (int k = 0; k < QUADS; k++)
        sum += count_kept(keep_of(quads[k], 4 * quad_at(turn, k), in.n), &below);
    hand_over(m, turn, sum);
}

/* Store what stays of this warp's part. */
__device__ static void store_kept(stages<int> *m, input<int> in, int turn, int *kept)
{
    quad<int> quads[QUADS];
    int next = second_look(m, in, turn, quads), below;

    for (int k = 0; k < QUADS; k++) {
        const unsigned keep = keep_of(quads[k], 4 * quad_at(turn, k), in.n);
        const int all = count_kept(keep, &below);
        int *to = kept + next + below;

        for (int j = 0; j < 4; j++)
            if (keep >> j & 1)
                *to++ = quads[k].v[j];
        next += all;
    }
}

__global__ void __launch_bounds__(AHEAD_THREADS) select_even(input<int> in, int *kept, int *count)
{
    extern __shared__ float4 shared[];
    stages<int> *const m = (stages<int> *)shared;

    stages_init(m);
    if (threadIdx.x / 32 == WORKERS) {
        const int all = go_ahead(m, in);

        if (blockIdx.x == 0)
            *count = all;
        return;
    }
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
