/* SPDX-License-Identifier: MIT */
/* What the files of the stand-in for cuSPARSE share. Numbers are real floats of 16 to 64 bits;
 * sums are kept in double precision and rounded once. */
#ifndef CUSPARSE_STAND_IN_H
#define CUSPARSE_STAND_IN_H

#include "libraries/stand_in.h"

#define CUSPARSEAPI
#define DISABLE_CUSPARSE_DEPRECATED
#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop
#include <stdint.h>

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointer_mode;
};

/* Indices or numbers in memory, by type. */
struct array {
    void *start;
    int type; /* cusparseIndexType_t or cudaDataType */
};

struct cusparseSpVecDescr {
    int64_t size, count; /* `count` of its numbers are not zero */
    struct array indices, values;
    cusparseIndexBase_t base;
};

/* How far apart the matrices of a batch are, in elements. */
struct batch {
    int count; /* 0 and 1: a matrix alone */
    int64_t offsets, values; /* of dense matrices only the values */
};

/* A dense vector is a matrix of one column. */
struct dense {
    int64_t rows, columns, ld;
    struct array values;
    cusparseOrder_t order;
    struct batch batch;
};
struct cusparseDnVecDescr {
    struct dense dense;
};
struct cusparseDnMatDescr {
    struct dense dense;
};

struct cusparseSpMatDescr {
    cusparseFormat_t format; /* CSR, CSC or COO */
    int64_t rows, columns, count;
    struct array row_indices, column_indices; /* of CSR and CSC one of them has offsets */
    struct array values;
    cusparseIndexBase_t base;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    struct batch batch;
};

/* A scalar parameter: its value, or where on the device it will be. */
struct sparse_scalar {
    const void *device; /* NULL: `value` counts */
    double value;
};

/* A call of any of these functions. Which members it uses is its own affair. */
struct sparse_call {
    struct hosted_call call;
    struct cusparseSpMatDescr a, a2, a3; /* of which only products have the last two */
    struct cusparseSpVecDescr x;
    struct dense b, c;
    struct cusparseSpGEMMDescr *made; /* the host's */
    struct sparse_scalar alpha, beta;
    bool transposed, b_transposed, c_transposed;
    int type; /* of the scalars */
    struct array result; /* of a product of vectors; on the host, or on the device */
    bool result_on_device;
    int64_t *counted; /* the host's: how many numbers are not zero */
};

/* Do the call in the order of the handle's stream: `run` does it, on memory where the CPU has it.
 * Complex numbers and integers are not emulated. */
cusparseStatus_t sparse_submit(cusparseHandle_t handle, const char *name, struct sparse_call *call,
                               void (*run)(const struct hosted_call *call));
/* The same for each matrix of a batch; other calls take none. */
cusparseStatus_t sparse_submit_batch(cusparseHandle_t handle, const char *name,
                                     const struct sparse_call *call,
                                     void (*run)(const struct hosted_call *call));
struct sparse_scalar sparse_scalar_of(cusparseHandle_t handle, const void *pointer, int type);
/* The scalars when the call runs. False if one cannot be read. */
bool sparse_scalars(const struct sparse_call *call, double *alpha, double *beta);

/* May the call use `count` elements? */
bool sparse_reach(const struct sparse_call *call, const char *what, const struct array *array,
                  int64_t count, bool reads, bool writes);
bool sparse_reach_indices(const struct sparse_call *call, const char *what,
                          const struct array *array, int64_t count, bool reads, bool writes);
bool sparse_reach_dense(const struct sparse_call *call, const char *what, const struct dense *dense,
                        bool reads, bool writes);

int64_t array_index(const struct array *array, int64_t i);
void array_set_index(const struct array *array, int64_t i, int64_t index);
double array_number(const struct array *array, int64_t i);
void array_set_number(const struct array *array, int64_t i, double number);
/* Where in its array an element of a dense matrix is. */
int64_t dense_index(const struct dense *dense, int64_t row, int64_t column);

/* The definition of a function that says how large a buffer has to be: none is used. */
#define NO_BUFFER(name, ...) NO_BUFFER_OF(size_t, name, __VA_ARGS__)
#define NO_BUFFER_OF(size_type, name, ...)                                       \
    cusparseStatus_t name(cusparseHandle_t handle, __VA_ARGS__, size_type *size) \
    {                                                                            \
        if (!handle)                                                             \
            return CUSPARSE_STATUS_NOT_INITIALIZED;                              \
        if (!size)                                                               \
            return CUSPARSE_STATUS_INVALID_VALUE;                                \
        *size = 0;                                                               \
        return CUSPARSE_STATUS_SUCCESS;                                          \
    }

/* A sparse matrix, or its transpose, row by row. */
struct rows {
    int64_t rows, columns;
    int64_t *begin; /* of each row in the next ones, and of the end */
    int64_t *column, *index; /* of each number: its column, and its index in the matrix */
};
/* Reads the indices of the call's matrix, and its numbers if `numbers`. False, with nothing to
 * free, if that cannot be: a line says why. */
bool rows_read(const struct sparse_call *call, bool transposed, bool numbers, struct rows *rows);
void rows_free(struct rows *rows);

#endif
