/* SPDX-License-Identifier: MIT */
/* cuBLAS: products of matrices in all types, one or a batch of them. Narrow types are widened,
 * multiplied in float or double, and rounded once when the result is stored; a GPU that sums in
 * half precision rounds more often. */
#include "libraries/cublas.h"
#include "libraries/numbers.h"

#include <stdlib.h>
#include <string.h>

/* The types that CBLAS multiplies. */
enum wide { WIDE_S, WIDE_D, WIDE_C, WIDE_Z };
static const cudaDataType wide_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

struct matrix {
    const char *what;
    const void *data; /* the matrix; for an array of pointers, that array */
    cudaDataType type;
    int ld;
    long long stride; /* in elements, from one of the batch to the next */
};

struct product {
    struct hosted_call call;
    enum wide wide;
    int m, n, k, batch;
    cublasOperation_t trans_a, trans_b;
    cudaDataType scalar_type;
    struct scalar alpha, beta;
    struct matrix a, b, c;
    bool by_pointers;
};

/* A matrix of rows x columns in the wide type, without gaps; NULL if there is no memory. */
static void *widened(const struct matrix *matrix, const void *data, enum wide wide, int rows,
                     int columns)
{
    const cudaDataType type = wide_types[wide];
    void *copy = malloc((size_t)rows * columns * number_size(type) + 1);

    for (int j = 0; copy && j < columns; j++)
        for (int i = 0; i < rows; i++)
            number_write(type, number_read(matrix->type, data, (size_t)j * matrix->ld + i), copy,
                         (size_t)j * rows + i);
    return copy;
}

/* --- One product ------------------------------------------------------------------------------ */

static void multiply_wide(const struct product *p, const void *alpha, const void *a, int lda,
                          const void *b, int ldb, const void *beta, void *c, int ldc)
{
    typedef void s_gemm(int, int, int, int, int, int, float, const void *, int, const void *, int,
                        float, void *, int);
    typedef void d_gemm(int, int, int, int, int, int, double, const void *, int, const void *, int,
                        double, void *, int);
    typedef void z_gemm(int, int, int, int, int, int, const void *, const void *, int, const void *,
                        int, const void *, void *, int);
    const int trans_a = CBLAS_NO_TRANS + (int)p->trans_a;
    const int trans_b = CBLAS_NO_TRANS + (int)p->trans_b;

    if (p->wide == WIDE_S)
        ((s_gemm *)cpu_function(&cblas, "cblas_sgemm"))(CBLAS_COLUMNS, trans_a, trans_b, p->m, p->n,
                                                        p->k, *(const float *)alpha, a, lda, b, ldb,
                                                        *(const float *)beta, c, ldc);
    else if (p->wide == WIDE_D)
        ((d_gemm *)cpu_function(&cblas, "cblas_dgemm"))(CBLAS_COLUMNS, trans_a, trans_b, p->m, p->n,
                                                        p->k, *(const double *)alpha, a, lda, b,
                                                        ldb, *(const double *)beta, c, ldc);
    else
        ((z_gemm *)cpu_function(&cblas, p->wide == WIDE_C ? "cblas_cgemm" : "cblas_zgemm"))(
            CBLAS_COLUMNS, trans_a, trans_b, p->m, p->n, p->k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Through copies in the wide type. */
static void multiply_narrow(const struct product *p, const void *alpha, const void *a,
                            const void *b, const void *beta, void *c)
{
    const int a_rows = p->trans_a ? p->k : p->m, b_rows = p->trans_b ? p->n : p->k;
    const cudaDataType type = wide_types[p->wide];
    void *wide_a = widened(&p->a, a, p->wide, a_rows, p->trans_a ? p->m : p->k);
    void *wide_b = widened(&p->b, b, p->wide, b_rows, p->trans_b ? p->k : p->n);
    void *wide_c = widened(&p->c, c, p->wide, p->m, p->n);

    if (wide_a && wide_b && wide_c)
        multiply_wide(p, alpha, wide_a, at_least_one(a_rows), wide_b, at_least_one(b_rows), beta,
                      wide_c, p->m);
    else
        __cudaEmuComplain("cublasGemm: no memory for matrices in a wider type");
    for (int j = 0; wide_c && j < p->n; j++)
        for (int i = 0; i < p->m; i++)
            number_write(p->c.type, number_read(type, wide_c, (size_t)j * p->m + i), c,
                         (size_t)j * p->c.ld + i);
    free(wide_a);
    free(wide_b);
    free(wide_c);
}

static bool is_zero(const void *value, size_t size)
{
    double parts[2] = {0};

    memcpy(parts, value, size);
    return size == 4    ? *(const float *)value == 0
           : size == 16 ? parts[0] == 0 && parts[1] == 0
                        : parts[0] == 0;
}

static bool reach(const struct product *p, const struct matrix *matrix, const void *data, int rows,
                  int columns, enum access access)
{
    return reach_matrix(&p->call, matrix->what, access, rows, columns, data, matrix->ld,
                        number_size(matrix->type));
}

/* The matrix of number i; false if its address cannot be read. */
static bool nth(const struct product *p, const struct matrix *matrix, int i, const void **data)
{
    const struct hosted_memory pointer = {
        matrix->what, (const void *const *)matrix->data + i, sizeof(void *), 0, 1, true, false};

    if (p->by_pointers) {
        if (!__cudaEmuReach(&p->call, &pointer))
            return false;
        *data = __cudaEmuPointer(*(const void *const *)pointer.start);
    } else {
        *data =
            (const char *)matrix->data + i * matrix->stride * (long long)number_size(matrix->type);
    }
    return true;
}

/* A scalar in the wide type. */
static bool read_factor(const struct product *p, const char *what, const struct scalar *scalar,
                        double value[2])
{
    const cudaDataType wide = wide_types[p->wide];
    double given[2] = {0};

    if (!scalar_read(&p->call, what, scalar, given, number_size(p->scalar_type)))
        return false;
    if (p->scalar_type == wide)
        memcpy(value, given, sizeof(given));
    else
        number_write(wide, number_read(p->scalar_type, given, 0), value, 0);
    return true;
}

static void run_product(const struct hosted_call *call)
{
    const struct product *p = (const struct product *)call;
    const bool is_wide = p->a.type == wide_types[p->wide] && p->c.type == p->a.type;
    double alpha[2], beta[2];
    const void *a, *b, *c;

    if (!p->m || !p->n || !read_factor(p, "alpha", &p->alpha, alpha) ||
        !read_factor(p, "beta", &p->beta, beta))
        return;
    const enum access c_access = is_zero(beta, number_size(wide_types[p->wide])) ? WRITES : UPDATES;
    for (int i = 0; i < p->batch; i++) {
        if (!nth(p, &p->a, i, &a) || !nth(p, &p->b, i, &b) || !nth(p, &p->c, i, &c) ||
            !reach(p, &p->a, a, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k, READS) ||
            !reach(p, &p->b, b, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n, READS) ||
            !reach(p, &p->c, c, p->m, p->n, c_access))
            return;
        if (is_wide)
            multiply_wide(p, alpha, a, p->a.ld, b, p->b.ld, beta, (void *)c, p->c.ld);
        else
            multiply_narrow(p, alpha, a, b, beta, (void *)c);
    }
}

/* --- Entries ---------------------------------------------------------------------------------- */

/* Check a product, and give it to the stream. */
static cublasStatus_t multiply(cublasHandle_t handle, struct product *p, const void *alpha,
                               const void *beta)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_operation(p->trans_a) || !is_operation(p->trans_b) || p->m < 0 || p->n < 0 ||
        p->k < 0 || p->batch < 0 || p->a.ld < at_least_one(p->trans_a ? p->k : p->m) ||
        p->b.ld < at_least_one(p->trans_b ? p->n : p->k) || p->c.ld < at_least_one(p->m) ||
        !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    p->call.run = run_product;
    p->call.size = sizeof(*p);
    p->a.what = "A";
    p->b.what = "B";
    p->c.what = "C";
    p->a.data = __cudaEmuPointer(p->a.data);
    p->b.data = __cudaEmuPointer(p->b.data);
    p->c.data = __cudaEmuPointer(p->c.data);
    p->alpha = scalar_of(handle, alpha, number_size(p->scalar_type));
    p->beta = scalar_of(handle, beta, number_size(p->scalar_type));
    return submit(handle, &p->call);
}

/* What cublasGemmEx multiplies: the type of scalars and sums, those of A and B, that of C, and the
 * type in which we do it. */
static const struct {
    cudaDataType scalars, from, to;
    enum wide wide;
} combinations[] = {
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, WIDE_S},   {CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, WIDE_D},
    {CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, WIDE_S}, {CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, WIDE_S},
    {CUDA_R_32F, CUDA_R_8I, CUDA_R_32F, WIDE_S},    {CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F, WIDE_S},
    {CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, WIDE_S},   {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, WIDE_S},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, WIDE_C},   {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, WIDE_D},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, WIDE_Z},
};

/* The type of sums of a compute type: real, where the matrices may be complex. */
static cudaDataType sums_of(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return CUDA_R_64F;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
        return CUDA_R_32F;
    default:
        return (cudaDataType)-1;
    }
}

static cublasStatus_t multiply_types(cublasHandle_t handle, struct product *p, const void *alpha,
                                     const void *beta, cublasComputeType_t compute)
{
    cudaDataType sums = sums_of(compute);

    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (p->a.type == CUDA_C_32F && sums == CUDA_R_32F)
        sums = CUDA_C_32F;
    if (p->a.type == CUDA_C_64F && sums == CUDA_R_64F)
        sums = CUDA_C_64F;
    for (size_t i = 0; i < sizeof(combinations) / sizeof(combinations[0]); i++)
        if (combinations[i].scalars == sums && combinations[i].from == p->a.type &&
            p->b.type == p->a.type && combinations[i].to == p->c.type) {
            p->scalar_type = sums;
            p->wide = combinations[i].wide;
            return multiply(handle, p, alpha, beta);
        }
    __cudaEmuLacks(p->call.name, "cuBLAS on the CPU, with this combination of types");
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

#define SHAPE \
    cublasHandle_t handle, cublasOperation_t trans_a, cublasOperation_t trans_b, int m, int n, int k
#define PRODUCT(called, ...)                                                                   \
    &(struct product)                                                                          \
    {                                                                                          \
        .call.name = called, .trans_a = trans_a, .trans_b = trans_b, .m = m, .n = n, .k = k,   \
        .a = {.data = a, .ld = lda}, .b = {.data = b, .ld = ldb}, .c = {.data = c, .ld = ldc}, \
        __VA_ARGS__                                                                            \
    }
#define ALL_OF(t) .a.type = t, .b.type = t, .c.type = t, .scalar_type = t
#define STRIDES .a.stride = stride_a, .b.stride = stride_b, .c.stride = stride_c, .batch = batch
#define GIVEN_TYPES .a.type = a_type, .b.type = b_type, .c.type = c_type

/* The products of one type, T in the header; the header has those of halves for C++ alone. */
#define GEMM(letter, suffix, T, type, in)                                                          \
    cublasStatus_t cublas##letter##gemm##suffix(SHAPE, const T *alpha, const T *a, int lda,        \
                                                const T *b, int ldb, const T *beta, T *c,          \
                                                int ldc);                                          \
    cublasStatus_t cublas##letter##gemm##suffix(SHAPE, const T *alpha, const T *a, int lda,        \
                                                const T *b, int ldb, const T *beta, T *c, int ldc) \
    {                                                                                              \
        return multiply(handle,                                                                    \
                        PRODUCT("cublas" #letter "gemm", ALL_OF(type), .wide = in, .batch = 1),    \
                        alpha, beta);                                                              \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmBatched(SHAPE, const T *alpha, const T *const a[], int lda, \
                                               const T *const b[], int ldb, const T *beta,         \
                                               T *const c[], int ldc, int batch);                  \
    cublasStatus_t cublas##letter##gemmBatched(SHAPE, const T *alpha, const T *const a[], int lda, \
                                               const T *const b[], int ldb, const T *beta,         \
                                               T *const c[], int ldc, int batch)                   \
    {                                                                                              \
        return multiply(handle,                                                                    \
                        PRODUCT("cublas" #letter "gemmBatched", ALL_OF(type), .wide = in,          \
                                .by_pointers = true, .batch = batch),                              \
                        alpha, beta);                                                              \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmStridedBatched(                                             \
        SHAPE, const T *alpha, const T *a, int lda, long long stride_a, const T *b, int ldb,       \
        long long stride_b, const T *beta, T *c, int ldc, long long stride_c, int batch);          \
    cublasStatus_t cublas##letter##gemmStridedBatched(                                             \
        SHAPE, const T *alpha, const T *a, int lda, long long stride_a, const T *b, int ldb,       \
        long long stride_b, const T *beta, T *c, int ldc, long long stride_c, int batch)           \
    {                                                                                              \
        return multiply(                                                                           \
            handle,                                                                                \
            PRODUCT("cublas" #letter "gemmStridedBatched", ALL_OF(type), .wide = in, STRIDES),     \
            alpha, beta);                                                                          \
    }
#pragma GCC visibility push(default)
GEMM(S, _v2, float, CUDA_R_32F, WIDE_S)
GEMM(D, _v2, double, CUDA_R_64F, WIDE_D)
GEMM(C, _v2, cuComplex, CUDA_C_32F, WIDE_C)
GEMM(Z, _v2, cuDoubleComplex, CUDA_C_64F, WIDE_Z)

/* A GPU takes three products of reals for a complex one; the result is the same. */
#define GEMM_3M(letter, T)                                                                        \
    cublasStatus_t cublas##letter##gemm3m(SHAPE, const T *alpha, const T *a, int lda, const T *b, \
                                          int ldb, const T *beta, T *c, int ldc)                  \
    {                                                                                             \
        return cublas##letter##gemm_v2(handle, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb,  \
                                       beta, c, ldc);                                             \
    }
GEMM_3M(C, cuComplex)
GEMM_3M(Z, cuDoubleComplex)
typedef uint16_t half_bits;
GEMM(H, , half_bits, CUDA_R_16F, WIDE_S)
#pragma GCC visibility pop

cublasStatus_t cublasSgemmEx(SHAPE, const float *alpha, const void *a, cudaDataType a_type, int lda,
                             const void *b, cudaDataType b_type, int ldb, const float *beta,
                             void *c, cudaDataType c_type, int ldc)
{
    return multiply_types(handle, PRODUCT("cublasSgemmEx", GIVEN_TYPES, .batch = 1), alpha, beta,
                          CUBLAS_COMPUTE_32F);
}

cublasStatus_t cublasGemmEx(SHAPE, const void *alpha, const void *a, cudaDataType a_type, int lda,
                            const void *b, cudaDataType b_type, int ldb, const void *beta, void *c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return multiply_types(handle, PRODUCT("cublasGemmEx", GIVEN_TYPES, .batch = 1), alpha, beta,
                          compute);
}

cublasStatus_t cublasGemmBatchedEx(SHAPE, const void *alpha, const void *const a[],
                                   cudaDataType a_type, int lda, const void *const b[],
                                   cudaDataType b_type, int ldb, const void *beta, void *const c[],
                                   cudaDataType c_type, int ldc, int batch,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return multiply_types(
        handle, PRODUCT("cublasGemmBatchedEx", GIVEN_TYPES, .by_pointers = true, .batch = batch),
        alpha, beta, compute);
}

cublasStatus_t cublasGemmStridedBatchedEx(SHAPE, const void *alpha, const void *a,
                                          cudaDataType a_type, int lda, long long stride_a,
                                          const void *b, cudaDataType b_type, int ldb,
                                          long long stride_b, const void *beta, void *c,
                                          cudaDataType c_type, int ldc, long long stride_c,
                                          int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return multiply_types(handle, PRODUCT("cublasGemmStridedBatchedEx", GIVEN_TYPES, STRIDES),
                          alpha, beta, compute);
}
