/* Chapter: the product of two n x n matrices of floats.
 *
 * Here is what every step shares: the input, the CPU's product, the errors, the sizes to check, the
 * options and the report. What happens on the device is in the step.
 *
 * Matrices are stored by rows: element (i, j) of A is a[i * lda + j]. The leading dimension lda may
 * exceed n; what lies behind the n-th element of a row is not part of the matrix.
 */
#ifndef MATMUL_H
#define MATMUL_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MATMUL_N = 1000, /* the article's size */
    MATMUL_MAX_N = 32768, /* a matrix of 2^30 elements */
};

/* The device side of a step: C = A B, from host to host. */
typedef void matmul_function(const float *a, size_t lda, const float *b, size_t ldb, float *c,
                             size_t ldc, int n, struct run *run);

/* How a step adds up the n products of an element. This decides how large its error may be. */
enum matmul_sum {
    SUM_PLAIN, /* one after the other: up to n roundings */
    SUM_KAHAN, /* compensated */
    SUM_CHUNKS, /* plain within chunks, compensated between them */
};

/* What the host must know of a step. */
struct matmul_step {
    enum matmul_sum sum;
    int chunk; /* of SUM_CHUNKS: products in a chunk */
    const int64_t *in_double; /* where there is one and it is not 0, sums are in double */
    size_t row_bytes; /* shared memory per element of a row, where a block holds a row */
    int registers; /* per block, at most; 0: few enough for any device */
    bool gpu_only; /* has machine code only, which a modelled device cannot run */
    struct option_row option; /* one of the step's own; none without a name */
};

/* main() of a step, STEP: options, device, input, `gpu`, comparison, report. Returns the exit
 * code. */
int matmul_main(int argc, char **argv, struct step step, matmul_function *gpu,
                struct matmul_step how);

/* The largest relative error that `how` allows in an element of a product of n x n matrices without
 * negative elements. u = 2^-24:
 *   plain    n u (Jeannerod, Rump, "Improved error bounds for inner products in floating-point
 *            arithmetic", SIAM J. Matrix Anal. Appl. 34, 2013; with fma one rounding per product)
 *   Kahan    2 u + 8 n u^2 (Goldberg, "What every computer scientist should know about
 *            floating-point arithmetic", theorem 8, his constant of O(n u^2) taken as 8)
 *   chunks   Kahan's, plus the roundings within a chunk
 *   double   u, for the rounding to float, and n 2^-53 */
double matmul_bound(struct matmul_step how, int n);

/* From m5 on, the matrices in device memory: rows start on aligned addresses, as in m4. */
struct matrices {
    float *a, *b, *c;
    size_t lda, ldb, ldc; /* elements from one row to the next */
};

/* Copies of the host's A and B, n x n, and room for C. On the device each has `padded` rows and
 * columns, n or more; A and B are 0 outside of n x n. C is an output of `run`, like those of
 * device_output(). CUDA errors end the program, as in CHECK. */
struct matrices matrices_new(const float *a, size_t lda, const float *b, size_t ldb, int n,
                             int padded, struct run *run);

/* Copy the n x n elements of C to the host and free all three. */
void matrices_fetch(struct matrices *m, float *c, size_t ldc, int n, struct run *run);

/* Rows `first` to `last` - 1 of A B, accumulated in double, into c[0] ... of (last - first) x n. */
void matmul_cpu(const float *a, size_t lda, const float *b, size_t ldb, double *c, int first,
                int last, int n);

#ifdef __cplusplus
}
#endif

#endif
