/* c11: run lengths.
 *
 * Before: c10 keeps the even numbers.
 * Now:    keep_of() keeps the numbers that begin a run: those that differ from the one before.
 *         What is stored is not the number, but its place, where the run starts. measure(), a
 *         second launch, looks up the number there; the run is as long as it is far to the next
 *         start.
 * See:    docs/scan.md#c11
 */
#include "ahead.cuh"
#include "votes.cuh"

/* A bit for each number of a quad that begins a run. */
__device__ static unsigned keep_of(const quad<int> &four, int first, input<int> in)
{
    int before = __shfl_up_sync(0xffffffff, four.v[3], 1);
    unsigned keep = 0;

    if (threadIdx.x % 32 == 0)
        before = first > 0 && first < in.n ? in.a[first - 1] : ~four.v[0];
    for (int j = 0; j < 4; j++) {
        keep |= (first + j < in.n && four.v[j] != before) << j;
        before = four.v[j];
    }
    return keep;
}

/* Count what stays of this warp's part of a tile. */
__device__ static void add_up(stages<int> *m, input<int> in, int turn)
{
    quad<int> quads[QUADS];
    int sum = 0, below;

    first_look(m, in, turn, quads);
    for (int k = 0; k < QUADS; k++)
        sum += count_kept(keep_of(quads[k], 4 * quad_at(turn, k), in), &below);
    hand_over(m, turn, sum);
}

/* Store where the runs of this warp's part start. */
__device__ static void store_starts(stages<int> *m, input<int> in, int turn, int *starts)
{
    quad<int> quads[QUADS];
    int next = second_look(m, in, turn, quads), below;

    for (int k = 0; k < QUADS; k++) {
        const int first = 4 * quad_at(turn, k);
        const unsigned keep = keep_of(quads[k], first, in);
        const int all = count_kept(keep, &below);
        int *to = starts + next + below;

        for (int j = 0; j < 4; j++)
            if (keep >> j & 1)
                *to++ = first + j;
        next += all;
    }
}

__global__ void __launch_bounds__(AHEAD_THREADS) find_runs(input<int> in, int *starts, int *count)
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
            store_starts(m, in, turn, starts);
    }
}

__global__ void measure(input<int> in, const int *starts, const int *count, int *values,
                        int *lengths)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x) {
        values[i] = in.a[starts[i]];
        lengths[i] = (i + 1 < *count ? starts[i + 1] : in.n) - starts[i];
    }
}

/* The whole device side, from host numbers to their runs, and how many these are. */
static int runs_gpu(const int *a, int n, struct run *run, int *values, int *lengths)
{
    int *d_values = device_output(int, run, n), *d_lengths = device_output(int, run, n);
    int *d_starts = device_output(int, run, n), *d_count = device_output(int, run, 1), count;
    input<int> in = input_on_device(a, n);
    const cudaLaunchConfig_t config = config_ahead(find_runs, in, run);

    TIMED(run) {
        in.launch++;
        CHECK(cudaLaunchKernelEx(&config, find_runs, in, d_starts, d_count));
        measure<<<4 * run->blocks, 512>>>(in, d_starts, d_count, d_values, d_lengths);
    }

    device_fetch(int, &count, d_count, 1);
    device_fetch(int, values, d_values, count);
    device_fetch(int, lengths, d_lengths, count);
    device_free(run, d_values);
    device_free(run, d_lengths);
    device_free(run, d_starts);
    device_free(run, d_count);
    input_free(run, in);
    return count;
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.runs = runs_gpu,
                      .tile = TILE,
                      .wave = {(void *)find_runs, AHEAD_THREADS, sizeof(stages<int>)}});
}
