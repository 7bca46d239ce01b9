/* SPDX-License-Identifier: MIT */
/* cuBLASXt: products of matrices on the host, which a GPU would be given tile by tile. */
#include "libraries/cublas.h"

#pragma GCC visibility push(default)
#include <cublasXt.h>
#pragma GCC visibility pop
#include <limits.h>
#include <string.h>

struct cublasXtContext {
    int tile;
    cublasXtPinnedMemMode_t pinning;
};

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    enum { TILE = 2048 };

    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!cpu_library_open(&cblas, "cublasXtCreate") || cudaFree(NULL))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof(**handle));
    if (!*handle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->tile = TILE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

HANDLE_MEMBER(cublasStatus_t, CUBLAS, cublasXtHandle_t, cublasXtGetBlockDim, cublasXtSetBlockDim,
              int, tile, value > 0)
HANDLE_MEMBER(cublasStatus_t, CUBLAS, cublasXtHandle_t, cublasXtGetPinningMemMode,
              cublasXtSetPinningMemMode, cublasXtPinnedMemMode_t, pinning,
              (unsigned)value <= CUBLASXT_PINNING_ENABLED)

/* The CPU does the work of all of them. */
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[])
{
    int there = 0;

    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (count < 1 || !devices || cudaGetDeviceCount(&there))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < count; i++)
        if (devices[i] < 0 || devices[i] >= there)
            return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

struct product {
    struct hosted_call call;
    int trans_a, trans_b, m, n, k, lda, ldb, ldc;
    double alpha[2], beta[2]; /* room for any type */
    const void *a, *b;
    void *c;
};

/* CBLAS takes real scalars by value and complex ones by address. */
#define RUN(letter, T, BY, PASS)                                                                 \
    static void run_##letter(const struct hosted_call *call)                                     \
    {                                                                                            \
        const struct product *p = (const struct product *)call;                                  \
        T alpha, beta;                                                                           \
                                                                                                 \
        memcpy(&alpha, p->alpha, sizeof(alpha));                                                 \
        memcpy(&beta, p->beta, sizeof(beta));                                                    \
        ((void (*)(int, int, int, int, int, int, BY, const void *, int, const void *, int, BY,   \
                   void *, int))cpu_function(&cblas, "cblas_" #letter "gemm"))(                  \
            CBLAS_COLUMNS, CBLAS_NO_TRANS + p->trans_a, CBLAS_NO_TRANS + p->trans_b, p->m, p->n, \
            p->k, PASS(alpha), p->a, p->lda, p->b, p->ldb, PASS(beta), p->c, p->ldc);            \
    }
#define VALUE(scalar) (scalar)
#define ADDRESS(scalar) (&(scalar))
RUN(s, float, float, VALUE)
RUN(d, double, double, VALUE)
RUN(c, cuComplex, const void *, ADDRESS)
RUN(z, cuDoubleComplex, const void *, ADDRESS)

/* After everything else, and done when it returns. Sizes are those of the function. */
static cublasStatus_t run(cublasXtHandle_t handle, struct product *product, const size_t sizes[6])
{
    int *const to[] = {&product->m,   &product->n,   &product->k,
                       &product->lda, &product->ldb, &product->ldc};

    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int i = 0; i < 6; i++) {
        if (sizes[i] > INT_MAX)
            return CUBLAS_STATUS_INVALID_VALUE;
        *to[i] = (int)sizes[i];
    }
    if (!product->a || !product->b || !product->c || !is_operation(product->trans_a) ||
        !is_operation(product->trans_b) ||
        product->lda < at_least_one(product->trans_a ? product->k : product->m) ||
        product->ldb < at_least_one(product->trans_b ? product->n : product->k) ||
        product->ldc < at_least_one(product->m))
        return CUBLAS_STATUS_INVALID_VALUE;
    product->a = __cudaEmuPointer(product->a);
    product->b = __cudaEmuPointer(product->b);
    product->c = __cudaEmuPointer(product->c);
    if (cudaDeviceSynchronize() || __cudaEmuHosted(&product->call, NULL) ||
        cudaStreamSynchronize(NULL))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}

#define GEMM(Letter, letter, T)                                                                    \
    cublasStatus_t cublasXt##Letter##gemm(cublasXtHandle_t handle, cublasOperation_t trans_a,      \
                                          cublasOperation_t trans_b, size_t m, size_t n, size_t k, \
                                          const T *alpha, const T *a, size_t lda, const T *b,      \
                                          size_t ldb, const T *beta, T *c, size_t ldc)             \
    {                                                                                              \
        struct product product = {.call = {__func__, run_##letter, sizeof(product)},               \
                                  .trans_a = (int)trans_a,                                         \
                                  .trans_b = (int)trans_b,                                         \
                                  .a = a,                                                          \
                                  .b = b,                                                          \
                                  .c = c};                                                         \
                                                                                                   \
        if (!alpha || !beta)                                                                       \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        memcpy(product.alpha, alpha, sizeof(*alpha));                                              \
        memcpy(product.beta, beta, sizeof(*beta));                                                 \
        return run(handle, &product, (const size_t[]){m, n, k, lda, ldb, ldc});                    \
    }
GEMM(S, s, float)
GEMM(D, d, double)
GEMM(C, c, cuComplex)
GEMM(Z, z, cuDoubleComplex)
