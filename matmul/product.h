/* A product to check, and how far off it is. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "matmul.h"

/* C = A B, computed somewhere: n x n each, by rows. */
struct product {
    float *a, *b, *c;
    size_t lda, ldb, ldc;
    int n;
};

/* The errors of C relative to A B; NaN if C has any. 0 where there is nothing to compare. */
struct product_errors {
    double max, average;
    size_t compared; /* elements */
};

/* Hold C against the CPU's A B, allowing a relative error of `bound`. All of C up to PRODUCT_WHOLE
 * rows; beyond, PRODUCT_SAMPLES rows and as many columns chosen by `seed`, and all of it by
 * Freivalds' test: C x = A (B x) for a random x of -1 and 1 ("Probabilistic machines can use less
 * running time", IFIP Congress 1977), which takes n^2 operations and misses errors that are small
 * beside a row's sum. */
enum { PRODUCT_WHOLE = 2048, PRODUCT_SAMPLES = 8 };

struct verdict product_check(const struct product *product, double bound, uint64_t seed,
                             struct product_errors *errors);

#endif
