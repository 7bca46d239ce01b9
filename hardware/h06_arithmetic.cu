/* h06: what an operation costs, and how exact it is.
 *
 * Claim:  additions, comparisons, bit operations, conversions and 24-bit products run at full
 *         speed, 32-bit products do not. __fdividef is quicker than a division and wrong for
 *         2^126 < y < 2^128; __expf and its kin trade digits for speed.
 * Today:  nvcc compiles __mul24 to shifts and a product, and a division rounds as IEEE 754 demands.
 * Pinned: the loop stays rolled, its body is unrolled.
 * See:    docs/hardware.md#h06
 */
#include "arithmetic.h"

enum { THREADS = 256, ROUNDS = 256, UNROLL = 16 };

template <int OP> __device__ static int of_ints(int x, int y)
{
    return OP == ADD       ? x + y
           : OP == MINIMUM ? min(x, y)
           : OP == COMPARE ? x < y
           : OP == BITS    ? x & ~y
           : OP == CONVERT ? (int)(float)x
           : OP == MUL32   ? x * y
           : OP == MUL24   ? __mul24(x, y)
                           : x;
}

template <int OP> __device__ static float of_floats(float x, float y)
{
    return OP == FMA                     ? fmaf(x, y, x)
           : OP == DIVIDE                ? __fdiv_rn(x, y)
           : OP == QUICK || OP == HUGE_Y ? __fdividef(x, y)
           : OP == EXP                   ? __expf(x)
           : OP == LOG                   ? __logf(x)
           : OP == SIN                   ? __sinf(x)
           : OP == COS                   ? __cosf(x)
                                         : __powf(x, y);
}

/* Each result goes into the next operand, by a mask of 0 that the compiler does not know. */
template <int OP> __global__ void operate(const int *in, int n, int mask, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i >= n)
        return;
    const int first = operand_x(OP, in[i], i), y = operand_y(OP, in[i], i);
    int x = first, result = 0;

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round += UNROLL)
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            result = OP < FMA ? of_ints<OP>(x, y)
                              : __float_as_int(of_floats<OP>(__int_as_float(x), __int_as_float(y)));
            x = first ^ (result & mask);
        }
    out[i] = result;
}

template <int OP> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = (double)t->n * ROUNDS;
    TIMED(t->run)
        operate<OP><<<t->run->blocks, THREADS>>>(t->in, t->n, 0, t->out);
}

static const struct variant variants[] = {
    {"none", "the loop without an operation", launch<NONE>, NONE},
    {"add", "integer addition", launch<ADD>, ADD, 0, "full speed"},
    {"compare", "comparison", launch<COMPARE>, COMPARE, 0, "full speed"},
    {"minimum", "minimum", launch<MINIMUM>, MINIMUM, 0, "full speed"},
    {"bits", "x & ~y", launch<BITS>, BITS, 0, "full speed"},
    {"convert", "to float and back", launch<CONVERT>, CONVERT, 0, "full speed"},
    {"mul32", "32-bit multiplication", launch<MUL32>, MUL32, 0, "not at full speed"},
    {"mul24", "__mul24", launch<MUL24>, MUL24, 0, "full speed"},
    {"fma", "fmaf", launch<FMA>, FMA, 1, "full speed"},
    {"divide", "division", launch<DIVIDE>, DIVIDE, 1, "2 ulp"},
    {"fdividef", "__fdividef", launch<QUICK>, QUICK, 1, "2 ulp"},
    {"fdividef_huge", "the same, 2^126 < y", launch<HUGE_Y>, HUGE_Y, 1, "wrong"},
    {"expf", "__expf", launch<EXP>, EXP, 1, "less exact"},
    {"logf", "__logf", launch<LOG>, LOG, 1, "less exact"},
    {"sinf", "__sinf", launch<SIN>, SIN, 1, "less exact"},
    {"cosf", "__cosf", launch<COS>, COS, 1, "less exact"},
    {"powf", "__powf", launch<POW>, POW, 1, "less exact"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .unit = "Gop/s",
    .figure = "error in ulp",
    .ulps = true,
    .counters = {{"warp instructions", "warp_instructions"}},
    .cpu = arithmetic_exact,
    .cpu_float = arithmetic_close,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
