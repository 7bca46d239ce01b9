/* SPDX-License-Identifier: MIT */
/* cuBLAS: factors, solutions and inverses of batches of small matrices. A CBLAS has none of these.
 * cublas_lu.def is the text of one type. */
#include "libraries/cublas.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    struct hosted_call call;
    const void *a, *b; /* arrays of pointers */
    int *pivots, *info; /* pivots: n for each matrix, or NULL */
    int m, n, k, lda, ldb, count, trans; /* m x n; square where there is no m */
};

/* Matrix number i of such an array; false if its address cannot be read. */
static bool nth(const struct batch *p, const char *what, const void *list, int i, void **data)
{
    const struct hosted_memory pointer = {what, (void *const *)list + i, sizeof(void *), 0, 1, true,
                                          false};

    if (!__cudaEmuReach(&p->call, &pointer))
        return false;
    *data = __cudaEmuPointer(*(void *const *)pointer.start);
    return true;
}

static bool reach_all(const struct batch *p, const char *what, enum access access, const int *list,
                      int each)
{
    return !list || reach_matrix(&p->call, what, access, each, p->count, list, each, sizeof(*list));
}

static int *pivots_of(const struct batch *p, int i)
{
    return p->pivots ? p->pivots + (size_t)i * p->n : NULL;
}

static cublasStatus_t launch(cublasHandle_t handle, struct batch *p)
{
    p->a = __cudaEmuPointer(p->a);
    p->b = __cudaEmuPointer(p->b);
    p->pivots = __cudaEmuPointer(p->pivots);
    p->info = __cudaEmuPointer(p->info);
    return submit(handle, &p->call);
}

#define PASTE_OF(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_OF(a, b, c)
#define TEXT_OF(text) #text
#define TEXT(text) TEXT_OF(text)
#define CUBLAS(routine) PASTE(cublas, LETTER, routine)
#define OWN(name) PASTE(name, _, LETTER)
#define LAUNCH(name, ...)                                                                     \
    launch(handle, &(struct batch){.call = {"cublas" TEXT(LETTER) #name "Batched", OWN(name), \
                                            sizeof(struct batch)},                            \
                                   __VA_ARGS__})
#define WANT(condition)                           \
    do {                                          \
        if (!handle)                              \
            return CUBLAS_STATUS_NOT_INITIALIZED; \
        if (!(condition))                         \
            return CUBLAS_STATUS_INVALID_VALUE;   \
    } while (0)

#define T float
#define E float
#define LETTER S
#include "libraries/cublas_lu.def"
#undef T
#undef E
#undef LETTER

#define T double
#define E double
#define LETTER D
#include "libraries/cublas_lu.def"
#undef T
#undef E
#undef LETTER

#define T cuComplex
#define E float complex
#define LETTER C
#include "libraries/cublas_lu.def"
#undef T
#undef E
#undef LETTER

#define T cuDoubleComplex
#define E double complex
#define LETTER Z
#include "libraries/cublas_lu.def"
