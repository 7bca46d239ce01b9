/* SPDX-License-Identifier: MIT */
/* cuSOLVER: dense systems, least squares, eigenvalues and singular values, for which any LAPACK does
 * the work. cusolver_routines.def is the text of one type. */
#include "libraries/stand_in.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define CUSOLVERAPI
#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* cusolverDnLoggerForceDisable() */
#include <cusolverDn.h>
#pragma GCC diagnostic pop
#pragma GCC visibility pop

struct cusolverDnContext {
    cudaStream_t stream;
};

static struct cpu_library lapack = {
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

static bool reach_info(const struct routine *routine)
{
    return reach(routine, "devInfo", WRITES, 1, 1, routine->info, 1, sizeof(int));
}

/* --- Pivots, of 32 or 64 bits ------------------------------------------------------------------ */

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
    void **const places[] = {&routine->a, &routine->b, &routine->c, &routine->values};

    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        *places[i] = __cudaEmuPlace(*places[i]);
    routine->pivots = __cudaEmuPlace(routine->pivots);
    routine->info = __cudaEmuPlace(routine->info);
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
#undef CPU_EVD
#undef CPU_SVD

#define IS_COMPLEX 1
#define GQR ungqr
#define MQR unmqr
#define EVD heevd
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
