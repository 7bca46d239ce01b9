/* SPDX-License-Identifier: MIT */
/* cuSOLVER: sparse systems of real floats, whichever factors a program asks for; and orders of
 * rows. Functions whose name ends in Host take memory of the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/band_system.h"
#include "libraries/cusolver.h"
#include "libraries/sparse_matrix.h"

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* of cusolverDn.h */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#pragma GCC visibility pop
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct cusolverSpContext {
    cudaStream_t stream;
};

HANDLE(cusolverStatus_t, CUSOLVER, cusolverSpHandle_t, cusolverSpCreate, cusolverSpDestroy,
       cpu_library_open(&lapack, "cusolverSpCreate"))
HANDLE_MEMBER(cusolverStatus_t, CUSOLVER, cusolverSpHandle_t, cusolverSpGetStream,
              cusolverSpSetStream, cudaStream_t, stream, true)

enum memory { HOST, DEVICE };

/* A call: it factors `a`, if there is one, and solves, if there is an `x`. */
struct solution {
    struct hosted_call call;
    enum memory memory;
    bool symmetric;
    struct sparse_matrix a;
    double mu;
    const void *b;
    void *x;
    struct band_system *system; /* the host's, as is the next */
    bool *failed;
};

static bool reach(const struct solution *p, const char *what, const void *start, int count,
                  size_t size, bool reads)
{
    const struct hosted_memory memory = {
        what, start, (size_t)count * size, (size_t)count * size, 1, reads, !reads};

    return p->memory == HOST || !count || __cudaEmuReach(&p->call, &memory);
}

static size_t size_of(cudaDataType type)
{
    return type == CUDA_R_64F ? sizeof(double) : sizeof(float);
}

static void run(const struct hosted_call *call)
{
    const struct solution *p = (const struct solution *)call;
    const struct sparse_matrix *a = &p->a;
    const char *wrong = NULL;

    *p->failed = true;
    if (a->values) {
        if (!reach(p, "csrRowPtr", a->offsets, a->n + 1, sizeof(int), true) ||
            !reach(p, "csrColInd", a->columns, a->count, sizeof(int), true) ||
            !reach(p, "csrVal", a->values, a->count, size_of(a->type), true))
            return;
        band_system_free(p->system);
        wrong = sparse_matrix_is_sound(a)
                    ? band_system_factor(p->system, a, p->symmetric, p->mu)
                    : "the offsets and indices are not those of a square matrix";
    }
    if (!wrong && p->x && p->system->zero < 0) {
        if (!reach(p, "b", p->b, p->system->n, size_of(a->type), true) ||
            !reach(p, "x", p->x, p->system->n, size_of(a->type), false))
            return;
        wrong = band_system_solve(p->system, a->type, p->b, p->x);
    }
    if (wrong) {
        char line[160];
        snprintf(line, sizeof(line), "%s: %s", call->name, wrong);
        __cudaEmuComplain(line);
    }
    *p->failed = wrong != NULL;
}

/* Done when it returns, as on a GPU: what a matrix is like is known on the host. */
static cusolverStatus_t submit(cusolverSpHandle_t handle, struct solution *p)
{
    bool failed = false;

    if (p->memory == DEVICE) {
        p->a.offsets = __cudaEmuPointer(p->a.offsets);
        p->a.columns = __cudaEmuPointer(p->a.columns);
        p->a.values = __cudaEmuPointer(p->a.values);
        p->b = __cudaEmuPointer(p->b);
        p->x = __cudaEmuPointer(p->x);
    }
    p->failed = &failed;
    if (__cudaEmuHosted(&p->call, handle->stream) || cudaStreamSynchronize(handle->stream))
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    return failed ? CUSOLVER_STATUS_INTERNAL_ERROR : CUSOLVER_STATUS_SUCCESS;
}

static struct sparse_matrix matrix_of(int n, int count, const struct cusparseMatDescr *description,
                                      cudaDataType type, const void *values, const int *offsets,
                                      const int *columns)
{
    return (struct sparse_matrix){
        n, count, description ? (int)description->base : 0, type, offsets, columns, values};
}

static bool is_given(const struct sparse_matrix *a, const struct cusparseMatDescr *description)
{
    return a->n >= 0 && a->count >= 0 && description && a->offsets &&
           (!a->count || (a->columns && a->values));
}

/* --- In one go -------------------------------------------------------------------------------- */

static cusolverStatus_t solve(cusolverSpHandle_t handle, const char *name, enum memory memory,
                              bool symmetric, struct sparse_matrix a,
                              const struct cusparseMatDescr *description, const void *b,
                              double tolerance, void *x, int *singular)
{
    struct band_system system = {.zero = -1};
    struct solution p = {.call = {name, run, sizeof(p)},
                         .memory = memory,
                         .symmetric = symmetric,
                         .a = a,
                         .b = b,
                         .x = x,
                         .system = &system};

    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_given(&a, description) || !b || !x || !singular)
        return CUSOLVER_STATUS_INVALID_VALUE;
    const cusolverStatus_t status = submit(handle, &p);
    *singular = status ? -1 : band_system_zero(&system, tolerance);
    band_system_free(&system);
    return status;
}

#define CSR(T)                                                                                   \
    int n, int count, const cusparseMatDescr_t description, const T *values, const int *offsets, \
        const int *columns
#define SOLVE(name, memory, symmetric, T, type)                                                    \
    cusolverStatus_t name(cusolverSpHandle_t handle, CSR(T), const T *b, T tolerance, int reorder, \
                          T *x, int *singular)                                                     \
    {                                                                                              \
        return solve(handle, __func__, memory, symmetric,                                          \
                     matrix_of(n, count, description, type, values, offsets, columns),             \
                     description, b, tolerance, x, singular);                                      \
    }
#define SOLVES(letter, T, type)                                   \
    SOLVE(cusolverSp##letter##csrlsvluHost, HOST, false, T, type) \
    SOLVE(cusolverSp##letter##csrlsvqr, DEVICE, false, T, type)   \
    SOLVE(cusolverSp##letter##csrlsvqrHost, HOST, false, T, type) \
    SOLVE(cusolverSp##letter##csrlsvchol, DEVICE, true, T, type)  \
    SOLVE(cusolverSp##letter##csrlsvcholHost, HOST, true, T, type)
SOLVES(S, float, CUDA_R_32F)
SOLVES(D, double, CUDA_R_64F)

/* --- Step by step ----------------------------------------------------------------------------- */

/* What all kinds of info have. QR is told of the matrix before it factors it. */
struct steps {
    struct band_system system;
    struct sparse_matrix a;
    double mu;
};

#define INFO(Kind, kind)                                                      \
    struct kind {                                                             \
        struct steps steps;                                                   \
    };                                                                        \
    OBJECT(cusolverStatus_t, CUSOLVER, struct kind *, cusolverSpCreate##Kind, \
           cusolverSpDestroy##Kind, object->steps.system.zero = -1,           \
           band_system_free(&object->steps.system))
INFO(CsrluInfoHost, csrluInfoHost)
INFO(CsrqrInfoHost, csrqrInfoHost)
INFO(CsrqrInfo, csrqrInfo)
INFO(CsrcholInfoHost, csrcholInfoHost)
INFO(CsrcholInfo, csrcholInfo)

static cusolverStatus_t give_room(cusolverSpHandle_t handle, const void *info, size_t *inside,
                                  size_t *work)
{
    enum { SOME = 512 };

    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!info || !inside || !work)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *inside = *work = SOME;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t step(cusolverSpHandle_t handle, const char *name, enum memory memory,
                             bool symmetric, struct steps *steps, const struct sparse_matrix *a,
                             cudaDataType type, const void *b, void *x)
{
    struct solution p = {.call = {name, run, sizeof(p)},
                         .memory = memory,
                         .symmetric = symmetric,
                         .a = {.type = type},
                         .b = b,
                         .x = b ? x : NULL};

    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || (a ? !a->offsets || !a->values : !steps->system.order || !b || !x))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (a)
        p.a = *a;
    p.mu = steps->mu;
    p.system = &steps->system;
    return submit(handle, &p);
}

static cusolverStatus_t zero_pivot(cusolverSpHandle_t handle, const struct steps *steps,
                                   double tolerance, int *position)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || !steps->system.order || !position)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *position = band_system_zero(&steps->system, tolerance);
    return CUSOLVER_STATUS_SUCCESS;
}

#define STEPS (info ? &info->steps : NULL)
#define MATRIX(type) matrix_of(n, count, description, type, values, offsets, columns)
#define ROWS int m,
#define NO_ROWS
/* What all three kinds have, with the number of rows or without. */
#define ANALYSIS(name, kind, M)                                                     \
    cusolverStatus_t name(cusolverSpHandle_t handle, M int n, int count,            \
                          const cusparseMatDescr_t description, const int *offsets, \
                          const int *columns, struct kind *info)                    \
    {                                                                               \
        return !handle               ? CUSOLVER_STATUS_NOT_INITIALIZED              \
               : info && description ? CUSOLVER_STATUS_SUCCESS                      \
                                     : CUSOLVER_STATUS_INVALID_VALUE;               \
    }
#define SOME_STEPS(name, kind, suffix, symmetric, M, T, type)                                  \
    cusolverStatus_t name##BufferInfo##suffix(cusolverSpHandle_t handle, M CSR(T),             \
                                              struct kind *info, size_t *inside, size_t *work) \
    {                                                                                          \
        return give_room(handle, info, inside, work);                                          \
    }                                                                                          \
    cusolverStatus_t name##ZeroPivot##suffix(cusolverSpHandle_t handle, struct kind *info,     \
                                             T tolerance, int *position)                       \
    {                                                                                          \
        return zero_pivot(handle, STEPS, tolerance, position);                                 \
    }
#define CHOLESKY(name, kind, suffix, where, T, type)                                            \
    SOME_STEPS(name, kind, suffix, true, NO_ROWS, T, type)                                      \
    cusolverStatus_t name##Factor##suffix(cusolverSpHandle_t handle, CSR(T), struct kind *info, \
                                          void *buffer)                                         \
    {                                                                                           \
        const struct sparse_matrix a = MATRIX(type);                                            \
        return step(handle, __func__, where, true, STEPS, &a, type, NULL, NULL);                \
    }                                                                                           \
    cusolverStatus_t name##Solve##suffix(cusolverSpHandle_t handle, int n, const T *b, T *x,    \
                                         struct kind *info, void *buffer)                       \
    {                                                                                           \
        return step(handle, __func__, where, true, STEPS, NULL, type, b, x);                    \
    }
#define QR(name, kind, suffix, where, T, type)                                                    \
    SOME_STEPS(name, kind, suffix, false, ROWS, T, type)                                          \
    cusolverStatus_t name##Setup##suffix(cusolverSpHandle_t handle, ROWS CSR(T), T mu,            \
                                         struct kind *info)                                       \
    {                                                                                             \
        if (!handle)                                                                              \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                               \
        if (!info || m != n)                                                                      \
            return info ? lacks_shape(__func__) : CUSOLVER_STATUS_INVALID_VALUE;                  \
        info->steps.a = MATRIX(type);                                                             \
        info->steps.mu = mu;                                                                      \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t name##Factor##suffix(cusolverSpHandle_t handle, ROWS int n, int count, T *b, \
                                          T *x, struct kind *info, void *buffer)                  \
    {                                                                                             \
        return step(handle, __func__, where, false, STEPS, info ? &info->steps.a : NULL, type, b, \
                    x);                                                                           \
    }                                                                                             \
    cusolverStatus_t name##Solve##suffix(cusolverSpHandle_t handle, ROWS int n, T *b, T *x,       \
                                         struct kind *info, void *buffer)                         \
    {                                                                                             \
        return step(handle, __func__, where, false, STEPS, NULL, type, b, x);                     \
    }

static cusolverStatus_t lacks_shape(const char *name)
{
    __cudaEmuLacks(name, "cuSOLVER on the CPU, of sparse matrices that are not square");
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

ANALYSIS(cusolverSpXcsrluAnalysisHost, csrluInfoHost, NO_ROWS)
ANALYSIS(cusolverSpXcsrqrAnalysisHost, csrqrInfoHost, ROWS)
ANALYSIS(cusolverSpXcsrqrAnalysis, csrqrInfo, ROWS)
ANALYSIS(cusolverSpXcsrcholAnalysisHost, csrcholInfoHost, NO_ROWS)
ANALYSIS(cusolverSpXcsrcholAnalysis, csrcholInfo, NO_ROWS)
CHOLESKY(cusolverSpScsrchol, csrcholInfoHost, Host, HOST, float, CUDA_R_32F)
CHOLESKY(cusolverSpDcsrchol, csrcholInfoHost, Host, HOST, double, CUDA_R_64F)
CHOLESKY(cusolverSpScsrchol, csrcholInfo, , DEVICE, float, CUDA_R_32F)
CHOLESKY(cusolverSpDcsrchol, csrcholInfo, , DEVICE, double, CUDA_R_64F)
QR(cusolverSpScsrqr, csrqrInfoHost, Host, HOST, float, CUDA_R_32F)
QR(cusolverSpDcsrqr, csrqrInfoHost, Host, HOST, double, CUDA_R_64F)
QR(cusolverSpScsrqr, csrqrInfo, , DEVICE, float, CUDA_R_32F)
QR(cusolverSpDcsrqr, csrqrInfo, , DEVICE, double, CUDA_R_64F)

#define LU(name, T, type)                                                                      \
    SOME_STEPS(name, csrluInfoHost, Host, false, NO_ROWS, T, type)                             \
    cusolverStatus_t name##FactorHost(cusolverSpHandle_t handle, CSR(T), csrluInfoHost_t info, \
                                      T threshold, void *buffer)                               \
    {                                                                                          \
        const struct sparse_matrix a = MATRIX(type);                                           \
        return step(handle, __func__, HOST, false, STEPS, &a, type, NULL, NULL);               \
    }                                                                                          \
    cusolverStatus_t name##SolveHost(cusolverSpHandle_t handle, int n, const T *b, T *x,       \
                                     csrluInfoHost_t info, void *buffer)                       \
    {                                                                                          \
        return step(handle, __func__, HOST, false, STEPS, NULL, type, b, x);                   \
    }
LU(cusolverSpScsrlu, float, CUDA_R_32F)
LU(cusolverSpDcsrlu, double, CUDA_R_64F)

cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *lower, int *upper,
                                         csrluInfoHost_t info)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!info || !info->steps.system.order || !lower || !upper)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *lower = band_system_triangle(&info->steps.system, true, NULL);
    *upper = band_system_triangle(&info->steps.system, false, NULL);
    return *lower < 0 || *upper < 0 ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

/* L has ones on its diagonal, which are not stored. */
#define EXTRACT(letter, T, number_type)                                                           \
    cusolverStatus_t cusolverSp##letter##csrluExtractHost(                                        \
        cusolverSpHandle_t handle, int *p, int *q, const cusparseMatDescr_t of_lower, T *lower,   \
        int *lower_offsets, int *lower_columns, const cusparseMatDescr_t of_upper, T *upper,      \
        int *upper_offsets, int *upper_columns, csrluInfoHost_t info, void *buffer)               \
    {                                                                                             \
        if (!handle)                                                                              \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                               \
        if (!info || !info->steps.system.order || !p || !q || !of_lower || !of_upper || !lower || \
            !lower_offsets || !lower_columns || !upper || !upper_offsets || !upper_columns)       \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                 \
        const struct band_triangle l = {(int)of_lower->base, number_type, lower_offsets,          \
                                        lower_columns, lower};                                    \
        const struct band_triangle u = {(int)of_upper->base, number_type, upper_offsets,          \
                                        upper_columns, upper};                                    \
        band_system_orders(&info->steps.system, p, q);                                            \
        return band_system_triangle(&info->steps.system, true, &l) < 0 ||                         \
                       band_system_triangle(&info->steps.system, false, &u) < 0                   \
                   ? CUSOLVER_STATUS_ALLOC_FAILED                                                 \
                   : CUSOLVER_STATUS_SUCCESS;                                                     \
    }
EXTRACT(S, float, CUDA_R_32F)
EXTRACT(D, double, CUDA_R_64F)

/* --- The same matrix with other numbers ------------------------------------------------------- */

/* The CPU factors anew, and needs no earlier factors for that. */
struct cusolverRfCommon {
    struct sparse_matrix a;
    int *indices; /* the offsets and columns of `a` */
    double *values;
    struct band_system system;
};

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!cpu_library_open(&lapack, "cusolverRfCreate") || cudaFree(NULL))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof(**handle));
    if (!*handle)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*handle)->system.zero = -1;
    return CUSOLVER_STATUS_SUCCESS;
}

static void forget(cusolverRfHandle_t handle)
{
    band_system_free(&handle->system);
    free(handle->indices);
    free(handle->values);
    handle->indices = NULL;
    handle->values = NULL;
}

cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    forget(handle);
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t diagonal)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (format == CUSOLVERRF_MATRIX_FORMAT_CSR)
        return CUSOLVER_STATUS_SUCCESS;
    __cudaEmuLacks(__func__, "cuSOLVER on the CPU, of sparse matrices by columns");
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

/* What is about speed, or about pivots that LAPACK exchanges. */
#define NO_MATTER(name, ...)                                                       \
    cusolverStatus_t name(cusolverRfHandle_t handle, __VA_ARGS__)                  \
    {                                                                              \
        return handle ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_INITIALIZED; \
    }
NO_MATTER(cusolverRfSetNumericProperties, double zero, double boost)
NO_MATTER(cusolverRfSetAlgs, cusolverRfFactorization_t factor, cusolverRfTriangularSolve_t solve)
NO_MATTER(cusolverRfSetResetValuesFastMode, cusolverRfResetValuesFastMode_t mode)

cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle)
{
    return !handle           ? CUSOLVER_STATUS_NOT_INITIALIZED
           : handle->indices ? CUSOLVER_STATUS_SUCCESS
                             : CUSOLVER_STATUS_INVALID_VALUE;
}

/* Keep a copy of A, wherever it is. */
static cusolverStatus_t keep(cusolverRfHandle_t handle, int n, int count, const int *offsets,
                             const int *columns, const double *values)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 1 || count < 1 || !offsets || !columns || !values)
        return CUSOLVER_STATUS_INVALID_VALUE;
    forget(handle);
    handle->indices = malloc(((size_t)n + 1 + (size_t)count) * sizeof(int));
    handle->values = malloc((size_t)count * sizeof(double));
    if (!handle->indices || !handle->values)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    int *indices = handle->indices;
    handle->a =
        (struct sparse_matrix){n, count, 0, CUDA_R_64F, indices, indices + n + 1, handle->values};
    if (cudaMemcpy(indices, offsets, ((size_t)n + 1) * sizeof(int), cudaMemcpyDefault) ||
        cudaMemcpy(indices + n + 1, columns, (size_t)count * sizeof(int), cudaMemcpyDefault) ||
        cudaMemcpy(handle->values, values, (size_t)count * sizeof(double), cudaMemcpyDefault))
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    handle->a.base = indices[0] == 1;
    return CUSOLVER_STATUS_SUCCESS;
}

#define FACTORS                                                                              \
    int lower_count, int *lower_offsets, int *lower_columns, double *lower, int upper_count, \
        int *upper_offsets, int *upper_columns, double *upper, int *p, int *q,               \
        cusolverRfHandle_t handle
cusolverStatus_t cusolverRfSetupHost(int n, int count, int *offsets, int *columns, double *values,
                                     FACTORS)
{
    return keep(handle, n, count, offsets, columns, values);
}

cusolverStatus_t cusolverRfSetupDevice(int n, int count, int *offsets, int *columns, double *values,
                                       FACTORS)
{
    return keep(handle, n, count, offsets, columns, values);
}

cusolverStatus_t cusolverRfResetValues(int n, int count, int *offsets, int *columns, double *values,
                                       int *p, int *q, cusolverRfHandle_t handle)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->indices || n != handle->a.n || count != handle->a.count || !values)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return cudaMemcpy(handle->values, values, (size_t)count * sizeof(double), cudaMemcpyDefault)
               ? CUSOLVER_STATUS_EXECUTION_FAILED
               : CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t refactor(cusolverRfHandle_t handle, struct solution *p)
{
    struct cusolverSpContext legacy = {NULL};

    p->system = &handle->system;
    return submit(&legacy, p);
}

cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->indices)
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct solution p = {.call = {__func__, run, sizeof(p)}, .memory = HOST, .a = handle->a};
    const cusolverStatus_t status = refactor(handle, &p);
    return status || handle->system.zero < 0 ? status : CUSOLVER_STATUS_ZERO_PIVOT;
}

/* One right-hand side, as on a GPU, which the solution replaces. */
cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *p, int *q, int columns,
                                 double *room, int ldt, double *x, int ldx)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!handle->system.band || columns != 1 || !x || ldx < handle->a.n)
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct solution solution = {.call = {__func__, run, sizeof(solution)},
                                .memory = DEVICE,
                                .a = {.type = CUDA_R_64F},
                                .b = x,
                                .x = x};
    return refactor(handle, &solution);
}

/* --- Orders of rows, on the host -------------------------------------------------------------- */

/* The matrix without its numbers, where `result` has room for what is asked of it. */
static cusolverStatus_t read_pattern(cusolverSpHandle_t handle, int n, int count,
                                     const struct cusparseMatDescr *description, const int *offsets,
                                     const int *columns, const int *result,
                                     struct sparse_matrix *matrix)
{
    *matrix = matrix_of(n, count, description, CUDA_R_32F, NULL, offsets, columns);
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return n < 0 || count < 0 || !description || !offsets || !result || (count && !columns) ||
                   !sparse_matrix_is_sound(matrix)
               ? CUSOLVER_STATUS_INVALID_VALUE
               : CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t order(cusolverSpHandle_t handle, int n, int count,
                              const struct cusparseMatDescr *description, const int *offsets,
                              const int *columns, int *p)
{
    struct sparse_matrix matrix;
    const cusolverStatus_t wrong =
        read_pattern(handle, n, count, description, offsets, columns, p, &matrix);

    if (wrong)
        return wrong;
    return sparse_matrix_order(&matrix, p) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

#define PATTERN \
    int n, int count, const cusparseMatDescr_t description, const int *offsets, const int *columns
/* All of them are guesses at the best order; this is ours. */
#define ORDER(name)                                                       \
    cusolverStatus_t name(cusolverSpHandle_t handle, PATTERN, int *p)     \
    {                                                                     \
        return order(handle, n, count, description, offsets, columns, p); \
    }
ORDER(cusolverSpXcsrsymrcmHost)
ORDER(cusolverSpXcsrsymmdqHost)
ORDER(cusolverSpXcsrsymamdHost)

cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, PATTERN,
                                           const int64_t *options, int *p)
{
    return order(handle, n, count, description, offsets, columns, p);
}

static bool has_number(const struct sparse_matrix *a, int row, int column)
{
    for (int k = a->offsets[row] - a->base; k < a->offsets[row + 1] - a->base; k++)
        if (a->columns[k] - a->base == column)
            return true;
    return false;
}

/* Has it a number at (j, i) wherever it has one at (i, j)? */
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int n, int count,
                                         const cusparseMatDescr_t description, const int *offsets,
                                         const int *ends, const int *columns, int *symmetric)
{
    struct sparse_matrix a;
    const cusolverStatus_t wrong =
        read_pattern(handle, n, count, description, offsets, columns, symmetric, &a);

    if (wrong)
        return wrong;
    *symmetric = 1;
    for (int i = 0; i < n && *symmetric; i++)
        for (int k = offsets[i] - a.base; k < offsets[i + 1] - a.base && *symmetric; k++)
            *symmetric = has_number(&a, columns[k] - a.base, i);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, PATTERN,
                                                   const int *p, const int *q, size_t *size)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!size)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *size = sizeof(int);
    return CUSOLVER_STATUS_SUCCESS;
}

/* Row i and column j become row p[i] and column q[j] of what there was: `columns` and `map`. */
static void permute(const struct sparse_matrix *a, const int *p, const int *new_column,
                    int *offsets, int *columns, int *map, const int *old_map)
{
    int count = 0;

    for (int i = 0; i < a->n; i++) {
        const int begin = count;
        offsets[i] = count + a->base;
        for (int k = a->offsets[p[i]] - a->base; k < a->offsets[p[i] + 1] - a->base; k++) {
            const int column = new_column[a->columns[k] - a->base] + a->base;
            int at = count++;
            for (; at > begin && columns[at - 1] > column; at--) {
                columns[at] = columns[at - 1];
                map[at] = map[at - 1];
            }
            columns[at] = column;
            map[at] = old_map[k];
        }
    }
    offsets[a->n] = count + a->base;
}

cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int count,
                                        const cusparseMatDescr_t description, int *offsets,
                                        int *columns, const int *p, const int *q, int *map,
                                        void *buffer)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || count < 0 || !description || !offsets || !columns || !p || !q || !map)
        return CUSOLVER_STATUS_INVALID_VALUE;
    int *copy = malloc(((size_t)m + 1 + 2 * (size_t)count + (size_t)n + 1) * sizeof(int));
    if (!copy)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    int *old_columns = copy + m + 1, *old_map = old_columns + count, *new_column = old_map + count;
    memcpy(copy, offsets, ((size_t)m + 1) * sizeof(int));
    memcpy(old_columns, columns, (size_t)count * sizeof(int));
    memcpy(old_map, map, (size_t)count * sizeof(int));
    for (int j = 0; j < n; j++)
        new_column[q[j]] = j;
    const struct sparse_matrix a =
        matrix_of(m, count, description, CUDA_R_32F, NULL, copy, old_columns);
    permute(&a, p, new_column, offsets, columns, map, old_map);
    free(copy);
    return CUSOLVER_STATUS_SUCCESS;
}
