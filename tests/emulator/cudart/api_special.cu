/* Special functions stay within the error that PTX states, over all exponents, and what PTX rounds
 * is rounded right: against long double, on the emulator and on a GPU.
 *
 * The bounds are those of the PTX ISA manual, "Floating Point Instructions". */
#include "expect.h"

#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

typedef long double real;

enum { MANTISSAS = 257, BLOCK = 128 };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

/* Every exponent with both signs, subnormals, infinities and NaN, each with many mantissas. */
static std::vector<float> all_exponents()
{
    std::vector<float> numbers;
    for (uint32_t top = 0; top < 512; top++)
        for (uint32_t i = 0; i < MANTISSAS; i++) {
            const uint32_t mantissa = i == 0   ? 0
                                      : i == 1 ? 0x7FFFFF
                                      : i == 2 ? 1
                                               : mixed(top * MANTISSAS + i) & 0x7FFFFF;
            numbers.push_back(float_of(top << 23 | mantissa));
        }
    return numbers;
}

/* X(name, text, sources): first those that are approximations, then those that round. */
/* clang-format off */
#define INSTRUCTIONS(X) \
    X(RCP, "rcp.approx.f32", 1) X(RCP_FTZ, "rcp.approx.ftz.f32", 1) \
    X(SQRT, "sqrt.approx.f32", 1) X(SQRT_FTZ, "sqrt.approx.ftz.f32", 1) \
    X(RSQRT, "rsqrt.approx.f32", 1) X(RSQRT_FTZ, "rsqrt.approx.ftz.f32", 1) \
    X(SIN, "sin.approx.f32", 1) X(SIN_FTZ, "sin.approx.ftz.f32", 1) \
    X(COS, "cos.approx.f32", 1) X(COS_FTZ, "cos.approx.ftz.f32", 1) \
    X(LG2, "lg2.approx.f32", 1) X(LG2_FTZ, "lg2.approx.ftz.f32", 1) \
    X(EX2, "ex2.approx.f32", 1) X(EX2_FTZ, "ex2.approx.ftz.f32", 1) \
    X(TANH, "tanh.approx.f32", 1) \
    X(DIV, "div.approx.f32", 2) X(DIV_FTZ, "div.approx.ftz.f32", 2) \
    X(DIV_FULL, "div.full.f32", 2) X(DIV_FULL_FTZ, "div.full.ftz.f32", 2) \
    X(RCP_RN, "rcp.rn.f32", 1) X(RCP_RZ, "rcp.rz.f32", 1) \
    X(RCP_RM, "rcp.rm.f32", 1) X(RCP_RP, "rcp.rp.f32", 1) \
    X(SQRT_RN, "sqrt.rn.f32", 1) X(SQRT_RZ, "sqrt.rz.f32", 1) \
    X(SQRT_RM, "sqrt.rm.f32", 1) X(SQRT_RP, "sqrt.rp.f32", 1) \
    X(DIV_RN, "div.rn.f32", 2) X(DIV_RZ, "div.rz.f32", 2) \
    X(DIV_RM, "div.rm.f32", 2) X(DIV_RP, "div.rp.f32", 2) \
    X(FMA_RN, "fma.rn.f32", 3) X(FMA_RZ, "fma.rz.f32", 3) \
    X(FMA_RM, "fma.rm.f32", 3) X(FMA_RP, "fma.rp.f32", 3)
/* clang-format on */

enum instruction {
#define X(name, text, sources) name,
    INSTRUCTIONS(X)
#undef X
};

static const char *const names[] = {
#define X(name, text, sources) text,
    INSTRUCTIONS(X)
#undef X
};

__global__ void apply(int instruction, const float *a, const float *b, const float *c, int n,
                      float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float result = 0;

    if (i >= n)
        return;
#define SOURCES_1(text) asm(text " %0, %1;" : "=f"(result) : "f"(a[i]))
#define SOURCES_2(text) asm(text " %0, %1, %2;" : "=f"(result) : "f"(a[i]), "f"(b[i]))
#define SOURCES_3(text) \
    asm(text " %0, %1, %2, %3;" : "=f"(result) : "f"(a[i]), "f"(b[i]), "f"(c[i]))
    switch (instruction) {
#define X(name, text, sources)   \
    case name:                   \
        SOURCES_##sources(text); \
        break;
        INSTRUCTIONS(X)
#undef X
    }
    out[i] = result;
}

static float *d_a, *d_b, *d_c, *d_out;

static std::vector<float> run(instruction instruction, const std::vector<float> &a,
                              const std::vector<float> &b, const std::vector<float> &c)
{
    const int n = (int)a.size();
    const size_t bytes = n * sizeof(float);
    std::vector<float> out(n);

    EXPECT_SUCCESS(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpy(d_c, c.data(), bytes, cudaMemcpyHostToDevice));
    EXPECT_LAUNCH(cudaSuccess,
                  apply<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(instruction, d_a, d_b, d_c, n, d_out));
    EXPECT_SUCCESS(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    return out;
}

static void complain(instruction instruction, float a, float b, float got, real wanted,
                     real allowed)
{
    static int said;
    failures++;
    if (said++ < 40)
        std::printf("%s of %a, %a: %a, true %La, allowed %Lg\n", names[instruction], (double)a,
                    (double)b, (double)got, wanted, allowed);
}

/* The distance between neighbours where x is, no less than that of subnormal numbers. */
static real ulp(real x)
{
    const int exponent = x == 0 ? -149 : std::ilogb(x) - 23;
    return std::ldexp((real)1, exponent < -149 ? -149 : exponent);
}

static float flushed(float x)
{
    return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x;
}

/* Is `got` the true result, or as near as allowed? What lies beyond the largest number may be
 * infinite, what lies below the smallest may be 0 under .ftz. */
static bool is_near(float got, real wanted, real allowed, bool ftz)
{
    if (std::isnan(wanted))
        return std::isnan(got);
    if (std::isinf(wanted) || std::fabs(wanted) + allowed >= (real)FLT_MAX)
        return (std::isinf(got) && std::signbit(got) == std::signbit(wanted)) ||
               (!std::isinf(wanted) && std::fabs(got - wanted) <= allowed);
    if (ftz && got == 0 && std::fabs(wanted) - allowed < (real)FLT_MIN)
        return true;
    return std::fabs((real)got - wanted) <= allowed;
}

static real true_value(instruction instruction, real a, real b)
{
    switch (instruction) {
    case RCP:
    case RCP_FTZ:
        return 1 / a;
    case SQRT:
    case SQRT_FTZ:
        return std::sqrt(a);
    case RSQRT:
    case RSQRT_FTZ:
        return 1 / std::sqrt(a);
    case SIN:
    case SIN_FTZ:
        return std::sin(a);
    case COS:
    case COS_FTZ:
        return std::cos(a);
    case LG2:
    case LG2_FTZ:
        return std::log2(a);
    case EX2:
    case EX2_FTZ:
        return std::exp2(a);
    case TANH:
        return std::tanh(a);
    default:
        return a / b;
    }
}

static real allowed_error(instruction instruction, real a, real wanted)
{
    const real size = std::fabs(wanted), two_pi = 6.28318530717958647692528676655900577L;

    switch (instruction) {
    case RCP:
    case RCP_FTZ:
        return 1 * ulp(wanted);
    case SQRT:
    case SQRT_FTZ:
        return std::ldexp(size, -23);
    case RSQRT:
    case RSQRT_FTZ:
        return size * std::exp2((real)-22.9);
    case SIN:
    case SIN_FTZ:
    case COS:
    case COS_FTZ:
        /* An H200's cosine of -4.78 is 1.006 times as far off as PTX says. */
        return std::fabs(a) <= two_pi        ? std::exp2((real)-20.49)
               : std::fabs(a) <= 50 * two_pi ? std::exp2((real)-14.7)
                                             : INFINITY; /* no promise */
    case LG2:
    case LG2_FTZ:
        return a > 0.5L && a < 2 ? std::ldexp((real)1, -22) : std::ldexp(size, -22);
    case TANH:
        return std::ldexp(size, -11);
    default: /* EX2, and quotients */
        return 2 * ulp(wanted);
    }
}

static bool is_ftz(instruction instruction)
{
    return std::strstr(names[instruction], ".ftz") != NULL;
}

static void approximations(const std::vector<float> &a, const std::vector<float> &b)
{
    for (int k = RCP; k <= DIV_FULL_FTZ; k++) {
        const instruction instruction = (enum instruction)k;
        const bool ftz = is_ftz(instruction);
        const std::vector<float> out = run(instruction, a, b, b);

        for (size_t i = 0; i < a.size(); i++) {
            const float x = ftz ? flushed(a[i]) : a[i], y = ftz ? flushed(b[i]) : b[i];
            const bool approx = instruction == DIV || instruction == DIV_FTZ;
            real wanted = true_value(instruction, x, y);
            if (approx && std::fabs(y) > 0x1p126f && std::isfinite(y))
                wanted = std::isfinite(x) ? std::copysign((real)0, wanted) : NAN;
            else if (approx && std::fabs(y) < 0x1p-126f)
                continue; /* no promise of the quotient */
            const real allowed = allowed_error(instruction, x, wanted);
            if (instruction >= SIN && instruction <= COS_FTZ && std::isinf(allowed) &&
                std::isfinite(x))
                continue;
            if (!is_near(out[i], wanted, std::isnan(allowed) || std::isinf(allowed) ? 0 : allowed,
                         ftz))
                complain(instruction, a[i], b[i], out[i], wanted, allowed);
        }
    }
}

/* Rounding. */

enum mode { NEAREST, ZERO, DOWN, UP };

/* `x` plus a rest that is less than its last place, as a number that rounds as they do: to odd. */
static real with_rest(real x, real rest)
{
    uint64_t mantissa;
    memcpy(&mantissa, &x, sizeof(mantissa)); /* the x87's: 64 bits, the first one written out */
    if (rest == 0 || mantissa & 1)
        return x;
    return std::nextafter(x, rest > 0 ? (real)INFINITY : (real)-INFINITY);
}

/* The float that `x` rounds to, and where it is on the way to the other neighbour. */
static float rounded(real x, mode mode)
{
    const float nearest = (float)x;
    if (mode == NEAREST || std::isnan(x) || std::isinf(x) || (real)nearest == x)
        return nearest;
    const bool above = (real)nearest > x;
    const bool wants_above = mode == UP || (mode == ZERO && x < 0);
    if (above == wants_above)
        return nearest;
    return std::nextafterf(nearest, wants_above ? INFINITY : -INFINITY);
}

static real exact_sum(real a, real b)
{
    const real sum = a + b;
    if (!std::isfinite(sum))
        return sum;
    const real virtual_b = sum - a;
    return with_rest(sum, (a - (sum - virtual_b)) + (b - virtual_b));
}

static real exact(instruction instruction, real a, real b, real c, mode mode)
{
    if (instruction >= FMA_RN) {
        const real sum = exact_sum(a * b, c); /* the product has 48 bits */
        return sum == 0 && a * b != 0 && c != 0 ? (mode == DOWN ? (real)-0.0 : (real)0) : sum;
    }
    /* 64 bits tell a quotient or a root of 24-bit numbers from every 25-bit one that it is not. */
    return instruction >= DIV_RN ? a / b : instruction >= SQRT_RN ? std::sqrt(a) : 1 / a;
}

static void roundings(const std::vector<float> &a, const std::vector<float> &b,
                      const std::vector<float> &c)
{
    for (int k = RCP_RN; k <= FMA_RP; k++) {
        const instruction instruction = (enum instruction)k;
        const mode mode = (enum mode)((k - RCP_RN) % 4);
        const std::vector<float> out = run(instruction, a, b, c);

        for (size_t i = 0; i < a.size(); i++) {
            const real wanted = exact(instruction, a[i], b[i], c[i], mode);
            const float right = rounded(wanted, mode);
            const bool same = std::isnan(right) ? std::isnan(out[i])
                              : right == 0 && instruction >= FMA_RN
                                  ? out[i] == 0
                                  : bits_of(out[i]) == bits_of(right);
            if (!same)
                complain(instruction, a[i], b[i], out[i], wanted, 0);
        }
    }
}

/* Conversions. */

__global__ void convert(const double *from, const int *ints, const float *floats, int n, float *out,
                        int *whole)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = __double2float_rn(from[i]);
    out[n + i] = __double2float_rz(from[i]);
    out[2 * n + i] = __double2float_rd(from[i]);
    out[3 * n + i] = __double2float_ru(from[i]);
    out[4 * n + i] = __int2float_rn(ints[i]);
    out[5 * n + i] = __int2float_rz(ints[i]);
    out[6 * n + i] = __int2float_rd(ints[i]);
    out[7 * n + i] = __int2float_ru(ints[i]);
    whole[i] = __float2int_rn(floats[i]);
    whole[n + i] = __float2int_rz(floats[i]);
    whole[2 * n + i] = __float2int_rd(floats[i]);
    whole[3 * n + i] = __float2int_ru(floats[i]);
}

static int whole_number(float x, mode mode)
{
    const real y = mode == NEAREST ? std::nearbyint((real)x)
                   : mode == ZERO  ? std::trunc((real)x)
                   : mode == DOWN  ? std::floor((real)x)
                                   : std::ceil((real)x);
    return std::isnan(y)         ? 0
           : y >= 2147483647     ? INT32_MAX
           : y <= -2147483648.0L ? INT32_MIN
                                 : (int)y;
}

static void conversions(const std::vector<float> &floats, const std::vector<float> &low)
{
    const int n = (int)floats.size();
    std::vector<double> doubles(n);
    std::vector<int> ints(n), whole(4 * n);
    std::vector<float> out(8 * n);
    double *d_doubles;
    int *d_ints, *d_whole;
    float *d_result;

    for (int i = 0; i < n; i++) {
        /* A float, and something below its last place. */
        doubles[i] = (double)floats[i] * (1 + 0x1p-25 * (i % 4) + (i % 3 ? 0x1p-40 : 0));
        ints[i] = (int)bits_of(low[i]) >> i % 31;
    }
    EXPECT_SUCCESS(cudaMalloc(&d_doubles, n * sizeof(double)));
    EXPECT_SUCCESS(cudaMalloc(&d_ints, n * sizeof(int)));
    EXPECT_SUCCESS(cudaMalloc(&d_whole, 4 * n * sizeof(int)));
    EXPECT_SUCCESS(cudaMalloc(&d_result, 8 * n * sizeof(float)));
    EXPECT_SUCCESS(cudaMemcpy(d_doubles, doubles.data(), n * sizeof(double), cudaMemcpyDefault));
    EXPECT_SUCCESS(cudaMemcpy(d_ints, ints.data(), n * sizeof(int), cudaMemcpyDefault));
    EXPECT_SUCCESS(cudaMemcpy(d_a, floats.data(), n * sizeof(float), cudaMemcpyDefault));
    EXPECT_LAUNCH(cudaSuccess, convert<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_doubles, d_ints, d_a,
                                                                           n, d_result, d_whole));
    EXPECT_SUCCESS(cudaMemcpy(out.data(), d_result, 8 * n * sizeof(float), cudaMemcpyDefault));
    EXPECT_SUCCESS(cudaMemcpy(whole.data(), d_whole, 4 * n * sizeof(int), cudaMemcpyDefault));
    int wrong = 0;
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < n; i++) {
            const float narrow = rounded(doubles[i], (mode)m);
            const float of_int = rounded(ints[i], (mode)m);
            wrong += std::isnan(narrow) ? !std::isnan(out[m * n + i])
                                        : bits_of(out[m * n + i]) != bits_of(narrow);
            wrong += out[(4 + m) * n + i] != of_int;
            wrong += whole[m * n + i] != whole_number(floats[i], (mode)m);
        }
    EXPECT(wrong == 0);
    EXPECT_SUCCESS(cudaFree(d_doubles));
    EXPECT_SUCCESS(cudaFree(d_ints));
    EXPECT_SUCCESS(cudaFree(d_whole));
    EXPECT_SUCCESS(cudaFree(d_result));
}

int main()
{
    const std::vector<float> a = all_exponents();
    const size_t n = a.size();
    std::vector<float> b(n), c(n), tame(n), small(n), angles(n);

    for (size_t i = 0; i < n; i++) {
        b[i] = a[mixed((uint32_t)i) % n];
        c[i] = a[mixed((uint32_t)i * 3 + 1) % n];
        /* Quotients and sums that neither overflow nor vanish; and exponents of 2. */
        tame[i] = float_of((mixed((uint32_t)i * 7) & 0x807FFFFF) | (127 - 12 + i % 25) << 23);
        small[i] = float_of((mixed((uint32_t)i * 5) & 0x807FFFFF) | (127 - 30 + i % 37) << 23);
        angles[i] = (float)i / (float)n * 640 - 320;
    }
    for (float **pointer : {&d_a, &d_b, &d_c, &d_out})
        EXPECT_SUCCESS(cudaMalloc(pointer, n * sizeof(float)));
    approximations(a, b);
    approximations(small, a);
    approximations(angles, tame);
    roundings(a, b, c);
    roundings(tame, small, tame);
    roundings(small, tame, a);
    conversions(a, b);
    conversions(small, tame);
    return finish();
}
