/* SPDX-License-Identifier: MIT */
/* product.c: the CPU's product, and what its check catches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "product.h"

/* Random A and B with gaps between rows, and C their product, rounded once. */
static struct product new_product(int n)
{
    const size_t rows = (size_t)n;
    struct product p = {.lda = rows + 1, .ldb = rows + 2, .ldc = rows, .n = n};
    struct rng rng = rng_seed(7);

    p.a = memory_host(rows * p.lda * sizeof(float));
    p.b = memory_host(rows * p.ldb * sizeof(float));
    p.c = memory_host(rows * rows * sizeof(float));
    for (size_t i = 0; i < rows * p.lda; i++)
        p.a[i] = rng_float(&rng);
    for (size_t i = 0; i < rows * p.ldb; i++)
        p.b[i] = rng_float(&rng);
    return p;
}

static void fill_product(struct product *p)
{
    const size_t n = (size_t)p->n;
    double *c = memory_host(n * n * sizeof(double));

    matmul_cpu(p->a, p->lda, p->b, p->ldb, c, 0, p->n, p->n);
    for (size_t i = 0; i < n * n; i++)
        p->c[i] = (float)c[i];
    free(c);
}

static void free_product(struct product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
}

static bool passes(const struct product *p, double bound, struct product_errors *errors)
{
    return product_check(p, bound, 3, errors).match;
}

/* Against the definition, element by element, for rows that do not come in fours. */
TEST(test_cpu)
{
    enum { N = 7 };
    struct product p = new_product(N);
    double c[3 * N];

    matmul_cpu(p.a, p.lda, p.b, p.ldb, c, 2, 5, N);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;

            for (size_t k = 0; k < N; k++)
                sum += (double)p.a[(i + 2) * p.lda + k] * (double)p.b[k * p.ldb + j];
            assert_true(c[i * N + j] == sum);
        }
    free_product(&p);
}

/* A product rounded once is off by half a unit in the last place at most; NaN, a zero and a swap of
 * two elements are found, and a NaN stays the largest error. */
TEST(test_check)
{
    const double bound = 0x1p-24;
    struct product_errors errors;
    struct product p = new_product(33);
    float kept;

    fill_product(&p);
    assert_true(passes(&p, bound, &errors));
    assert_true(errors.max > 0 && errors.max <= bound);
    assert_true(errors.average > 0 && errors.average < errors.max);
    assert_int_equal(errors.compared, 33 * 33);

    kept = p.c[5];
    p.c[5] = NAN;
    assert_false(passes(&p, bound, &errors));
    assert_true(isnan(errors.max));
    p.c[5] = 0;
    assert_false(passes(&p, bound, &errors));
    p.c[5] = p.c[6];
    p.c[6] = kept;
    assert_false(passes(&p, bound, &errors));
    free_product(&p);
}

/* A becomes a permutation, so that C has B's rows in another order. */
static void permute(struct product *p)
{
    const size_t n = (size_t)p->n;

    memset(p->a, 0, n * p->lda * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        const size_t from = 7 * i % n; /* n is no multiple of 7 */

        p->a[i * p->lda + from] = 1;
        memcpy(p->c + i * n, p->b + from * p->ldb, n * sizeof(float));
    }
}

/* Beyond PRODUCT_WHOLE the samples miss most elements, and Freivalds' test does not. */
TEST(test_samples)
{
    const int n = PRODUCT_WHOLE + 1;
    const double bound = 0x1p-23;
    struct product_errors errors;
    struct product p = new_product(n);
    float *element;

    permute(&p);
    assert_true(passes(&p, bound, &errors));
    assert_int_equal(errors.compared, 2 * PRODUCT_SAMPLES * n);
    element = &p.c[(size_t)n * 1000 + 1234];
    assert_true(*element > 0.01f);
    *element = 0;
    assert_false(passes(&p, bound, &errors));
    *element = NAN;
    assert_false(passes(&p, bound, &errors));
    assert_false(isnan(errors.max)); /* no sample has it */
    free_product(&p);
}

TEST(test_bounds)
{
    int64_t yes = 1;
    const struct matmul_step in_double = {.sum = SUM_PLAIN, .in_double = &yes};
    const struct matmul_step plain = {.sum = SUM_PLAIN}, kahan = {.sum = SUM_KAHAN},
                             chunks = {.sum = SUM_CHUNKS, .chunk = 48};

    assert_true(matmul_bound(plain, 1000) < 6e-5);
    assert_true(matmul_bound(kahan, 1000) < 2.5e-7);
    assert_true(matmul_bound(kahan, 32768) < 2.5e-7);
    assert_true(matmul_bound(chunks, 1000) < 50.1 * 0x1p-24);
    assert_true(matmul_bound(chunks, 10) < 12.1 * 0x1p-24);
    assert_true(matmul_bound(in_double, 1000) < 1.001 * 0x1p-24);
    yes = 0;
    assert_float_equal(matmul_bound(in_double, 1000), matmul_bound(plain, 1000), 0);
}

TEST_MAIN()
