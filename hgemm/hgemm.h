/* Chapter: products of bfloat16 matrices, C = alpha A B + beta C, on tensor cores.
 *
 * Here is what every step shares: the input, the sizes to check, the options and the report; the
 * CPU's product and the comparison are those of sgemm. The kernel and its launch are in the step.
 *
 * Matrices are stored by rows: element (i, j) of A is a[i * lda + j]. What lies between the end of
 * a row and the next one belongs to nobody. Sums are in single precision, and C is rounded once.
 */
#ifndef HGEMM_H
#define HGEMM_H

#include "common.h"
#include "sgemm.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
typedef __nv_bfloat16 bf16;
#else
typedef uint16_t bf16; /* its bits: the upper half of a float's */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C (m x n) = alpha A (m x k) B (k x n) + beta C. With beta = 0, C is not read. */
struct hgemm {
    int m, n, k;
    int lda, ldb, ldc; /* elements from one row to the next */
    float alpha, beta;
    const bf16 *a, *b;
    bf16 *c;
};

/* The device side of a step: choose the launch, say it in `run`, and repeat it with TIMED. The
 * matrices are in device memory, m and n at least 1; k may be 0. */
typedef void hgemm_function(const struct hgemm *p, struct run *run);

/* main() of a step, STEP: options, device, input, `gpu`, comparison, report. Returns the exit
 * code. */
int hgemm_main(int argc, char **argv, struct step step, hgemm_function *gpu);

/* The formats of h16, by their numbers as an option. */
enum { TF32, F16, BF16, E4M3, S8, FORMATS };

/* The device side of a step whose A, B and C are floats, and whose factors it makes numbers of
 * `format` first. */
typedef void formats_function(const struct sgemm *p, int format, struct run *run);

int formats_main(int argc, char **argv, struct step step, formats_function *gpu);

#ifdef __cplusplus
}
#endif

#endif
