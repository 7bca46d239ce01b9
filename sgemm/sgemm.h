/* Chapter: SGEMM, C = alpha A B + beta C in single precision.
 *
 * Here is what every step shares: the input, the CPU's product, the sizes to check, the options and
 * the report. The kernel and its launch are in the step.
 *
 * Matrices are stored by rows: element (i, j) of A is a[i * lda + j]. What lies between the end of
 * a row and the next one belongs to nobody.
 */
#ifndef SGEMM_H
#define SGEMM_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SGEMM_N = 4096,
    SGEMM_MODELLED_N = 512, /* where times are modelled: the emulator counts 2 n^3 operations */
    SGEMM_MAX_N = 32768, /* a matrix of 2^30 elements */
    SGEMM_MAX_PAD = 1024,
    SGEMM_WHOLE = 2048, /* up to this many rows and columns the CPU computes all of C */
    SGEMM_SAMPLES = 8, /* beyond it, so many rows; and all of C by Freivalds' test */
};

/* C (m x n) = alpha A (m x k) B (k x n) + beta C. With beta = 0, C is not read. */
struct sgemm {
    int m, n, k;
    int lda, ldb, ldc; /* elements from one row to the next */
    float alpha, beta;
    const float *a, *b;
    float *c;
};

/* The device side of a step: choose the launch, say it in `run`, and repeat it with TIMED. The
 * matrices are in device memory, m and n at least 1; k may be 0. */
typedef void sgemm_function(const struct sgemm *p, struct run *run);

enum { SGEMM_OPTIONS = 3 };

/* What the host must know of a step. */
struct sgemm_step {
    bool gpu_only; /* has instructions or calls that modelled devices lack */
    const int64_t *tf32; /* where there is one and it is not 0, factors have 11 bits */
    struct option_row options[SGEMM_OPTIONS]; /* of its own; none without a name */
};

/* main() of a step, STEP: options, device, input, `gpu`, comparison, report. Returns the exit
 * code. */
int sgemm_main(int argc, char **argv, struct step step, sgemm_function *gpu, struct sgemm_step how);

/* The problem's arrays on the host. */
struct sgemm_host {
    struct sgemm p; /* a, b and c are the host's; c holds C as it was before */
    float *result; /* C as the device computed it, with the same leading dimension */
};

/* Hold host->result against the CPU. An element's error may reach
 * |alpha| (k + 2) u S + 2 u |beta C|, with S the sum of its products' magnitudes and u = 2^-24
 * (Jeannerod, Rump, "Improved error bounds for inner products in floating-point arithmetic", SIAM
 * J. Matrix Anal. Appl. 34, 2013), and `rounding` (|alpha| S + |beta C|) more. Inputs must not be
 * negative. The gaps between the rows of C must hold what the host's have. `seed` picks the rows.
 * *error becomes the largest error as a share of |alpha| S + |beta C|. */
struct verdict sgemm_check(const struct sgemm_host *host, double rounding, uint64_t seed,
                           double *error);

#ifdef __cplusplus
}
#endif

#endif
