/* c11: run lengths.
 *
 * Before: c10 keeps the even numbers.
 * Now:    a number stays if it begins a run, so if it differs from the one before: beginning()
 *         says which do. Their places are stored, too, for a run is as long as it is far to the
 *         start of the next. measure(), a second launch, takes these differences.
 * See:    docs/scan.md#c11
 */
#include "ahead.cuh"

/* The number before this warp's part of a tile. */
__device__ static int before_part(input<int> in, int turn)
{
    const int first = number_at(turn, 0) - threadIdx.x % 32;

    return first > 0 && first < in.n ? in.a[first - 1] : 0;
}

/* The votes of the warp: which of its numbers at `at` begin a run. *last is the number before
 * them, and becomes the last of them. */
__device__ static unsigned beginning(int x, int at, int n, int *last)
{
    const int below = __shfl_up_sync(0xffffffff, x, 1);
    const int before = threadIdx.x % 32 > 0 ? below : *last;

    *last = __shfl_sync(0xffffffff, x, 31);
    return __ballot_sync(0xffffffff, at < n && (at == 0 || x != before));
}

/* Count the runs that begin in this warp's part of a tile. */
__device__ static void add_up(stages<int> *m, input<int> in, int turn)
{
    int numbers[NUMBERS], sum = 0, last = before_part(in, turn);

    first_look(m, in, turn, numbers);
    for (int k = 0; k < NUMBERS; k++)
        sum += __popc(beginning(numbers[k], number_at(turn, k), in.n, &last));
    hand_over(m, turn, sum);
}

/* Store the runs of this warp's part: where they start, and of which number they are. */
__device__ static void store_runs(stages<int> *m, input<int> in, int turn, int *starts, int *values)
{
    const unsigned me = 1u << threadIdx.x % 32;
    int numbers[NUMBERS], last = before_part(in, turn), next = second_look(m, in, turn, numbers);

    for (int k = 0; k < NUMBERS; k++) {
        const unsigned votes = beginning(numbers[k], number_at(turn, k), in.n, &last);
        const int to = next + __popc(votes & (me - 1));

        if (votes & me) {
            starts[to] = number_at(turn, k);
            values[to] = numbers[k];
        }
        next += __popc(votes);
    }
}

__global__ void __launch_bounds__(AHEAD_THREADS)
    find_runs(input<int> in, int *starts, int *values, int *count)
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
            store_runs(m, in, turn, starts, values);
    }
}

__global__ void measure(int n, const int *starts, const int *count, int *lengths)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x)
        lengths[i] = (i + 1 < *count ? starts[i + 1] : n) - starts[i];
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
        CHECK(cudaLaunchKernelEx(&config, find_runs, in, d_starts, d_values, d_count));
        measure<<<4 * run->blocks, 512>>>(n, d_starts, d_count, d_lengths);
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
