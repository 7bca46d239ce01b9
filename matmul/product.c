#include "product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multiply_vector.h"

enum { TOGETHER = 4 }; /* rows of C that share one pass over a row of B */

/* `count` rows of A B, 1 to TOGETHER, into c. The products of an element are added in the order of
 * k. */
static void multiply_rows(const float *a, size_t lda, const float *b, size_t ldb, double *c,
                          int count, int n)
{
    memset(c, 0, (size_t)count * (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++) {
        const float *row = b + (size_t)k * ldb;

        for (int i = 0; i < count; i++) {
            const double factor = (double)a[(size_t)i * lda + (size_t)k];
            double *out = c + (size_t)i * (size_t)n;

            for (int j = 0; j < n; j++)
                out[j] += factor * (double)row[j];
        }
    }
}

void matmul_cpu(const float *a, size_t lda, const float *b, size_t ldb, double *c, int first,
                int last, int n)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if ((int64_t)(last - first) * n * n > WORTH_THREADS)
#endif
    for (int i = first; i < last; i += TOGETHER)
        multiply_rows(a + (size_t)i * lda, lda, b, ldb, c + (size_t)(i - first) * (size_t)n,
                      last - i < TOGETHER ? last - i : TOGETHER, n);
}

/* Elements of C beside what they should be. */
struct sample {
    float *result;
    double *reference, *tolerance;
    size_t count;
};

static struct sample new_sample(size_t room)
{
    return (struct sample){
        .result = memory_host(room * sizeof(float)),
        .reference = memory_host(room * sizeof(double)),
        .tolerance = memory_host(room * sizeof(double)),
    };
}

static void free_sample(struct sample *sample)
{
    free(sample->result);
    free(sample->reference);
    free(sample->tolerance);
}

/* Add rows `first` to `last` - 1. */
static void take_rows(struct sample *sample, const struct product *p, int first, int last)
{
    const size_t n = (size_t)p->n;

    matmul_cpu(p->a, p->lda, p->b, p->ldb, sample->reference + sample->count, first, last, p->n);
    for (int i = first; i < last; i++, sample->count += n)
        memcpy(sample->result + sample->count, p->c + (size_t)i * p->ldc, n * sizeof(float));
}

static void take_column(struct sample *sample, const struct product *p, int j)
{
    for (int i = 0; i < p->n; i++) {
        const float *row = p->a + (size_t)i * p->lda;
        double sum = 0;

        for (int k = 0; k < p->n; k++)
            sum += (double)row[k] * (double)p->b[(size_t)k * p->ldb + (size_t)j];
        sample->reference[sample->count] = sum;
        sample->result[sample->count++] = p->c[(size_t)i * p->ldc + (size_t)j];
    }
}

static struct sample take_sample(const struct product *p, struct rng *rng)
{
    const size_t n = (size_t)p->n;
    struct sample sample = new_sample(n <= PRODUCT_WHOLE ? n * n : 2 * PRODUCT_SAMPLES * n);

    if (n <= PRODUCT_WHOLE) {
        take_rows(&sample, p, 0, p->n);
        return sample;
    }
    for (int i = 0; i < PRODUCT_SAMPLES; i++) {
        const int row = (int)rng_below(rng, (uint32_t)n);

        take_rows(&sample, p, row, row + 1);
        take_column(&sample, p, (int)rng_below(rng, (uint32_t)n));
    }
    return sample;
}

static struct product_errors find_errors(const struct sample *sample)
{
    struct product_errors errors = {.compared = sample->count};
    double sum = 0;

    for (size_t i = 0; i < sample->count; i++) {
        const double difference = fabs((double)sample->result[i] - sample->reference[i]);
        const double error = difference == 0 ? 0 : difference / sample->reference[i];

        if (!(error <= errors.max) && !isnan(errors.max)) /* so that NaN counts, and stays */
            errors.max = error;
        sum += error;
    }
    errors.average = sample->count ? sum / (double)sample->count : 0;
    return errors;
}

/* Freivalds' test of the whole of C. The verdict is left alone where C passes. */
static void test_whole(const struct product *p, double bound, struct rng *rng,
                       struct verdict *verdict)
{
    const size_t n = (size_t)p->n;
    double *x = memory_host(7 * n * sizeof(double));
    double *ones = x + n, *bx = x + 2 * n, *b1 = x + 3 * n, *expected = x + 4 * n,
           *found = x + 5 * n, *magnitude = x + 6 * n;

    memset(bx, 0, 5 * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        x[i] = rng_below(rng, 2) ? 1 : -1;
        ones[i] = 1;
    }
    multiply_vector(p->b, p->ldb, n, n, 1, x, bx);
    multiply_vector(p->a, p->lda, n, n, 1, bx, expected);
    multiply_vector(p->c, p->ldc, n, n, 1, x, found);
    multiply_vector(p->b, p->ldb, n, n, 1, ones, b1);
    multiply_vector(p->a, p->lda, n, n, 1, b1, magnitude);
    for (size_t i = 0; i < n && verdict->match; i++) {
        const double tolerance = (bound + 4 * (double)n * 0x1p-53) * magnitude[i];

        if (!(fabs(found[i] - expected[i]) <= tolerance)) {
            *verdict = compare_float(found[i], expected[i], tolerance);
            snprintf(verdict->why, sizeof(verdict->why),
                     "row %zu of C, added up with random signs, is not that of A B", i);
        }
    }
    free(x);
}

struct verdict product_check(const struct product *product, double bound, uint64_t seed,
                             struct product_errors *errors)
{
    struct rng rng = rng_seed(seed);
    struct sample sample = take_sample(product, &rng);
    struct verdict verdict;

    for (size_t i = 0; i < sample.count; i++)
        sample.tolerance[i] = bound * sample.reference[i];
    verdict = compare_floats(sample.result, sample.reference, sample.tolerance, sample.count);
    *errors = find_errors(&sample);
    free_sample(&sample);
    if (verdict.match && product->n > PRODUCT_WHOLE)
        test_whole(product, bound, &rng, &verdict);
    return verdict;
}
