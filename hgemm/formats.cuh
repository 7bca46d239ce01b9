/* The formats of numbers that h16 multiplies. Of each: its number nearest to a float, by how much
 * numbers are multiplied before (SCALE), and the product of 64 rows of A by 64 columns of B, each
 * 32 bytes of k long. */
#ifndef HGEMM_FORMATS_CUH
#define HGEMM_FORMATS_CUH

#include "wgmma.cuh"

/* multiply(): sum += a b, by the instruction for these types; its last arguments do not turn
 * anything over. */
#define MULTIPLY(type, constraint, types, last)                                                    \
    typedef type sum;                                                                              \
    __device__ static void multiply(unsigned long long a, unsigned long long b, type(&sum)[SUMS])  \
    {                                                                                              \
        asm volatile("wgmma.mma_async.sync.aligned.m64n64" types                                   \
                     " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "    \
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, " \
                     "%31}, %32, %33, 1" last ";"                                                  \
                     : EIGHT_OF(constraint, 0), EIGHT_OF(constraint, 8), EIGHT_OF(constraint, 16), \
                       EIGHT_OF(constraint, 24)                                                    \
                     : "l"(a), "l"(b));                                                            \
    }

struct tf32 {
    enum { SCALE = 1 };
    typedef unsigned number;
    __device__ static number nearest(float x)
    {
        number y;

        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
        return y;
    }
    MULTIPLY(float, "+f", "k8.f32.tf32.tf32", ", 1, 1")
};

struct f16 {
    enum { SCALE = 1 };
    typedef unsigned short number;
    __device__ static number nearest(float x)
    {
        number y;

        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
        return y;
    }
    MULTIPLY(float, "+f", "k16.f32.f16.f16", ", 1, 1, 0, 0")
};

struct brain {
    enum { SCALE = 1 };
    typedef unsigned short number;
    __device__ static number nearest(float x)
    {
        return __bfloat16_as_ushort(__float2bfloat16_rn(x));
    }
    MULTIPLY(float, "+f", "k16.f32.bf16.bf16", ", 1, 1, 0, 0")
};

struct e4m3 {
    enum { SCALE = 1 };
    typedef unsigned char number;
    __device__ static number nearest(float x)
    {
        unsigned short both;

        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(0.0f), "f"(x));
        return (number)both;
    }
    MULTIPLY(float, "+f", "k32.f32.e4m3.e4m3", ", 1, 1")
};

struct s8 {
    enum { SCALE = 127 };
    typedef signed char number;
    __device__ static number nearest(float x)
    {
        return (number)__float2int_rn(x);
    }
    MULTIPLY(int, "+r", "k32.s32.s8.s8", "")
};

/* The compiler may not use the sums before this. */
__device__ inline void sums_are_there(int (&sum)[SUMS])
{
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        asm volatile("" : "+r"(sum[i])::"memory");
}

/* C of floats at (row, column): alpha `scale` times the sums, plus beta C. */
template <typename T>
__device__ inline void store_floats(const struct sgemm &p, int row, int column,
                                    const T (&sum)[SUMS], float scale)
{
    const int r = row + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;

#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        const int y = r + i / 2 % 2 * 8, x = column + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
        float *const c = &p.c[(size_t)y * p.ldc + x];
        const float product = __fmul_rn(p.alpha, __fmul_rn(scale, (float)sum[i]));

        if (y < p.m && x < p.n)
            *c = p.beta == 0 ? product : __fadd_rn(product, __fmul_rn(p.beta, *c));
    }
}

#endif
