/* f2: one block per signal of 2048 points, exchanged through shared memory. A new beginning.
 *
 * Before: in f1 a signal had to fit in the registers of one thread.
 * Now:    128 threads hold 16 points each. 2048 is 16 * 16 * 8: three passes of transforms in
 *         registers. Between passes the threads exchange() points. Shared memory holds all real
 *         parts, then all imaginary parts: 8 KB and some padding, of the 16 KB that an SM of the
 *         paper's GTX 280 has. --padding 0 leaves the padding out.
 *         The passes themselves are in three_passes.cuh.
 * See:    docs/fft.md#f2
 */
#include "three_passes.cuh"

enum { N = 2048, THREADS = N / POINTS };

static int64_t padding = 1; /* --padding */

/* From where a pass of 16 left the points to where the next one wants them: THREADS apart. */
template <bool PADDED> __device__ static void exchange(float2 (&v)[POINTS], float *shared, int done)
{
    const int j = threadIdx.x, place = j / done * done * POINTS + j % done;

#pragma unroll
    for (int part = 0; part < 2; part++) {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            shared[padded<PADDED>(place + r * done)] = part ? v[r].y : v[r].x;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < POINTS; r++)
            (part ? v[r].y : v[r].x) = shared[padded<PADDED>(j + r * THREADS)];
    }
}

template <bool PADDED>
__global__ void __launch_bounds__(THREADS) fft(const struct fft p, const float2 *roots)
{
    __shared__ float shared[padded<PADDED>(N)];
    float2 v[POINTS];

    load_signal<N>(v, p);
    pass<N, 16>(v, roots, 1);
    exchange<PADDED>(v, shared, 1);
    pass<N, 16>(v, roots, 16);
    exchange<PADDED>(v, shared, 16);
    pass<N, 8>(v, roots, 256);
    store_signal<N>(v, p);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    launch<N>(padding ? fft<true> : fft<false>, p, run);
}

int main(int argc, char **argv)
{
    return fft_main(
        argc, argv, STEP, fft_gpu,
        {.min = N,
         .max = N,
         .options = {
             {.name = "padding", .value = &padding, .max = 1, .help = "0: bank conflicts"}}});
}
