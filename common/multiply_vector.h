/* SPDX-License-Identifier: MIT */
/* A matrix times a vector: what Freivalds' test of a product, C x = A (B x) ("Probabilistic
 * machines can use less running time", IFIP Congress 1977), is made of. */
#ifndef MULTIPLY_VECTOR_H
#define MULTIPLY_VECTOR_H

#include <stddef.h>
#include <stdint.h>

enum { WORTH_THREADS = 1 << 20 }; /* products: fewer are done before a second thread has begun */

/* y += scale M x in double, for M of rows x columns floats, whose rows begin `ld` apart. */
static inline void multiply_vector(const float *m, size_t ld, size_t rows, size_t columns,
                                   double scale, const double *x, double *y)
{
#ifdef _OPENMP
#pragma omp parallel for if (rows * columns > WORTH_THREADS)
#endif
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;

        for (size_t k = 0; k < columns; k++)
            sum += (double)m[i * ld + k] * x[k];
        y[i] += scale * sum;
    }
}

#endif
