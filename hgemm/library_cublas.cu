/* library_cublas: the row to beat.
 *
 * Now:    cublasGemmEx with factors and results of bfloat16, and sums in single precision. cuBLAS
 *         stores by columns: what we store by rows is to it the transpose, and C' = B' A'.
 * See:    docs/hgemm.md#library_cublas
 */
#include <cublas_v2.h>
#include <stdlib.h>

#include "hgemm.h"

/* As CHECK, for cuBLAS. The emulator's stand-in needs a library on the CPU, and says so. */
static void check(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    check_say("%s: %s", call, cublasGetStatusString(status));
    exit(status == CUBLAS_STATUS_NOT_INITIALIZED ? EXIT_SKIP : EXIT_CUDA);
}

/* cuBLAS wants a leading dimension of at least 1, of empty matrices too. */
static int leading(int ld)
{
    return ld > 0 ? ld : 1;
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    cublasHandle_t handle;

    run->blocks = run->threads = 0; /* its own affair */
    check(cublasCreate(&handle), "cublasCreate");
    /* Else it may add up parts of k as bfloat16s. */
    check(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
          "cublasSetMathMode");
    TIMED(run)
        check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->n, p->m, p->k, &p->alpha, p->b,
                           CUDA_R_16BF, leading(p->ldb), p->a, CUDA_R_16BF, leading(p->lda),
                           &p->beta, p->c, CUDA_R_16BF, leading(p->ldc), CUBLAS_COMPUTE_32F,
                           CUBLAS_GEMM_DEFAULT),
              "cublasGemmEx");
    check(cublasDestroy(handle), "cublasDestroy");
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}
