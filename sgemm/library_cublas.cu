/* library_cublas: the row to beat.
 *
 * Now:    cublasSgemm in plain FP32 (pedantic: neither tensor cores nor other formats). With
 *         --tf32 1 it may use tensor cores, whose factors have 11 bits instead of 24.
 *         cuBLAS stores by columns. What we store by rows is to it the transpose, and C' = B' A'.
 * See:    docs/sgemm.md#library_cublas
 */
#include <cublas_v2.h>
#include <stdlib.h>

#include "sgemm.h"

static int64_t tf32; /* --tf32 */

/* As CHECK, for cuBLAS. */
static void check(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    check_say("%s: %s", call, cublasGetStatusString(status));
    exit(EXIT_CUDA);
}

/* cuBLAS wants a leading dimension of at least 1, of empty matrices too. */
static int leading(int ld)
{
    return ld > 0 ? ld : 1;
}

static void sgemm_gpu(const struct sgemm *p, struct run *run)
{
    const cublasMath_t mode = tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_PEDANTIC_MATH;
    cublasHandle_t handle;

    run->blocks = run->threads = 0; /* its own affair */
    check(cublasCreate(&handle), "cublasCreate");
    check(cublasSetMathMode(handle, mode), "cublasSetMathMode");
    TIMED(run)
        check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->n, p->m, p->k, &p->alpha, p->b,
                          leading(p->ldb), p->a, leading(p->lda), &p->beta, p->c, leading(p->ldc)),
              "cublasSgemm");
    check(cublasDestroy(handle), "cublasDestroy");
}

int main(int argc, char **argv)
{
    return sgemm_main(
        argc, argv, STEP, sgemm_gpu,
        {.gpu_only = true,
         .tf32 = &tf32,
         .options = {{.name = "tf32", .value = &tf32, .max = 1, .help = "1: tensor cores"}}});
}
