/* SPDX-License-Identifier: MIT */
/* cuSOLVER: dense systems, least squares, eigenvalues and singular values. Any LAPACK does the
 * work. cusolver_routines.def is the text of one type. */
#include "libraries/cusolver.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* cusolverDnLoggerForceDisable() */
#include <cusolverDn.h>
#pragma GCC diagnostic pop
#pragma GCC visibility pop

struct cusolverDnContext {
    cudaStream_t stream;
};

struct cpu_library lapack = {
    "a LAPACK", "liblapack3", {"libopenblas.so.0", "liblapack.so.3"}, "dgetrf_", NULL};

/* A call of any routine. Which members it uses is its own affair. */
struct routine {
    struct hosted_call call;
    int m, n, k; /* k: also how many right-hand sides */
    int lda, ldb, ldc;
    char flags[2]; /* as LAPACK has them */
    void *a, *b, *c; /* matrices */
    void *values; /* scales of reflectors, eigenvalues, singular values */
    int *info;
    void *pivots;
    bool wide; /* pivots are of 64 bits */
};

enum access { READS = 1, WRITES = 2, UPDATES = 3 };

/* `rows` x `columns` elements of `size` bytes, columns `ld` elements apart. */
static bool reach(const struct routine *routine, const char *what, enum access access, int rows,
                  int columns, const void *a, int ld, size_t size)
{
    const struct hosted_memory memory = {
        what, a, rows * size, ld * size, (size_t)columns, access & READS, access & WRITES};

    return __cudaEmuReach(&routine->call, &memory);
}

/* The lower or upper triangle of n x n elements. */
static bool reach_triangle(const struct routine *routine, const char *what, enum access access,
                           bool upper, int n, const void *a, int ld, size_t size)
{
    for (int j = 0; j < n; j++) {
        const int first = upper ? 0 : j, end = upper ? j + 1 : n;
        const char *column = (const char *)a + ((size_t)j * ld + first) * size;
        if (!reach(routine, what, access, end - first, 1, column, ld, size))
            return false;
    }
    return true;
}

/* Matrix number i of an array of pointers; false if its address cannot be read. */
static bool nth(const struct routine *routine, const char *what, const void *list, int i,
                void **data)
{
    void *const *pointer = (void *const *)list + i;

    if (!reach(routine, what, READS, 1, 1, pointer, 1, sizeof(void *)))
        return false;
    *data = __cudaEmuPointer(*pointer);
    return true;
}

static bool reach_info(const struct routine *routine)
{
    return reach(routine, "devInfo", WRITES, 1, 1, routine->info, 1, sizeof(int));
}

/* --- Pivots, of 32 or 64 bits ----------------------------------------------------------------- */

static bool reach_pivots(const struct routine *routine, enum access access, int count)
{
    return !routine->pivots || reach(routine, "devIpiv", access, count, 1, routine->pivots, count,
                                     routine->wide ? sizeof(int64_t) : sizeof(int));
}

/* Room for them on the CPU. */
static int *take_pivots(int count)
{
    return malloc((count > 0 ? (size_t)count : 1) * sizeof(int));
}

/* Where there are none, no rows were exchanged. */
static void read_pivots(const struct routine *routine, int count, int *pivots)
{
    for (int i = 0; i < count; i++)
        pivots[i] = !routine->pivots ? i + 1
                    : routine->wide  ? (int)((const int64_t *)routine->pivots)[i]
                                     : ((const int *)routine->pivots)[i];
}

static void give_pivots(const struct routine *routine, int count, const int *pivots)
{
    for (int i = 0; i < count; i++)
        if (routine->wide)
            ((int64_t *)routine->pivots)[i] = pivots[i];
        else
            ((int *)routine->pivots)[i] = pivots[i];
}

static int at_least_one(int n)
{
    return n > 1 ? n : 1;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool is_matrix(int rows, int columns, int ld)
{
    return rows >= 0 && columns >= 0 && ld >= at_least_one(rows);
}

/* As on a GPU there are no more columns than rows. */
static bool is_svd(signed char left, signed char right, int m, int n, int ldu, int ldvt)
{
    return left && right && strchr("ASON", left) && strchr("ASON", right) &&
           (left != 'O' || right != 'O') && m >= n &&
           ldu >= ((left == 'A' || left == 'S') ? at_least_one(m) : 1) &&
           ldvt >= ((right == 'A' || right == 'S') ? at_least_one(n) : 1);
}

static char side_of(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT ? 'L' : 'R';
}

static char triangle_of(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
}

static bool is_triangle(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_UPPER || fill == CUBLAS_FILL_MODE_LOWER;
}

static cusolverStatus_t submit(cusolverDnHandle_t handle, struct routine *routine)
{
    void **const arrays[] = {&routine->a, &routine->b, &routine->c, &routine->values};

    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        *arrays[i] = __cudaEmuPointer(*arrays[i]);
    routine->pivots = __cudaEmuPointer(routine->pivots);
    routine->info = __cudaEmuPointer(routine->info);
    const cudaError_t error = __cudaEmuHosted(&routine->call, handle->stream);
    return error == cudaSuccess                 ? CUSOLVER_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUSOLVER_STATUS_ALLOC_FAILED
                                                : CUSOLVER_STATUS_EXECUTION_FAILED;
}

/* How much room a routine wants. LAPACK's is the CPU's own, so anything will do. */
static cusolverStatus_t give_room(cusolverDnHandle_t handle, bool is_valid, int n, int *elements)
{
    enum { BLOCK = 32 };

    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_valid || !elements)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *elements = BLOCK * at_least_one(n);
    return CUSOLVER_STATUS_SUCCESS;
}

HANDLE(cusolverStatus_t, CUSOLVER, cusolverDnHandle_t, cusolverDnCreate, cusolverDnDestroy,
       cpu_library_open(&lapack, "cusolverDnCreate"))
HANDLE_MEMBER(cusolverStatus_t, CUSOLVER, cusolverDnHandle_t, cusolverDnGetStream,
              cusolverDnSetStream, cudaStream_t, stream, true)
GET_VERSION(cusolverStatus_t, cusolverGetVersion, CUSOLVER_VERSION, CUSOLVER_STATUS_INVALID_VALUE)
GET_PROPERTY(cusolverStatus_t, cusolverGetProperty, CUSOLVER, CUSOLVER_STATUS_INVALID_VALUE)

#define TEXT_OF(text) #text
#define TEXT(text) TEXT_OF(text)
#define PASTE_OF(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_OF(a, b, c)
/* A routine in this type: as programs call it, and what runs it. */
#define CUSOLVER(routine) PASTE(cusolverDn, LETTER, routine)
#define RUN(routine) PASTE(run_, LETTER, routine)
/* LAPACK's routine, whose `count` arguments are addresses. Of characters the lengths come last; a
 * routine that takes none does not look at them. */
#define P const void *
#define ADDRESSES_5 P, P, P, P, P
#define ADDRESSES_6 ADDRESSES_5, P
#define ADDRESSES_8 ADDRESSES_6, P, P
#define ADDRESSES_9 ADDRESSES_8, P
#define ADDRESSES_11 ADDRESSES_9, P, P
#define ADDRESSES_13 ADDRESSES_11, P, P
#define ADDRESSES_14 ADDRESSES_13, P
#define ADDRESSES_15 ADDRESSES_14, P
#define ADDRESSES_16 ADDRESSES_15, P
#define CPU(count, routine, ...)                                        \
    ((void (*)(ADDRESSES_##count, size_t, size_t, size_t))cpu_function( \
        &lapack, TEXT(PASTE(SMALL, routine, _))))(__VA_ARGS__, 1, 1, 1)

/* The beginning of each routine. */
#define WANT(condition)                             \
    do {                                            \
        if (!handle)                                \
            return CUSOLVER_STATUS_NOT_INITIALIZED; \
        if (!(condition))                           \
            return CUSOLVER_STATUS_INVALID_VALUE;   \
    } while (0)
#define LAUNCH(name, ...)                                                                 \
    submit(handle, &(struct routine){.call = {"cusolverDn" TEXT(LETTER) #name, RUN(name), \
                                              sizeof(struct routine)},                    \
                                     __VA_ARGS__})
/* Do the call of LAPACK, which names `work` and `&room`, twice: it asks how much room it needs. */
#define WITH_ROOM(...)                           \
    do {                                         \
        E needs = 0, *work = &needs;             \
        int room = -1;                           \
        __VA_ARGS__;                             \
        room = at_least_one((int)*(R *)&needs);  \
        work = malloc((size_t)room * sizeof(E)); \
        if (work)                                \
            __VA_ARGS__;                         \
        else                                     \
            info = -1;                           \
        free(work);                              \
    } while (0)

/* Real matrices are symmetric and orthogonal where complex ones are hermitian and unitary. Of these
 * LAPACK wants more room. */
#define IS_COMPLEX 0
#define GQR orgqr
#define MQR ormqr
#define EVD syevd
#define EVJ syevj
#define GVD sygvd
#define GVJ sygvj
#define CPU_GVD(...) CPU(14, sygvd, __VA_ARGS__, numbers, &count, &info)
#define CPU_EVD(...) CPU(11, syevd, __VA_ARGS__, numbers, &count, &info)
#define CPU_SVD(...) CPU(14, gesvd, __VA_ARGS__, &info)
#define T float
#define E float
#define R float
#define LETTER S
#define SMALL s
#include "libraries/cusolver_routines.def"
#undef T
#undef E
#undef R
#undef LETTER
#undef SMALL

#define T double
#define E double
#define R double
#define LETTER D
#define SMALL d
#include "libraries/cusolver_routines.def"
#undef T
#undef E
#undef R
#undef LETTER
#undef SMALL
#undef IS_COMPLEX
#undef GQR
#undef MQR
#undef EVD
#undef EVJ
#undef GVD
#undef GVJ
#undef CPU_GVD
#undef CPU_EVD
#undef CPU_SVD

#define IS_COMPLEX 1
#define GQR ungqr
#define MQR unmqr
#define EVD heevd
#define EVJ heevj
#define GVD hegvd
#define GVJ hegvj
#define CPU_GVD(...) CPU(16, hegvd, __VA_ARGS__, rest, &parts, numbers, &count, &info)
#define CPU_EVD(...) CPU(13, heevd, __VA_ARGS__, rest, &parts, numbers, &count, &info)
#define CPU_SVD(...) CPU(15, gesvd, __VA_ARGS__, rest, &info)
#define T cuComplex
#define E float complex
#define R float
#define LETTER C
#define SMALL c
#include "libraries/cusolver_routines.def"
#undef T
#undef E
#undef R
#undef LETTER
#undef SMALL

#define T cuDoubleComplex
#define E double complex
#define R double
#define LETTER Z
#define SMALL z
#include "libraries/cusolver_routines.def"

/* --- How Jacobi's rotations go on ------------------------------------------------------------- */

/* Nothing depends on what a program sets, as LAPACK's results are exact and in order. */
#define JACOBI(Kind, kind)                                                                        \
    struct kind##Info {                                                                           \
        int nothing;                                                                              \
    };                                                                                            \
    OBJECT(cusolverStatus_t, CUSOLVER, kind##Info_t, cusolverDnCreate##Kind##Info,                \
           cusolverDnDestroy##Kind##Info, (void)0, (void)0)                                       \
    cusolverStatus_t cusolverDnX##kind##SetTolerance(kind##Info_t info, double tolerance)         \
    {                                                                                             \
        (void)tolerance;                                                                          \
        return info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;                    \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##kind##SetMaxSweeps(kind##Info_t info, int most)                 \
    {                                                                                             \
        return info && most >= 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;       \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##kind##SetSortEig(kind##Info_t info, int sorts)                  \
    {                                                                                             \
        (void)sorts;                                                                              \
        return info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;                    \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##kind##GetResidual(cusolverDnHandle_t handle, kind##Info_t info, \
                                                    double *residual)                             \
    {                                                                                             \
        WANT(info &&residual);                                                                    \
        *residual = 0;                                                                            \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##kind##GetSweeps(cusolverDnHandle_t handle, kind##Info_t info,   \
                                                  int *sweeps)                                    \
    {                                                                                             \
        WANT(info &&sweeps);                                                                      \
        *sweeps = 1;                                                                              \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }
JACOBI(Syevj, syevj)
JACOBI(Gesvdj, gesvdj)

/* --- By sizes of 64 bits and types that are parameters ---------------------------------------- */

/* Whatever a program sets is about speed. */
struct cusolverDnParams {
    int nothing;
};

OBJECT(cusolverStatus_t, CUSOLVER, cusolverDnParams_t, cusolverDnCreateParams,
       cusolverDnDestroyParams, (void)0, (void)0)

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm)
{
    (void)function;
    return params && (unsigned)algorithm <= CUSOLVER_ALG_2 ? CUSOLVER_STATUS_SUCCESS
                                                           : CUSOLVER_STATUS_INVALID_VALUE;
}

static cudaDataType real_of(cudaDataType type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

static cusolverStatus_t lacks_types(const char *name)
{
    __cudaEmuLacks(name, "cuSOLVER on the CPU, with these types or sizes");
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

typedef void runs(const struct hosted_call *);
#define IN_TYPE(type, real, complex)         \
    ((type) == CUDA_R_32F   ? run_S##real    \
     : (type) == CUDA_R_64F ? run_D##real    \
     : (type) == CUDA_C_32F ? run_C##complex \
     : (type) == CUDA_C_64F ? run_Z##complex \
                            : (runs *)NULL)

/* LAPACK's sizes are of 32 bits. */
static bool fits(int64_t size)
{
    return size >= 0 && size <= INT_MAX;
}

static bool fit(int64_t rows, int64_t columns, int64_t ld)
{
    return fits(rows) && fits(columns) && fits(ld) && is_matrix((int)rows, (int)columns, (int)ld);
}

#define X_LAUNCH(runs_it, ...)                                                                     \
    do {                                                                                           \
        runs *const function = runs_it;                                                            \
        if (!function)                                                                             \
            return lacks_types(__func__);                                                          \
        return submit(                                                                             \
            handle,                                                                                \
            &(struct routine){.call = {__func__, function, sizeof(struct routine)}, __VA_ARGS__}); \
    } while (0)

/* As much as for the others, in bytes; and none on the CPU. */
static cusolverStatus_t give_bytes(cusolverDnHandle_t handle, bool is_valid, int64_t n,
                                   size_t *on_device, size_t *on_host)
{
    int elements;
    const cusolverStatus_t status =
        give_room(handle, is_valid && on_device && on_host, (int)n, &elements);
    if (status)
        return status;
    *on_device = (size_t)elements * sizeof(cuDoubleComplex);
    *on_host = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

/* What all of them are given to work with, and do not need. */
#define ROOM                                                                                   \
    cudaDataType sums, void *on_device, size_t device_bytes, void *on_host, size_t host_bytes, \
        int *info
#define ASKS cudaDataType sums, size_t *on_device, size_t *on_host
#define IGNORE_ROOM \
    (void)params, (void)sums, (void)on_device, (void)device_bytes, (void)on_host, (void)host_bytes
#define IGNORE_ASKED (void)params, (void)type, (void)a, (void)sums

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType type, const void *a,
                                             int64_t lda, ASKS)
{
    IGNORE_ASKED;
    return give_bytes(handle, fit(m, n, lda), m, on_device, on_host);
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType type, void *a, int64_t lda,
                                  int64_t *pivots, ROOM)
{
    IGNORE_ROOM;
    WANT(fit(m, n, lda) && info);
    X_LAUNCH(IN_TYPE(type, getrf, getrf), .m = (int)m, .n = (int)n, .a = a, .lda = (int)lda,
             .pivots = pivots, .wide = true, .info = info);
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, int64_t n, int64_t k, cudaDataType type,
                                  const void *a, int64_t lda, const int64_t *pivots,
                                  cudaDataType type_b, void *b, int64_t ldb, int *info)
{
    (void)params;
    WANT((unsigned)trans <= CUBLAS_OP_C && fit(n, n, lda) && fit(n, k, ldb) && info);
    X_LAUNCH(type == type_b ? IN_TYPE(type, getrs, getrs) : NULL, .flags = {"NTC"[trans]},
             .n = (int)n, .k = (int)k, .a = (void *)a, .lda = (int)lda, .pivots = (void *)pivots,
             .wide = true, .b = b, .ldb = (int)ldb, .info = info);
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t fill, int64_t n, cudaDataType type,
                                             const void *a, int64_t lda, ASKS)
{
    IGNORE_ASKED;
    return give_bytes(handle, is_triangle(fill) && fit(n, n, lda), n, on_device, on_host);
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t fill, int64_t n, cudaDataType type, void *a,
                                  int64_t lda, ROOM)
{
    IGNORE_ROOM;
    WANT(is_triangle(fill) && fit(n, n, lda) && info);
    X_LAUNCH(IN_TYPE(type, potrf, potrf), .flags = {triangle_of(fill)}, .n = (int)n, .a = a,
             .lda = (int)lda, .info = info);
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t fill, int64_t n, int64_t k, cudaDataType type,
                                  const void *a, int64_t lda, cudaDataType type_b, void *b,
                                  int64_t ldb, int *info)
{
    (void)params;
    WANT(is_triangle(fill) && fit(n, n, lda) && fit(n, k, ldb) && info);
    X_LAUNCH(type == type_b ? IN_TYPE(type, potrs, potrs) : NULL, .flags = {triangle_of(fill)},
             .n = (int)n, .k = (int)k, .a = (void *)a, .lda = (int)lda, .b = b, .ldb = (int)ldb,
             .info = info);
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType type, const void *a,
                                             int64_t lda, cudaDataType type_tau, const void *tau,
                                             ASKS)
{
    IGNORE_ASKED;
    (void)type_tau, (void)tau;
    return give_bytes(handle, fit(m, n, lda), n, on_device, on_host);
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType type, void *a, int64_t lda,
                                  cudaDataType type_tau, void *tau, ROOM)
{
    IGNORE_ROOM;
    WANT(fit(m, n, lda) && info);
    X_LAUNCH(type_tau == type ? IN_TYPE(type, geqrf, geqrf) : NULL, .m = (int)m, .n = (int)n,
             .a = a, .lda = (int)lda, .values = tau, .info = info);
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t mode, cublasFillMode_t fill,
                                             int64_t n, cudaDataType type, const void *a,
                                             int64_t lda, cudaDataType type_w, const void *values,
                                             ASKS)
{
    IGNORE_ASKED;
    (void)type_w, (void)values;
    return give_bytes(
        handle, (unsigned)mode <= CUSOLVER_EIG_MODE_VECTOR && is_triangle(fill) && fit(n, n, lda),
        n, on_device, on_host);
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                  cudaDataType type, void *a, int64_t lda, cudaDataType type_w,
                                  void *values, ROOM)
{
    IGNORE_ROOM;
    WANT((unsigned)mode <= CUSOLVER_EIG_MODE_VECTOR && is_triangle(fill) && fit(n, n, lda) && info);
    X_LAUNCH(type_w == real_of(type) ? IN_TYPE(type, syevd, heevd) : NULL,
             .flags = {"NV"[mode], triangle_of(fill)}, .n = (int)n, .a = a, .lda = (int)lda,
             .values = values, .info = info);
}

#define VECTORS signed char left, signed char right, int64_t m, int64_t n, cudaDataType type
#define WHERE_THEY_GO(CONST)                                                                  \
    int64_t lda, cudaDataType type_s, CONST void *values, cudaDataType type_u, CONST void *u, \
        int64_t ldu, cudaDataType type_vt, CONST void *vt, int64_t ldvt
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             VECTORS, const void *a, WHERE_THEY_GO(const), ASKS)
{
    IGNORE_ASKED;
    (void)left, (void)right, (void)type_s, (void)values, (void)type_u, (void)u, (void)ldu;
    (void)type_vt, (void)vt, (void)ldvt;
    return give_bytes(handle, fit(m, n, lda) && m >= n, m, on_device, on_host);
}

cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, VECTORS,
                                  void *a, WHERE_THEY_GO(), ROOM)
{
    const bool alike = type_s == real_of(type) && type_u == type && type_vt == type;

    IGNORE_ROOM;
    WANT(fit(m, n, lda) && fits(ldu) && fits(ldvt) && info &&
         is_svd(left, right, (int)m, (int)n, (int)ldu, (int)ldvt));
    X_LAUNCH(alike ? IN_TYPE(type, gesvd, gesvd) : NULL, .flags = {(char)left, (char)right},
             .m = (int)m, .n = (int)n, .a = a, .lda = (int)lda, .values = values, .b = u,
             .ldb = (int)ldu, .c = vt, .ldc = (int)ldvt, .info = info);
}
