/* Latency and rate of instructions, by class: a chain in one warp, each waiting for the last; and
 * four independent chains in each of the warps of a full SM. */
#include "calibration.h"

enum { TIMES = 4096 };

/* name, type, the operation that takes x to x */
#define OPERATIONS(X)                                                              \
    X(logic, unsigned, (x ^ k) & (x | 5))                                          \
    X(mad_int, unsigned, x *k + 3)                                                 \
    X(shift, unsigned, x << (k & 7) | 1)                                           \
    X(min_int, unsigned, min(x, k) + 1)                                            \
    X(popcount, unsigned, __popc(x) + k)                                           \
    X(divide_int, unsigned, x / k + 0x12345678)                                    \
    X(fma_float, float, fmaf(x, f, f))                                             \
    X(add_float, float, x + f)                                                     \
    X(divide_float, float, f / x)                                                  \
    X(root_float, float, sqrtf(x))                                                 \
    X(sine_fast, float, __sinf(x))                                                 \
    X(sine, float, sinf(x))                                                        \
    X(exponential, float, __expf(x))                                               \
    X(fma_double, double, fma(x, (double)f, (double)f))                            \
    X(divide_double, double, (double)f / x)                                        \
    X(add_long, unsigned long long, x + (x >> 3 ^ k))                              \
    X(multiply_long, unsigned long long, x *(k | (unsigned long long)k << 32) + 1) \
    X(remainder_long, unsigned long long,                                          \
      0xFFFFFFFFFFFFFFull % (x | (unsigned long long)k << 40) + k)                 \
    X(to_float_and_back, int, (int)((float)x * f))                                 \
    X(shuffle, unsigned, __shfl_xor_sync(0xFFFFFFFF, x, 1) + k)                    \
    X(ballot, unsigned, __ballot_sync(0xFFFFFFFF, x > k) + 1)

#define KERNELS(name, type, operation)                                                     \
    __global__ void name##_chain(unsigned k, float f, type *sink)                          \
    {                                                                                      \
        type x = (type)(threadIdx.x + 1);                                                  \
        _Pragma("unroll 1") for (int i = 0; i < TIMES; i += 8)                             \
        {                                                                                  \
            _Pragma("unroll") for (int j = 0; j < 8; j++) x = operation;                   \
        }                                                                                  \
        if (x == (type)k)                                                                  \
            *sink = x;                                                                     \
    }                                                                                      \
    __global__ void name##_rate(unsigned k, float f, type *sink)                           \
    {                                                                                      \
        type xs[4];                                                                        \
        _Pragma("unroll") for (int j = 0; j < 4; j++) xs[j] = (type)(threadIdx.x + 1 + j); \
        _Pragma("unroll 1") for (int i = 0; i < TIMES / 8; i += 2)                         \
        {                                                                                  \
            _Pragma("unroll") for (int j = 0; j < 8; j++)                                  \
            {                                                                              \
                type x = xs[j % 4];                                                        \
                x = operation;                                                             \
                xs[j % 4] = x;                                                             \
            }                                                                              \
        }                                                                                  \
        if (xs[0] + xs[1] + xs[2] + xs[3] == (type)k)                                      \
            *sink = xs[0];                                                                 \
    }
OPERATIONS(KERNELS)

/* Products of a tile of 8 x 8 in registers: three of them a product, two of these not in the
 * product before. */
__global__ void __launch_bounds__(256, 2) add_tiles(float f, float *sink)
{
    float a[8], b[8], sums[8][8] = {}, all = 0;

    for (int i = 0; i < 8; i++) {
        a[i] = f + i + threadIdx.x;
        b[i] = f - i - threadIdx.x;
    }
#pragma unroll 1
    for (int k = 0; k < TIMES / 8; k++) {
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
                /* The factors are others in each turn, for all that the compiler knows. */
#pragma unroll
        for (int i = 0; i < 8; i++) {
            asm volatile("" : "+f"(a[i]));
            asm volatile("" : "+f"(b[i]));
        }
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            all += sums[i][j];
    if (all == f)
        *sink = all;
}

static void measure(struct calibration *calibration)
{
    void *sink = calibration_memory(sizeof(double));

#define MEASURE(name, type, operation)                                       \
    TIMED_CASE(calibration, "chain of %d: " #name, TIMES)                    \
        name##_chain<<<1, 32>>>(77777, 1.25f, (type *)sink);                 \
    TIMED_CASE(calibration, "%d in each of 1024 threads: " #name, TIMES / 2) \
        name##_rate<<<1, 1024>>>(77777, 1.25f, (type *)sink);
    OPERATIONS(MEASURE)
    for (int warps : {1, 2})
        TIMED_CASE(calibration, "%d products of 8 x 8, %d warps a scheduler", TIMES / 8, warps)
            add_tiles<<<1, 128 * warps>>>(1.25f, (float *)sink);
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "issue", measure);
}
