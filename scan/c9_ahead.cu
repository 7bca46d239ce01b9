/* c9: sums that are known in time. A new beginning.
 *
 * Before: in c8 a block loads a tile, looks back, and stores: while it does the one, the memory
 *         waits for the other.
 * Now:    one block per SM stays, and the copy engine fetches its next tiles while it works. Each
 *         tile is added up `AHEAD` turns before it is scanned, in add_up(), so by then all sums
 *         that lie before it are known: nobody looks back, and their order is always the same. An
 *         extra warp does all that is not adding. All blocks must run at once, so the launch is
 *         cooperative.
 * See:    docs/scan.md#c9
 */
#include "ahead.cuh"

/* Add up this warp's part of a tile. */
template <typename T> __device__ void add_up(stages<T> *m, input<T> in, int turn)
{
    quad<T> quads[QUADS];
    T sum = 0;

    first_look(m, in, turn, quads);
    for (const quad<T> &four : quads)
        sum += (four.v[0] + four.v[1]) + (four.v[2] + four.v[3]);
    hand_over(m, turn, warp_sum(sum));
}

/* Store the sums of this warp's part. */
template <typename T>
__device__ void scan_part(stages<T> *m, input<T> in, int turn, bool inclusive, T *out)
{
    quad<T> quads[QUADS];
    T before = second_look(m, in, turn, quads);

    for (int k = 0; k < QUADS; k++) {
        T(&v)[4] = quads[k].v;
        const T to_here = warp_scan((v[0] + v[1]) + (v[2] + v[3]));
        const T below = __shfl_up_sync(0xffffffff, to_here, 1);
        T sum = before + (threadIdx.x % 32 > 0 ? below : 0);

        for (T &x : v) {
            const T with_x = sum + x;

            x = inclusive ? with_x : sum;
            sum = with_x;
        }
        write_quad(out, quad_at(turn, k), in.n, quads[k]);
        before += __shfl_sync(0xffffffff, to_here, 31);
    }
}

template <typename T>
__global__ void __launch_bounds__(AHEAD_THREADS) scan(input<T> in, bool inclusive, T *out)
{
    stages<T> *const m = stages_new<T>();

    if (threadIdx.x / 32 == WORKERS) {
        go_ahead(m, in);
        return;
    }
    for (int turn = -AHEAD; tile_of(turn) < in.tiles; turn++) {
        if (tile_of(turn + AHEAD) < in.tiles)
            add_up(m, in, turn + AHEAD);
        if (turn >= 0)
            scan_part(m, in, turn, inclusive, out);
    }
}

/* The whole device side, from host numbers to host sums. */
template <typename T>
static void scan_gpu(const T *a, int n, bool inclusive, struct run *run, T *sums)
{
    T *d_sums = device_output(T, run, n);
    input<T> in = input_on_device(a, n);
    const cudaLaunchConfig_t config = config_ahead(scan<T>, in, run);

    TIMED(run) {
        in.launch++;
        CHECK(cudaLaunchKernelEx(&config, scan<T>, in, inclusive, d_sums));
    }

    device_fetch(T, sums, d_sums, n);
    device_free(run, d_sums);
    input_free(run, in);
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, STEP,
                     {.ints = scan_gpu<int>,
                      .floats = scan_gpu<float>,
                      .tile = TILE,
                      .chain = 40,
                      .wave = {(void *)scan<int>, AHEAD_THREADS, sizeof(stages<int>)}});
}
