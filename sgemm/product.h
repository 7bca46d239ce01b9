/* The problem of a chapter of matrix products, C = alpha A B + beta C: its input, sizes, options,
 * measurement and report. */
#ifndef SGEMM_PRODUCT_H
#define SGEMM_PRODUCT_H

#include "sgemm.h"

enum { PRODUCT_SIZES = 10, PRODUCT_MODELLED_SIZES = 8 };

/* What a chapter says of its products, and of the step. */
struct product {
    /* The device's elements: the upper `element_size` bytes of a float's, whose others are 0. */
    size_t element_size;
    float (*element)(struct rng *rng); /* a random one, not negative */
    /* How much faster the step's products may be than multiply-adds of floats; NULL: not at all. */
    double (*faster)(const void *step, const struct device *device);
    const int *sizes; /* PRODUCT_SIZES that kernels go wrong at; the last ones for a GPU alone */

    const void *step;
    /* The device side of the step. The matrices of *p are in device memory, and of its elements. */
    void (*call)(const void *step, const struct sgemm *p, struct run *run);
    /* What an element may be off by beside single precision's rounding: see sgemm_check(). */
    double (*rounding)(const void *step, int k);
    bool gpu_only; /* has instructions or calls that modelled devices lack */
    const struct option_row *options; /* SGEMM_OPTIONS of its own, or NULL */
};

/* main() of the step. Returns the exit code. */
int product_main(int argc, char **argv, struct step step, const struct product *product);

#endif
