/* SPDX-License-Identifier: MIT */
/* What sgemm_check() catches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "sgemm.h"

static float *random_matrix(int rows, int ld, struct rng *rng)
{
    const size_t count = (size_t)rows * (size_t)ld;
    float *m = memory_host(count * sizeof(float));

    for (size_t i = 0; i < count; i++)
        m[i] = rng_float(rng);
    return m;
}

/* A problem with gaps between rows, and its result, each element rounded once. */
static struct sgemm_host new_host(int m, int n, int k, float alpha, float beta)
{
    struct rng rng = rng_seed(5);
    struct sgemm_host host = {.p = {.m = m,
                                    .n = n,
                                    .k = k,
                                    .lda = k + 1,
                                    .ldb = n + 2,
                                    .ldc = n + 3,
                                    .alpha = alpha,
                                    .beta = beta}};
    const struct sgemm *p = &host.p;

    host.p.a = random_matrix(m, p->lda, &rng);
    host.p.b = random_matrix(k, p->ldb, &rng);
    host.p.c = random_matrix(m, p->ldc, &rng);
    host.result = memory_host((size_t)m * (size_t)p->ldc * sizeof(float));
    memcpy(host.result, p->c, (size_t)m * (size_t)p->ldc * sizeof(float));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float *c = &host.result[(size_t)i * (size_t)p->ldc + (size_t)j];
            double sum = 0;

            for (int x = 0; x < k; x++)
                sum += (double)p->a[(size_t)i * (size_t)p->lda + (size_t)x] *
                       (double)p->b[(size_t)x * (size_t)p->ldb + (size_t)j];
            *c = (float)((double)alpha * sum + (double)beta * (double)*c);
        }
    return host;
}

static void free_host(struct sgemm_host *host)
{
    free((void *)host->p.a);
    free((void *)host->p.b);
    free(host->p.c);
    free(host->result);
}

static bool passes(const struct sgemm_host *host)
{
    double error;

    return sgemm_check(host, 0, 3, &error).match;
}

/* Whether `host` passes with element `index` of its result changed to `value`. */
static bool passes_with(const struct sgemm_host *host, size_t index, float value)
{
    const float kept = host->result[index];
    bool passed;

    host->result[index] = value;
    passed = passes(host);
    host->result[index] = kept;
    return passed;
}

/* Alpha, beta of either sign, and a C that was not read. */
TEST(test_right)
{
    static const float factors[][2] = {{1, 0}, {2, -0.5f}, {-1, 3}, {0, 1}, {0, 0}};

    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        struct sgemm_host host = new_host(13, 17, 11, factors[i][0], factors[i][1]);
        double error;

        assert_true(passes(&host));
        assert_true(sgemm_check(&host, 0, 3, &error).match);
        assert_true(error <= 0x1p-24);
        free_host(&host);
    }
}

TEST(test_wrong_element)
{
    struct sgemm_host host = new_host(13, 17, 11, 2, -0.5f);
    const size_t last = 12 * 20 + 16;

    assert_false(passes_with(&host, last, NAN));
    assert_false(passes_with(&host, last, 0));
    assert_false(passes_with(&host, 0, INFINITY));
    /* 13 roundings of at most 2 x 11: a sum that lacks a product is off by more. */
    assert_true(passes_with(&host, 0, host.result[0] * (1 + 0x1p-23f)));
    assert_false(passes_with(&host, 0, host.result[0] * (1 + 0x1p-17f)));
    free_host(&host);
}

TEST(test_gap)
{
    struct sgemm_host host = new_host(13, 17, 11, 1, 0);

    assert_false(passes_with(&host, 17, 0));
    assert_false(passes_with(&host, 12 * 20 + 19, 0));
    free_host(&host);
}

/* Only rows picked at random are compared; the others are looked at together. */
TEST(test_large)
{
    struct sgemm_host host = new_host(SGEMM_WHOLE + 1, 9, 7, 1, 2);
    int passed = 0;

    assert_true(passes(&host));
    for (size_t row = 0; row < 100; row++) {
        assert_false(passes_with(&host, row * 12 + row % 9, NAN));
        assert_false(passes_with(&host, row * 12 + row % 9, 0));
        passed += passes_with(&host, row * 12 + 9, 0);
    }
    assert_int_equal(passed, 0);
    free_host(&host);
}

TEST_MAIN()
