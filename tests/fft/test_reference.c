/* SPDX-License-Identifier: MIT */
/* The CPU's transform: against the definition, the properties it must have, and FFTW. */
#include <math.h>
#include <stdlib.h>

#include "../cmocka_main.h"
#include "fft.h"

#ifdef HAVE_FFTW
#include <fftw3.h>
#endif

enum { MOST = 4096 };

static const double tolerance = 1e-14; /* of the 2-norm: log2(4096) roundings of double, and room */

static struct fft_point *new_points(int n)
{
    return memory_host((size_t)n * sizeof(struct fft_point));
}

static struct fft_point *random_signal(int n, uint64_t seed)
{
    struct fft_point *signal = new_points(n);
    struct rng rng = rng_seed(seed);

    for (int j = 0; j < n; j++) {
        signal[j].x = 2 * (double)rng_float(&rng) - 1;
        signal[j].y = 2 * (double)rng_float(&rng) - 1;
    }
    return signal;
}

static struct fft_point *transform(const struct fft_point *in, int n, bool inverse)
{
    struct fft_point *out = new_points(n), *roots = fft_reference_roots(n);

    fft_reference(in, out, n, inverse, roots);
    free(roots);
    return out;
}

static struct fft_point times(struct fft_point a, struct fft_point b)
{
    return (struct fft_point){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* exp(2 pi i k / n) */
static struct fft_point turn(int64_t k, int n)
{
    const double angle = 2 * M_PI * (double)(k % n) / n;

    return (struct fft_point){cos(angle), sin(angle)};
}

static double norm(const struct fft_point *a, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i].x * a[i].x + a[i].y * a[i].y;
    return sqrt(sum);
}

/* a is b, as far as rounding goes. */
static void assert_same(const struct fft_point *a, const struct fft_point *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (a[i].x - b[i].x) * (a[i].x - b[i].x) + (a[i].y - b[i].y) * (a[i].y - b[i].y);
    assert_true(sqrt(sum) <= tolerance * norm(b, n));
}

TEST(test_definition)
{
    for (int n = 1; n <= 128; n *= 2)
        for (int inverse = 0; inverse < 2; inverse++) {
            struct fft_point *in = random_signal(n, 1), *expected = new_points(n);
            struct fft_point *out = transform(in, n, inverse);

            for (int k = 0; k < n; k++) {
                expected[k] = (struct fft_point){0, 0};
                for (int j = 0; j < n; j++) {
                    const struct fft_point term =
                        times(in[j], turn(inverse ? (int64_t)j * k : n - (int64_t)j * k % n, n));

                    expected[k].x += term.x;
                    expected[k].y += term.y;
                }
            }
            assert_same(out, expected, n);
            free(in);
            free(out);
            free(expected);
        }
}

/* An impulse at any place is a tone; a tone of any bin is an impulse. */
TEST(test_impulses_and_tones)
{
    for (int n = 1; n <= 64; n *= 2)
        for (int at = 0; at < n; at++) {
            struct fft_point *impulse = new_points(n), *tone = new_points(n), *out;

            for (int j = 0; j < n; j++) {
                impulse[j] = (struct fft_point){j == at ? n : 0, 0};
                tone[j] = turn((int64_t)j * at, n);
            }
            out = transform(tone, n, false);
            assert_same(out, impulse, n);
            free(out);
            for (int j = 0; j < n; j++)
                impulse[j].x /= n;
            out = transform(impulse, n, true);
            assert_same(out, tone, n);
            free(out);
            free(impulse);
            free(tone);
        }
}

TEST(test_constant)
{
    for (int n = 1; n <= MOST; n *= 2) {
        struct fft_point *in = new_points(n), *expected = new_points(n), *out;

        for (int j = 0; j < n; j++) {
            in[j] = (struct fft_point){0.75, 0.25};
            expected[j] = (struct fft_point){0, 0};
        }
        expected[0] = (struct fft_point){0.75 * n, 0.25 * n};
        out = transform(in, n, false);
        assert_same(out, expected, n);
        free(in);
        free(expected);
        free(out);
    }
}

TEST(test_linear)
{
    const struct fft_point factor = {0.3, -1.7};

    for (int n = 1; n <= MOST; n *= 2) {
        struct fft_point *a = random_signal(n, 2), *b = random_signal(n, 3), *sum = new_points(n);
        struct fft_point *of_a = transform(a, n, false), *of_b = transform(b, n, false), *of_sum;

        for (int j = 0; j < n; j++) {
            const struct fft_point scaled = times(factor, b[j]), of_scaled = times(factor, of_b[j]);

            sum[j] = (struct fft_point){a[j].x + scaled.x, a[j].y + scaled.y};
            of_a[j] = (struct fft_point){of_a[j].x + of_scaled.x, of_a[j].y + of_scaled.y};
        }
        of_sum = transform(sum, n, false);
        assert_same(of_sum, of_a, n);
        free(a);
        free(b);
        free(sum);
        free(of_a);
        free(of_b);
        free(of_sum);
    }
}

/* Parseval: the transform is n times as long in squares. */
TEST(test_energy)
{
    for (int n = 1; n <= MOST; n *= 2) {
        struct fft_point *in = random_signal(n, 4), *out = transform(in, n, false);
        const double expected = sqrt(n) * norm(in, n);

        assert_true(fabs(norm(out, n) - expected) <= tolerance * expected);
        free(in);
        free(out);
    }
}

TEST(test_there_and_back)
{
    for (int n = 1; n <= MOST; n *= 2)
        for (int inverse = 0; inverse < 2; inverse++) {
            struct fft_point *in = random_signal(n, 5), *middle = transform(in, n, inverse);
            struct fft_point *out = transform(middle, n, !inverse);

            for (int j = 0; j < n; j++)
                out[j] = (struct fft_point){out[j].x / n, out[j].y / n};
            assert_same(out, in, n);
            free(in);
            free(middle);
            free(out);
        }
}

/* Moving a signal turns its transform. */
TEST(test_shift)
{
    const int by = 3;

    for (int n = 4; n <= MOST; n *= 2) {
        struct fft_point *in = random_signal(n, 6), *moved = new_points(n);
        struct fft_point *expected = transform(in, n, false), *out;

        for (int j = 0; j < n; j++) {
            moved[(j + by) % n] = in[j];
            expected[j] = times(expected[j], turn(n - (int64_t)by * j % n, n));
        }
        out = transform(moved, n, false);
        assert_same(out, expected, n);
        free(in);
        free(moved);
        free(expected);
        free(out);
    }
}

TEST(test_fftw)
{
#ifdef HAVE_FFTW
    for (int n = 1; n <= FFT_MAX_N; n *= n < 1024 ? 2 : 4)
        for (int inverse = 0; inverse < 2; inverse++) {
            struct fft_point *in = random_signal(n, 7), *out = transform(in, n, inverse);
            struct fft_point *expected = new_points(n);
            const fftw_plan plan =
                fftw_plan_dft_1d(n, (fftw_complex *)in, (fftw_complex *)expected,
                                 inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);

            fftw_execute(plan); /* an estimate leaves the input as it is */
            fftw_destroy_plan(plan);
            assert_same(out, expected, n);
            free(in);
            free(out);
            free(expected);
        }
#else
    print_message("FFTW was not found when this was built\n");
    skip();
#endif
}

/* The roots of a step's table: eight of them are exact, all are rounded once. */
TEST(test_roots)
{
    enum { N = 1024 };
    float2 roots[N];

    fft_roots(roots, N, N);
    assert_true(roots[0].x == 1 && roots[0].y == 0);
    assert_true(roots[N / 4].x == 0 && roots[N / 4].y == -1);
    assert_true(roots[N / 2].x == -1 && roots[N / 2].y == 0);
    assert_true(roots[3 * N / 4].x == 0 && roots[3 * N / 4].y == 1);
    assert_true(roots[N / 8].x == -roots[N / 8].y);
    for (int k = 0; k < N; k++) {
        assert_true(roots[k].x == (float)cos(2 * M_PI * k / N) || fabsf(roots[k].x) < 1e-7f);
        assert_true(roots[k].y == (float)-sin(2 * M_PI * k / N) || fabsf(roots[k].y) < 1e-7f);
    }
}

/* --- What fft_check() catches ----------------------------------------------------------------- */

enum { N = 256, BATCH = 3 };

/* Signals and their transforms, each point rounded once. */
static struct fft_host new_host(bool interleaved)
{
    float2 *in = memory_host(N * BATCH * sizeof(float2)),
           *out = memory_host(N * BATCH * sizeof(float2));
    const struct fft_host host = {.p = {.n = N, .batch = BATCH, .in = in, .out = out},
                                  .interleaved = interleaved};

    for (int s = 0; s < BATCH; s++) {
        struct fft_point *signal = random_signal(N, (uint64_t)s),
                         *of_signal = transform(signal, N, false);

        for (int j = 0; j < N; j++) {
            const int place = interleaved ? j * BATCH + s : s * N + j;

            in[place] = (float2){(float)signal[j].x, (float)signal[j].y};
            out[place] = (float2){(float)of_signal[j].x, (float)of_signal[j].y};
        }
        free(signal);
        free(of_signal);
    }
    return host;
}

static void free_host(struct fft_host *host)
{
    free((void *)host->p.in);
    free(host->p.out);
}

static bool matches(const struct fft_host *host)
{
    double l2, peak;

    return fft_check(host, &l2, &peak).match;
}

TEST(test_right)
{
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        struct fft_host host = new_host(interleaved);
        double l2, peak;

        assert_true(fft_check(&host, &l2, &peak).match);
        assert_true(l2 > 0 && l2 < 0x1p-24 && peak > 0 && peak < 0x1p-24);
        host.interleaved = !interleaved; /* the other layout is another signal */
        assert_false(matches(&host));
        host.interleaved = interleaved;
        host.p.inverse = true;
        assert_false(matches(&host));
        free_host(&host);
    }
}

TEST(test_wrong_points)
{
    const float wrong[] = {NAN, INFINITY, 0, 1e30f};

    for (int i = 0; i < 4; i++) {
        struct fft_host host = new_host(false);

        host.p.out[N * BATCH - 1].y = wrong[i];
        assert_false(matches(&host));
        free_host(&host);
    }
}

/* Off by too little for the 2-norm, but in one point. */
TEST(test_peak)
{
    struct fft_host host = new_host(false);
    double l2, peak;
    const double rms = sqrt(N * 2 / 3.0);

    host.p.out[5].x += (float)(1.5 * FFT_PEAK * fft_bound(N, 0) * rms);
    assert_false(fft_check(&host, &l2, &peak).match);
    assert_true(l2 <= fft_bound(N, 0));
    assert_true(peak > fft_bound(N, 0));
    free_host(&host);
}

/* Each point only a little off, but all of them. */
TEST(test_everywhere)
{
    struct fft_host host = new_host(false);

    for (int i = 0; i < N * BATCH; i++)
        host.p.out[i].x *= 1 + 0x1p-20f;
    assert_false(matches(&host));
    free_host(&host);
}

/* Roots that are off by 2^-20 cost what fft_bound() says, within a factor of two. So the result
 * passes where the step says that of its roots, and no other does. */
TEST(test_inexact_roots)
{
    const double off = 0x1p-20;
    struct fft_host host = new_host(false);
    struct fft_point *roots = fft_reference_roots(N), *in = new_points(N), *out = new_points(N);
    struct rng rng = rng_seed(8);
    double l2, peak;

    for (int k = 0; k < N; k++) {
        const double angle = 2 * M_PI * (double)rng_float(&rng);

        roots[k].x += off * cos(angle);
        roots[k].y += off * sin(angle);
    }
    for (int s = 0; s < BATCH; s++) {
        for (int j = 0; j < N; j++)
            in[j] =
                (struct fft_point){(double)host.p.in[s * N + j].x, (double)host.p.in[s * N + j].y};
        fft_reference(in, out, N, false, roots);
        for (int k = 0; k < N; k++)
            host.p.out[s * N + k] = (float2){(float)out[k].x, (float)out[k].y};
    }
    assert_false(matches(&host));
    host.root_error = off;
    assert_true(fft_check(&host, &l2, &peak).match);
    assert_true(l2 > 0.5 * fft_bound(N, off));
    host.p.out[0].x *= 1 + 0x1p-14f;
    host.p.out[1].x *= 1 + 0x1p-14f;
    assert_false(matches(&host));
    free(roots);
    free(in);
    free(out);
    free_host(&host);
}

TEST(test_silence)
{
    struct fft_host host = new_host(false);

    for (int i = 0; i < N * BATCH; i++)
        ((float2 *)host.p.in)[i] = host.p.out[i] = (float2){0, 0};
    assert_true(matches(&host));
    host.p.out[7].x = 1e-30f;
    assert_false(matches(&host));
    free_host(&host);
}

TEST_MAIN()
