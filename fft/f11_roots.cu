/* f11: where the roots of unity come from. A program rather than a step.
 *
 * Before: f5 reads w, w^2, w^4 and w^8 from a table.
 * Now:    4096 points as in f5, but 16 per thread, and three other ways to the same four numbers:
 *         --from 0 is the table, --from 1 reads w alone and squares it three times, --from 2
 *         computes all four with sincospif(), --from 3 with the hardware's __sincosf(). They
 *         differ in error, and root_error() says how far off the last may be.
 * See:    docs/fft.md#f11
 */
#include "passes.cuh"

enum { N = 4096, POINTS = 16, THREADS = N / POINTS, POWERS = 4 };
enum source { TABLE, SQUARES, SINCOSPI, FAST };
static int64_t from = TABLE; /* --from */

/* power[s] becomes w^(2^s) with w = exp(-2 pi i k / LENGTH); roots are those of N. */
template <enum source FROM, int LENGTH>
__device__ static void fetch(float2 (&power)[POWERS], int k, const float2 *__restrict__ roots)
{
#pragma unroll
    for (int s = 0; s < POWERS; s++) {
        if (FROM == TABLE || (FROM == SQUARES && s == 0))
            power[s] = roots[(k << s) * (N / LENGTH)];
        else if (FROM == SQUARES)
            power[s] = multiply(power[s - 1], power[s - 1]);
        else if (FROM == SINCOSPI)
            sincospif(__fmul_rn(k << s, -2.0f / LENGTH), &power[s].y, &power[s].x);
        else
            __sincosf(__fmul_rn(k << s, -6.28318531f / LENGTH), &power[s].y, &power[s].x);
    }
}

/* From where pass NOW left the points to where the next one wants them. */
template <class NOW>
__device__ static void exchange(float2 (&v)[POINTS], const NOW &now, int t, float2 *shared)
{
    __syncthreads();
    now.write(v, t, shared);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < POINTS; r++)
        v[r] = shared[signal_of<N, POINTS>::place(t, r * THREADS)];
}

template <enum source FROM>
__global__ void __launch_bounds__(THREADS) fft(const struct fft p, const float2 *__restrict__ roots)
{
    __shared__ float2 shared[signal_of<N, POINTS>::ROOM];
    const int t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * N + t;
    const pass_of<N, POINTS, 1> one = {};
    pass_of<N, POINTS, 16> two;
    pass_of<N, POINTS, 256> three;
    float2 v[POINTS];

#pragma unroll
    for (int r = 0; r < POINTS; r++)
        v[r] = swap_if(p.inverse, p.in[first + r * THREADS]);
    one.transform_all(v);
    exchange(v, one, t, shared);
    fetch<FROM, 16 * 16>(two.power[0], t % 16, roots);
    two.transform_all(v);
    exchange(v, two, t, shared);
    fetch<FROM, N>(three.power[0], t, roots);
    three.transform_all(v);
#pragma unroll
    for (int r = 0; r < POINTS; r++)
        p.out[first + r * THREADS] = swap_if(p.inverse, v[r]);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    decltype(&fft<TABLE>) const kernels[] = {fft<TABLE>, fft<SQUARES>, fft<SINCOSPI>, fft<FAST>};
    float2 roots[N], *d_roots;

    fft_roots(roots, N, N);
    d_roots = device_input(float2, roots, N);
    run->blocks = p->batch;
    run->threads = THREADS;
    TIMED(run)
        kernels[from]<<<run->blocks, run->threads>>>(*p, d_roots);
    device_free(run, d_roots);
}

/* CUDA's guide bounds the error of __sinf() by 2^-21.41, that of __cosf() by 2^-21.19, for angles
 * of up to half a turn. The angle has been rounded twice, which adds 2 pi 2^-24. */
static double root_error(void)
{
    return from == FAST ? hypot(exp2(-21.41), exp2(-21.19)) + 2 * M_PI * exp2(-24) : 0;
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu,
                    {.min = N,
                     .max = N,
                     .root_error = root_error,
                     .options = {{"from", &from, 0, FAST,
                                  "0: a table; 1: squares; 2: sincospif; 3: __sincosf"}}});
}
