/* Is C what it should be? */
#include "sgemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multiply_vector.h"

static const double u = 0x1p-24;

/* Rows to compare: what they are, what they should be, what they may be off by. */
struct sample {
    float *result;
    double *sum, *reference, *tolerance; /* `sum` is of A B alone */
    size_t count;
};

/* Row `row` of A B, accumulated in double, into sum[0] ... sum[n - 1]. */
static void multiply_row(const struct sgemm *p, int row, double *sum)
{
    const float *a = p->a + (size_t)row * (size_t)p->lda;

    memset(sum, 0, (size_t)p->n * sizeof(double));
    for (int k = 0; k < p->k; k++) {
        const float *b = p->b + (size_t)k * (size_t)p->ldb;

        for (int j = 0; j < p->n; j++)
            sum[j] += (double)a[k] * (double)b[j];
    }
}

/* Row `row` of C becomes row `index` of the sample. */
static void take_row(struct sample *sample, const struct sgemm_host *host, double rounding, int row,
                     size_t index)
{
    const struct sgemm *p = &host->p;
    const size_t n = (size_t)p->n, from = (size_t)row * (size_t)p->ldc, to = index * n;

    multiply_row(p, row, sample->sum + to);
    memcpy(sample->result + to, host->result + from, n * sizeof(float));
    for (size_t j = 0; j < n; j++) {
        const double product = (double)p->alpha * sample->sum[to + j];
        const double before = p->beta == 0 ? 0 : (double)p->beta * (double)p->c[from + j];

        sample->reference[to + j] = product + before;
        sample->tolerance[to + j] =
            ((p->k + 2) * u + rounding) * fabs(product) + (2 * u + rounding) * fabs(before);
    }
}

static struct sample take_sample(const struct sgemm_host *host, double rounding, uint64_t seed)
{
    const struct sgemm *p = &host->p;
    const bool whole = p->m <= SGEMM_WHOLE && p->n <= SGEMM_WHOLE;
    const int rows = whole || p->m < SGEMM_SAMPLES ? p->m : SGEMM_SAMPLES;
    const size_t count = (size_t)rows * (size_t)p->n;
    struct sample sample = {
        .result = memory_host(count * sizeof(float)),
        .sum = memory_host(count * sizeof(double)),
        .reference = memory_host(count * sizeof(double)),
        .tolerance = memory_host(count * sizeof(double)),
        .count = count,
    };
    int chosen[SGEMM_SAMPLES];
    struct rng rng = rng_seed(seed);

    for (int i = 0; i < SGEMM_SAMPLES && p->m > 0; i++)
        chosen[i] = (int)rng_below(&rng, (uint32_t)p->m);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if ((int64_t)rows * p->n * p->k > WORTH_THREADS)
#endif
    for (int i = 0; i < rows; i++)
        take_row(&sample, host, rounding, rows == p->m ? i : chosen[i], (size_t)i);
    return sample;
}

static void free_sample(struct sample *sample)
{
    free(sample->result);
    free(sample->sum);
    free(sample->reference);
    free(sample->tolerance);
}

/* The largest error, as a share of the magnitudes added up; NaN if there is any. */
static double largest_error(const struct sample *sample, const struct sgemm *p)
{
    double largest = 0;

    for (size_t i = 0; i < sample->count; i++) {
        const double product = (double)p->alpha * sample->sum[i];
        const double size = fabs(product) + fabs(sample->reference[i] - product);
        const double off = fabs((double)sample->result[i] - sample->reference[i]);
        const double error = off == 0 ? 0 : off / size;

        if (!(error <= largest) && !isnan(largest)) /* so that NaN counts, and stays */
            largest = error;
    }
    return largest;
}

/* Freivalds' test of all of C: C x = alpha A (B x) + beta C x for a random x of -1 and 1
 * ("Probabilistic machines can use less running time", IFIP Congress 1977). An element that is off
 * by more than its row's rounding is found with a chance of one half or more. */
static void test_whole(const struct sgemm_host *host, double rounding, uint64_t seed,
                       struct verdict *verdict)
{
    const struct sgemm *p = &host->p;
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    double *x = memory_host((2 * n + 2 * k + 3 * m) * sizeof(double));
    double *ones = x + n, *bx = ones + n, *b1 = bx + k;
    double *expected = b1 + k, *size = expected + m, *found = size + m;
    struct rng rng = rng_seed(~seed);

    memset(bx, 0, (2 * k + 3 * m) * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        x[j] = rng_next(&rng) & 1 ? 1 : -1;
        ones[j] = 1;
    }
    multiply_vector(p->b, (size_t)p->ldb, k, n, 1, x, bx);
    multiply_vector(p->b, (size_t)p->ldb, k, n, 1, ones, b1);
    multiply_vector(p->a, (size_t)p->lda, m, k, (double)p->alpha, bx, expected);
    multiply_vector(p->a, (size_t)p->lda, m, k, fabs((double)p->alpha), b1, size);
    if (p->beta != 0) {
        multiply_vector(p->c, (size_t)p->ldc, m, n, (double)p->beta, x, expected);
        multiply_vector(p->c, (size_t)p->ldc, m, n, fabs((double)p->beta), ones, size);
    }
    multiply_vector(host->result, (size_t)p->ldc, m, n, 1, x, found);
    for (size_t i = 0; i < m && verdict->match; i++) {
        if (fabs(found[i] - expected[i]) <= ((p->k + 4) * u + rounding) * size[i])
            continue;
        verdict->match = false;
        snprintf(verdict->why, sizeof(verdict->why), "row %zu of C is wrong: %g is no %g", i,
                 found[i], expected[i]);
    }
    free(x);
}

/* What lies between the rows of C is as it was. */
static void test_gaps(const struct sgemm_host *host, struct verdict *verdict)
{
    const struct sgemm *p = &host->p;
    const size_t n = (size_t)p->n, ld = (size_t)p->ldc;

    for (size_t i = 0; i < (size_t)p->m && verdict->match; i++) {
        if (!memcmp(host->result + i * ld + n, p->c + i * ld + n, (ld - n) * sizeof(float)))
            continue;
        verdict->match = false;
        snprintf(verdict->why, sizeof(verdict->why), "C was written behind the end of row %zu", i);
    }
}

struct verdict sgemm_check(const struct sgemm_host *host, double rounding, uint64_t seed,
                           double *error)
{
    const struct sgemm *p = &host->p;
    struct sample sample = take_sample(host, rounding, seed);
    struct verdict verdict =
        compare_floats(sample.result, sample.reference, sample.tolerance, sample.count);

    *error = largest_error(&sample, p);
    if (verdict.match && sample.count < (size_t)p->m * (size_t)p->n)
        test_whole(host, rounding, seed, &verdict);
    if (verdict.match)
        test_gaps(host, &verdict);
    free_sample(&sample);
    return verdict;
}
