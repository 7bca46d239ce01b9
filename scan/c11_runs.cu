/* c11: run lengths.
 *
 * Before: c10 keeps the even numbers.
 * Now:    a number stays if it begins a run, as beginning() tells, and its place is stored, too.
 *         measure(), a second launch, takes the differences of the places: the lengths.
 * See:    docs/scan.md#c11
 */
#include "ahead.cuh"

/* Which of this lane's numbers of a turn begin a run: bit k of the result for the k-th of them. */
__device__ static int beginning(input<int> in, int turn, const int *numbers)
{
    const int first = number_at(turn, 0) - threadIdx.x % 32;
    int last = first > 0 && first < in.n ? in.a[first - 1] : 0, begins = 0;

    for (int k = 0; k < NUMBERS; k++) {
        const int at = number_at(turn, k), below = __shfl_up_sync(0xffffffff, numbers[k], 1);
        const int before = threadIdx.x % 32 > 0 ? below : last;

        last = __shfl_sync(0xffffffff, numbers[k], 31);
        begins |= (at < in.n && (at == 0 || numbers[k] != before)) << k;
    }
    return begins;
}

/* Store the runs of this warp's part: where they start, and of which number they are. */
__device__ static void store_runs(stages<int> *m, input<int> in, int turn, int *starts, int *values)
{
    const unsigned me = 1u << threadIdx.x % 32;
    int numbers[NUMBERS], next = second_look(m, in, turn, numbers);
    const int begins = beginning(in, turn, numbers);

    for (int k = 0; k < NUMBERS; k++) {
        const unsigned votes = __ballot_sync(0xffffffff, begins >> k & 1);
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
    stages<int> *const m = stages_new<int>();
    int numbers[NUMBERS];

    if (went_ahead(m, in, count))
        return;
    for (int turn = -AHEAD; tile_of(turn) < in.tiles; turn++) {
        if (tile_of(turn + AHEAD) < in.tiles) {
            first_look(m, in, turn + AHEAD, numbers);
            hand_over(m, turn + AHEAD, warp_sum(__popc(beginning(in, turn + AHEAD, numbers))));
        }
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
