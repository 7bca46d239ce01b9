/* SPDX-License-Identifier: MIT */
/* What a C loop for the same CPU makes of the kernels that benchmarks/emulator times: one core,
 * sizes as there, loops that the compiler makes vectors of.
 *
 * usage: plain_loops PROGRAM LAUNCHES: prints one number of the last result.
 *
 * Exit status: 0 done, 2 bad usage.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, ELEMENTS = 1 << 20, POINTS = 4096, SIGNALS = 32, NUMBERS = 4096, LANES = 64 };

static float a[ELEMENTS], b[N * N], c[N * N];
static int num[ELEMENTS];
static uint64_t numbers[NUMBERS];
static float complex signal[SIGNALS][POINTS], work[2][POINTS], root[POINTS];
static volatile double result;

/* c = a b, a row of c at a time. */
static void product(void)
{
    for (int i = 0; i < N; i++) {
        float sum[N] = {0};

        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                sum[j] = fmaf(a[i * N + k], b[k * N + j], sum[j]);
        memcpy(c + (size_t)i * N, sum, sizeof(sum));
    }
    result = c[N];
}

/* The same after Kahan, as m2 to m7 add; so many columns at a time as registers hold. */
static void product_kahan(void)
{
    for (int i = 0; i < N; i++)
        for (int first = 0; first < N; first += LANES) {
            float sum[LANES] = {0}, rest[LANES] = {0};

            for (int k = 0; k < N; k++)
                for (int j = 0; j < LANES; j++) {
                    const float term = fmaf(-a[i * N + k], b[k * N + first + j], rest[j]);
                    const float next = sum[j] - term;

                    rest[j] = next - sum[j] + term;
                    sum[j] = next;
                }
            memcpy(c + (size_t)i * N + first, sum, sizeof(sum));
        }
    result = c[N];
}

static void sum(void)
{
    float sums[LANES] = {0}, all = 0;

    for (int i = 0; i < ELEMENTS; i += LANES)
        for (int j = 0; j < LANES; j++)
            sums[j] += a[i + j];
    for (int j = 0; j < LANES; j++)
        all += sums[j];
    result = all;
}

static void sum_of_squares(void)
{
    unsigned all = 0;

    for (int i = 0; i < ELEMENTS; i++)
        all += (unsigned)num[i] * (unsigned)num[i];
    result = all;
}

/* Six passes of radix 4 after Stockham, whose results come in order (Cochran and others, "What is
 * the fast Fourier transform?", 1967). */
static void transform(const float complex *from)
{
    float complex *to = work[0];

    for (int done = 1; done < POINTS; done *= 4) {
        const int apart = POINTS / 4, left = apart / done;

        for (int p = 0; p < left; p++) {
            const float complex w1 = root[p * done], w2 = root[2 * p * done],
                                w3 = root[3 * p * done];

            for (int q = 0; q < done; q++) {
                const float complex *const v = from + q + done * p;
                float complex *const r = to + q + done * 4 * p;
                const float complex plus02 = v[0] + v[2 * apart], plus13 = v[apart] + v[3 * apart];
                const float complex minus02 = v[0] - v[2 * apart],
                                    minus13 = v[apart] - v[3 * apart];
                const float complex turned = CMPLXF(cimagf(minus13), -crealf(minus13));

                r[0] = plus02 + plus13;
                r[done] = w1 * (minus02 + turned);
                r[2 * done] = w2 * (plus02 - plus13);
                r[3 * done] = w3 * (minus02 - turned);
            }
        }
        from = to;
        to = to == work[0] ? work[1] : work[0];
    }
}

static void transforms(void)
{
    for (int i = 0; i < SIGNALS; i++)
        transform(signal[i]);
    result = crealf(work[1][1]);
}

__extension__ typedef unsigned __int128 uint128;

static uint64_t times(uint64_t x, uint64_t y, uint64_t n, uint64_t inverse)
{
    const uint128 product = (uint128)x * y;
    const uint64_t high = (uint64_t)(product >> 64);
    const uint64_t take = (uint64_t)((uint128)((uint64_t)product * inverse) * n >> 64);

    return high - take + (high < take ? n : 0);
}

/* Whether an odd n passes the strong test to `base` (Montgomery's products). */
static int passes(uint64_t n, uint64_t base)
{
    const uint64_t one = (0 - n) % n, form = (uint64_t)((uint128)one * (base % n) % n);
    const int twos = __builtin_ctzll(n - 1);
    uint64_t inverse = n, power = one;

    for (int i = 0; i < 5; i++)
        inverse *= 2 - n * inverse;
    for (int bit = 63; bit >= twos; bit--) {
        power = times(power, power, n, inverse);
        if ((n - 1) >> bit & 1)
            power = times(power, form, n, inverse);
    }
    if (power == one || !form)
        return 1;
    for (int i = 1; power != n - one && i < twos; i++)
        power = times(power, power, n, inverse);
    return power == n - one;
}

static void primes(void)
{
    static const uint64_t bases[] = {2, 325, 9375, 28178, 450775, 9780504, 1795265022};
    int found = 0;

    for (int i = 0; i < NUMBERS; i++) {
        const uint64_t n = numbers[i];
        int prime = 1;

        for (int d = 3; prime && d < 30; d += 2)
            prime = n % (unsigned)d != 0;
        for (int k = 0; prime && k < 7; k++)
            prime = passes(n, bases[k]);
        found += prime;
    }
    result = found;
}

static const struct {
    const char *program;
    void (*launch)(void);
} loops[] = {{"matmul/m1_naive", product},         {"matmul/m3_row_shared", product_kahan},
             {"matmul/m5_tiled", product_kahan},   {"matmul/m7_dynamic_tile", product_kahan},
             {"reduction/r8_shuffle", sum},        {"sumsq/v7b_unrolled", sum_of_squares},
             {"sgemm/s05_double_buffer", product}, {"fft/f4_4096", transforms},
             {"prime/p5a_batch", primes}};

static void fill(void)
{
    uint64_t state = 88172645463325252; /* Marsaglia, "Xorshift RNGs", 2003 */

    for (int i = 0; i < ELEMENTS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        num[i] = (int)(state & 15);
        a[i] = (float)num[i];
        b[i % (N * N)] = a[i];
        numbers[i % NUMBERS] = state | 1;
        signal[i % SIGNALS][i / SIGNALS % POINTS] = a[i];
    }
    for (int i = 0; i < POINTS; i++)
        root[i] = cexpf(CMPLXF(0, -6.2831853F * (float)i / POINTS));
}

int main(int argc, char **argv)
{
    fill();
    for (size_t i = 0; argc == 3 && i < sizeof(loops) / sizeof(loops[0]); i++)
        if (!strcmp(argv[1], loops[i].program)) {
            for (long left = strtol(argv[2], NULL, 10); left > 0; left--)
                loops[i].launch();
            printf("%.9g\n", result);
            return 0;
        }
    fputs("usage: plain_loops PROGRAM LAUNCHES\n", stderr);
    return 2;
}
