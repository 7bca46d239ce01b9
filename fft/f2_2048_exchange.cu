/* f2: a block a signal of 2048 points, exchanged through shared memory.
 *
 * Before: in f1 a signal had to fit the registers of one thread.
 * Now:    128 threads hold 16 points each. 2048 is 16 * 16 * 8: three passes of transforms in
 *         registers, and between them every thread hands its points to others. Shared memory holds
 *         all real parts, then all imaginary parts: 8 KB and some padding, of the 16 KB that an SM
 *         of the paper's GTX 280 has.
 *         After every 16 words one is left out, so that threads 16 words apart meet different
 *         banks; --padding 0 takes that away.
 * See:    docs/fft.md#f2
 */
#include "points.cuh"

enum { N = 2048, POINTS = 16, THREADS = N / POINTS };

static int64_t padding = 1; /* --padding */

template <bool PADDED> __device__ static int padded(int i)
{
    return PADDED ? i + i / 16 : i;
}

/* Transforms of RADIX points, THREADS apart from each other in number. `done` is the product of the
 * radices before; by that the points are turned. Afterwards point k of transform j belongs to place
 * j / done * done * RADIX + j % done + k * done. */
template <int RADIX>
__device__ static void pass(float2 (&v)[POINTS], const float2 *__restrict__ roots, int done)
{
    constexpr int COUNT = POINTS / RADIX;

#pragma unroll
    for (int m = 0; m < COUNT; m++) {
        const int j = threadIdx.x + m * THREADS;
        const int turn = j % done * (N / done / RADIX);
        float2 u[RADIX];

#pragma unroll
        for (int r = 0; r < RADIX; r++)
            u[r] = r && done > 1 ? multiply(v[m + r * COUNT], roots[r * turn]) : v[m + r * COUNT];
        transform<RADIX, false>(u, NULL);
#pragma unroll
        for (int r = 0; r < RADIX; r++)
            v[m + r * COUNT] = u[r];
    }
}

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
    __shared__ float shared[PADDED ? N + N / 16 : N];
    const size_t first = (size_t)blockIdx.x * N + threadIdx.x;
    float2 v[POINTS];

    for (int r = 0; r < POINTS; r++)
        v[r] = swap_if(p.inverse, p.in[first + r * THREADS]);
    pass<16>(v, roots, 1);
    exchange<PADDED>(v, shared, 1);
    pass<16>(v, roots, 16);
    exchange<PADDED>(v, shared, 16);
    pass<8>(v, roots, 256);
    for (int r = 0; r < POINTS; r++)
        p.out[first + r * THREADS] = swap_if(p.inverse, v[r]);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    float2 roots[N], *d_roots;

    fft_roots(roots, N, N);
    d_roots = device_input(float2, roots, N);
    run->blocks = p->batch;
    run->threads = THREADS;
    TIMED(run)
        (padding ? fft<true> : fft<false>)<<<run->blocks, run->threads>>>(*p, d_roots);
    device_free(run, d_roots);
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
