/* f1: 16 points in the registers of one thread.
 *
 * Now:    one thread per signal. The signals are interleaved: point j of signal s is at
 *         j * batch + s. So neighbouring threads read neighbouring words, and no thread needs
 *         another's points. transform16() is four transforms of 4, a turn of nine points, and four
 *         transforms more.
 *         The paper puts a barrier between computing and storing; --barrier 0 takes it out.
 *         The complex arithmetic is in complex.cuh.
 * See:    docs/fft.md#f1
 */
#include "complex.cuh"

enum { POINTS = 16, THREADS = 256 };

static int64_t barrier = 1; /* --barrier */

/* The transform of four points, in place. */
__device__ static void transform4(float2 &a, float2 &b, float2 &c, float2 &d)
{
    const float2 even = add(a, c), even_turned = subtract(a, c);
    const float2 odd = add(b, d), odd_turned = quarter_turn(subtract(b, d));

    a = add(even, odd);
    b = add(even_turned, odd_turned);
    c = subtract(even, odd);
    d = subtract(even_turned, odd_turned);
}

/* Point 4 i + j of the signal is in v[4 i + j]. Afterwards v[4 i + j] is X[i + 4 j]. */
__device__ static void transform16(float2 (&v)[POINTS])
{
    /* exp(-2 pi i k / 16), where it is not 1 or a quarter turn */
    const float c1 = 0.923879533f, s1 = 0.382683432f, h = 0.707106781f;
    const float2 root1 = {c1, -s1}, root2 = {h, -h}, root3 = {s1, -c1};
    const float2 root6 = {-h, -h}, root9 = {-c1, s1};

    for (int j = 0; j < 4; j++)
        transform4(v[j], v[4 + j], v[8 + j], v[12 + j]);
    v[5] = multiply(v[5], root1); /* v[4 i + j] turns by i j sixteenths */
    v[6] = multiply(v[6], root2);
    v[7] = multiply(v[7], root3);
    v[9] = multiply(v[9], root2);
    v[10] = quarter_turn(v[10]);
    v[11] = multiply(v[11], root6);
    v[13] = multiply(v[13], root3);
    v[14] = multiply(v[14], root6);
    v[15] = multiply(v[15], root9);
    for (int i = 0; i < 4; i++)
        transform4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
}

template <bool BARRIER> __global__ void __launch_bounds__(THREADS) fft(const struct fft p)
{
    const int signal = blockIdx.x * THREADS + threadIdx.x;
    float2 v[POINTS];

    if (signal < p.batch)
        for (int j = 0; j < POINTS; j++)
            v[j] = swap_if(p.inverse, p.in[(size_t)j * p.batch + signal]);
    transform16(v);
    if (BARRIER)
        __syncthreads();
    if (signal < p.batch)
        for (int k = 0; k < POINTS; k++)
            p.out[(size_t)k * p.batch + signal] = swap_if(p.inverse, v[k % 4 * 4 + k / 4]);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    run->blocks = (p->batch + THREADS - 1) / THREADS;
    run->threads = THREADS;
    TIMED(run)
        (barrier ? fft<true> : fft<false>)<<<run->blocks, run->threads>>>(*p);
}

static int wave(int)
{
    return THREADS;
}

int main(int argc, char **argv)
{
    return fft_main(
        argc, argv, STEP, fft_gpu,
        {.min = POINTS,
         .max = POINTS,
         .interleaved = true,
         .wave = wave,
         .options = {
             {.name = "barrier", .value = &barrier, .max = 1, .help = "0: none before storing"}}});
}
