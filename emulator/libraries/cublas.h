/* SPDX-License-Identifier: MIT */
/* What the files of the stand-in for cuBLAS share. Any CBLAS does the work. */
#ifndef CUBLAS_STAND_IN_H
#define CUBLAS_STAND_IN_H

#include "libraries/stand_in.h"

#define CUBLASAPI
#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math_mode;
    cublasAtomicsMode_t atomics_mode;
    int sm_target;
};

extern struct cpu_library cblas;

/* As CBLAS numbers them; cuBLAS counts each kind from 0. */
enum { CBLAS_COLUMNS = 102, CBLAS_NO_TRANS = 111, CBLAS_UPPER = 121, CBLAS_LOWER = 122 };
enum { CBLAS_NON_UNIT = 131, CBLAS_LEFT = 141 };

/* A scalar parameter of at most 16 bytes: its value, or where on the device it will be. */
struct scalar {
    const void *device; /* NULL: `value` counts */
    double value[2];
};
struct scalar scalar_of(cublasHandle_t handle, const void *pointer, size_t size);
/* Its value when the call runs. Returns false if it cannot be read, as do the next ones. */
bool scalar_read(const struct hosted_call *call, const char *what, const struct scalar *scalar,
                 void *value, size_t size);

enum access { READS = 1, WRITES = 2, UPDATES = 3 };
/* n elements of `size` bytes, `step` apart; a negative step begins with the last. */
bool reach_vector(const struct hosted_call *call, const char *what, enum access access, int n,
                  const void *x, int step, size_t size);
/* `rows` x `columns` elements of `size` bytes, columns `ld` elements apart. */
bool reach_matrix(const struct hosted_call *call, const char *what, enum access access, int rows,
                  int columns, const void *a, int ld, size_t size);
/* The lower or upper triangle of n x n elements, with or without its diagonal. */
bool reach_triangle(const struct hosted_call *call, const char *what, enum access access,
                    bool upper, bool unit, int n, const void *a, int ld, size_t size);

/* `below` and `above` the main diagonal of m x n elements, as BLAS stores bands. */
bool reach_band(const struct hosted_call *call, const char *what, int m, int n, int below,
                int above, bool unit, const void *a, int ld, size_t size);
/* A triangle of n x n elements without gaps. */
bool reach_packed(const struct hosted_call *call, const char *what, enum access access, int n,
                  const void *a, size_t size);

/* Give the call to the handle's stream. */
cublasStatus_t submit(cublasHandle_t handle, const struct hosted_call *call);

static inline bool is_operation(cublasOperation_t operation)
{
    return (unsigned)operation <= CUBLAS_OP_C;
}

static inline int at_least_one(int n)
{
    return n > 1 ? n : 1;
}

#endif
