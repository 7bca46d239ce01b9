/* SPDX-License-Identifier: MIT */
/* cuSPARSE: the generic functions, which compute. What a real GPU does in a first step, to be
 * faster in the second, has nothing to do here, and no function needs a buffer. */
#include "libraries/cusparse.h"

#include <stdlib.h>

/* The begin of each function: its handle, and pointers that must not be NULL. */
#define NEEDS(handle, good)                         \
    do {                                            \
        if (!(handle))                              \
            return CUSPARSE_STATUS_NOT_INITIALIZED; \
        if (!(good))                                \
            return CUSPARSE_STATUS_INVALID_VALUE;   \
    } while (0)

/* A function that only prepares. */
#define NOTHING(name, ...)                                      \
    cusparseStatus_t name(cusparseHandle_t handle, __VA_ARGS__) \
    {                                                           \
        NEEDS(handle, true);                                    \
        return CUSPARSE_STATUS_SUCCESS;                         \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int64_t rows_of(const struct dense *dense, bool transposed)
{
    return transposed ? dense->columns : dense->rows;
}

static double element(const struct dense *dense, bool transposed, int64_t row, int64_t column)
{
    const int64_t index =
        transposed ? dense_index(dense, column, row) : dense_index(dense, row, column);

    return array_number(&dense->values, index);
}

/* --- Products with a sparse matrix ------------------------------------------------------------ */

/* C = alpha op(A) op(B) + beta C. */
static void run_product(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct dense *b = &call->b, *c = &call->c;
    double alpha, beta;
    struct rows rows;

    if (!sparse_scalars(call, &alpha, &beta) || !sparse_reach_dense(call, "B", b, true, false) ||
        !sparse_reach_dense(call, "C", c, beta != 0, true) ||
        !rows_read(call, call->transposed, true, &rows))
        return;
    for (int64_t j = 0; j < c->columns; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            const int64_t index = dense_index(c, i, j);
            double sum = 0;
            for (int64_t k = rows.begin[i]; k < rows.begin[i + 1]; k++)
                sum += array_number(&call->a.values, rows.index[k]) *
                       element(b, call->b_transposed, rows.column[k], j);
            array_set_number(&c->values, index,
                             alpha * sum +
                                 (beta != 0 ? beta * array_number(&c->values, index) : 0));
        }
    rows_free(&rows);
}

static cusparseStatus_t product(cusparseHandle_t handle, const char *name, cusparseOperation_t op_a,
                                cusparseOperation_t op_b, const void *alpha,
                                const struct cusparseSpMatDescr *a, const struct dense *b,
                                const void *beta, const struct dense *c, cudaDataType type)
{
    NEEDS(handle, a && b && c && alpha && beta);
    const bool flip = op_a, flip_b = op_b;
    if ((flip ? a->columns : a->rows) != c->rows || rows_of(b, !flip_b) != c->columns ||
        (flip ? a->rows : a->columns) != rows_of(b, flip_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const struct sparse_call call = {.a = *a,
                                     .b = *b,
                                     .c = *c,
                                     .alpha = sparse_scalar_of(handle, alpha, (int)type),
                                     .beta = sparse_scalar_of(handle, beta, (int)type),
                                     .transposed = flip,
                                     .b_transposed = flip_b,
                                     .type = (int)type};
    return sparse_submit_batch(handle, name, &call, run_product);
}

#define SPMV_PARAMETERS                                                                           \
    cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,                       \
        cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, \
        cusparseSpMVAlg_t algorithm
NO_BUFFER(cusparseSpMV_bufferSize, SPMV_PARAMETERS)
#if CUSPARSE_VERSION >= 12300
NOTHING(cusparseSpMV_preprocess, SPMV_PARAMETERS, void *buffer)
#endif
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, SPMV_PARAMETERS, void *buffer)
{
    return product(handle, "cusparseSpMV", op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a,
                   x ? &x->dense : NULL, beta, y ? &y->dense : NULL, type);
}

#define SPMM_PARAMETERS                                                             \
    cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,          \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, \
        cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t algorithm
NO_BUFFER(cusparseSpMM_bufferSize, SPMM_PARAMETERS)
NOTHING(cusparseSpMM_preprocess, SPMM_PARAMETERS, void *buffer)
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, SPMM_PARAMETERS, void *buffer)
{
    return product(handle, "cusparseSpMM", op_a, op_b, alpha, a, b ? &b->dense : NULL, beta,
                   c ? &c->dense : NULL, type);
}

/* A = alpha (op(B) op(C)) + beta A, where A is not zero. */
static void run_sampled(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct array *values = &call->a.values;
    const int64_t depth = rows_of(&call->b, !call->b_transposed);
    double alpha, beta;
    struct rows rows;

    if (!sparse_scalars(call, &alpha, &beta) ||
        !sparse_reach_dense(call, "A", &call->b, true, false) ||
        !sparse_reach_dense(call, "B", &call->c, true, false) ||
        !sparse_reach(call, "C", values, call->a.count, beta != 0, true) ||
        !rows_read(call, false, false, &rows))
        return;
    for (int64_t i = 0; i < rows.rows; i++)
        for (int64_t at = rows.begin[i]; at < rows.begin[i + 1]; at++) {
            const int64_t index = rows.index[at];
            double sum = 0;
            for (int64_t k = 0; k < depth; k++)
                sum += element(&call->b, call->b_transposed, i, k) *
                       element(&call->c, call->c_transposed, k, rows.column[at]);
            array_set_number(values, index,
                             alpha * sum + (beta != 0 ? beta * array_number(values, index) : 0));
        }
    rows_free(&rows);
}

#define SDDMM_PARAMETERS                                                            \
    cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,          \
        cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, \
        cusparseSpMatDescr_t c, cudaDataType type, cusparseSDDMMAlg_t algorithm
NO_BUFFER(cusparseSDDMM_bufferSize, SDDMM_PARAMETERS)
NOTHING(cusparseSDDMM_preprocess, SDDMM_PARAMETERS, void *buffer)
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, SDDMM_PARAMETERS, void *buffer)
{
    NEEDS(handle, a && b && c && alpha && beta);
    const bool flip = op_a, flip_b = op_b;
    if (rows_of(&a->dense, flip) != c->rows || rows_of(&b->dense, !flip_b) != c->columns ||
        rows_of(&a->dense, !flip) != rows_of(&b->dense, flip_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_call call = {.a = *c,
                               .b = a->dense,
                               .c = b->dense,
                               .alpha = sparse_scalar_of(handle, alpha, (int)type),
                               .beta = sparse_scalar_of(handle, beta, (int)type),
                               .b_transposed = flip,
                               .c_transposed = flip_b,
                               .type = (int)type};
    return sparse_submit_batch(handle, "cusparseSDDMM", &call, run_sampled);
}

/* --- Triangles -------------------------------------------------------------------------------- */

/* op(A) C = alpha op(B), by substitution. What A has outside of its triangle is left out. */
static void run_solve(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct dense *c = &call->c;
    const bool lower = (call->a.fill == CUSPARSE_FILL_MODE_LOWER) != call->transposed;
    double alpha, none;
    struct rows rows;

    if (!sparse_scalars(call, &alpha, &none) ||
        !sparse_reach_dense(call, "B", &call->b, true, false) ||
        !sparse_reach_dense(call, "C", c, false, true) ||
        !rows_read(call, call->transposed, true, &rows))
        return;
    for (int64_t j = 0; j < c->columns; j++)
        for (int64_t n = 0; n < c->rows; n++) {
            const int64_t i = lower ? n : c->rows - 1 - n;
            double rest = alpha * element(&call->b, call->b_transposed, i, j), diagonal = 0;
            for (int64_t k = rows.begin[i]; k < rows.begin[i + 1]; k++) {
                const int64_t column = rows.column[k];
                const double number = array_number(&call->a.values, rows.index[k]);
                if (column == i)
                    diagonal += number;
                else if ((column < i) == lower)
                    rest -= number * element(c, false, column, j);
            }
            if (call->a.diagonal == CUSPARSE_DIAG_TYPE_UNIT)
                diagonal = 1;
            array_set_number(&c->values, dense_index(c, i, j), rest / diagonal);
        }
    rows_free(&rows);
}

static cusparseStatus_t solve(cusparseHandle_t handle, const char *name, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, const void *alpha,
                              const struct cusparseSpMatDescr *a, const struct dense *b,
                              const struct dense *c, cudaDataType type)
{
    NEEDS(handle, a && b && c && alpha);
    const bool flip_b = op_b;
    if (a->rows != a->columns || a->rows != c->rows || rows_of(b, flip_b) != c->rows ||
        rows_of(b, !flip_b) != c->columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_call call = {.a = *a,
                               .b = *b,
                               .c = *c,
                               .alpha = sparse_scalar_of(handle, alpha, (int)type),
                               .transposed = op_a,
                               .b_transposed = flip_b,
                               .type = (int)type};
    return sparse_submit(handle, name, &call, run_solve);
}

/* What an analysis would find. */
struct cusparseSpSVDescr {
    char none;
};
struct cusparseSpSMDescr {
    char none;
};
#define ANALYSIS(name)                                                           \
    cusparseStatus_t cusparse##name##_createDescr(cusparse##name##Descr_t *made) \
    {                                                                            \
        if (!made)                                                               \
            return CUSPARSE_STATUS_INVALID_VALUE;                                \
        *made = malloc(sizeof(**made));                                          \
        return *made ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;   \
    }                                                                            \
    cusparseStatus_t cusparse##name##_destroyDescr(cusparse##name##Descr_t made) \
    {                                                                            \
        free(made);                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                          \
    }
ANALYSIS(SpSV)
ANALYSIS(SpSM)

#define SPSV_PARAMETERS                                                         \
    cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,     \
        cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType type, \
        cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t analysis
NO_BUFFER(cusparseSpSV_bufferSize, SPSV_PARAMETERS)
NOTHING(cusparseSpSV_analysis, SPSV_PARAMETERS, void *buffer)
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, SPSV_PARAMETERS)
{
    return solve(handle, "cusparseSpSV_solve", op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a,
                 x ? &x->dense : NULL, y ? &y->dense : NULL, type);
}

#define SPSM_PARAMETERS                                                                   \
    cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,                \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, \
        cudaDataType type, cusparseSpSMAlg_t algorithm, cusparseSpSMDescr_t analysis
NO_BUFFER(cusparseSpSM_bufferSize, SPSM_PARAMETERS)
NOTHING(cusparseSpSM_analysis, SPSM_PARAMETERS, void *buffer)
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, SPSM_PARAMETERS)
{
    return solve(handle, "cusparseSpSM_solve", op_a, op_b, alpha, a, b ? &b->dense : NULL,
                 c ? &c->dense : NULL, type);
}

/* --- From sparse to dense, and back ----------------------------------------------------------- */

static void run_to_dense(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct dense *c = &call->c;
    struct rows rows;

    if (!sparse_reach_dense(call, "B", c, false, true) || !rows_read(call, false, true, &rows))
        return;
    for (int64_t i = 0; i < c->rows; i++) {
        for (int64_t j = 0; j < c->columns; j++)
            array_set_number(&c->values, dense_index(c, i, j), 0);
        for (int64_t k = rows.begin[i]; k < rows.begin[i + 1]; k++)
            array_set_number(&c->values, dense_index(c, i, rows.column[k]),
                             array_number(&call->a.values, rows.index[k]));
    }
    rows_free(&rows);
}

NO_BUFFER(cusparseSparseToDense_bufferSize, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
          cusparseSparseToDenseAlg_t algorithm)
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t algorithm,
                                       void *buffer)
{
    NEEDS(handle, a && b && a->rows == b->dense.rows && a->columns == b->dense.columns);
    struct sparse_call call = {.a = *a, .c = b->dense};

    return sparse_submit(handle, "cusparseSparseToDense", &call, run_to_dense);
}

/* Counts what is not zero, and writes the offsets of CSR and CSC. */
static void run_count(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const bool by_columns = call->a.format == CUSPARSE_FORMAT_CSC;
    const int64_t lines = by_columns ? call->a.columns : call->a.rows;
    const struct array *offsets = by_columns ? &call->a.column_indices : &call->a.row_indices;
    const bool writes = call->a.format != CUSPARSE_FORMAT_COO;
    int64_t count = 0;

    if (!sparse_reach_dense(call, "A", &call->b, true, false) ||
        (writes && !sparse_reach_indices(call, "offsets", offsets, lines + 1, false, true)))
        return;
    for (int64_t i = 0; i < lines; i++) {
        if (writes)
            array_set_index(offsets, i, count + call->a.base);
        for (int64_t j = 0; j < (by_columns ? call->a.rows : call->a.columns); j++)
            count += element(&call->b, by_columns, i, j) != 0;
    }
    if (writes)
        array_set_index(offsets, lines, count + call->a.base);
    *call->counted = count;
}

static void run_to_sparse(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct cusparseSpMatDescr *a = &call->a;
    const bool by_rows = a->format == CUSPARSE_FORMAT_CSR;
    const bool by_columns = a->format == CUSPARSE_FORMAT_CSC;
    const int64_t lines = by_columns ? a->columns : a->rows;
    const int64_t length = by_columns ? a->rows : a->columns;
    int64_t at = 0;

    if (!sparse_reach_dense(call, "A", &call->b, true, false) ||
        !sparse_reach(call, "values", &a->values, a->count, false, true) ||
        (!by_rows &&
         !sparse_reach_indices(call, "row indices", &a->row_indices, a->count, false, true)) ||
        (!by_columns &&
         !sparse_reach_indices(call, "column indices", &a->column_indices, a->count, false, true)))
        return;
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < length && at < a->count; j++) {
            const double number = element(&call->b, by_columns, i, j);
            if (number == 0)
                continue;
            if (!by_rows)
                array_set_index(&a->row_indices, at, (by_columns ? j : i) + a->base);
            if (!by_columns)
                array_set_index(&a->column_indices, at, j + a->base);
            array_set_number(&a->values, at++, number);
        }
}

NO_BUFFER(cusparseDenseToSparse_bufferSize, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
          cusparseDenseToSparseAlg_t algorithm)
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
                                                cusparseDenseToSparseAlg_t algorithm, void *buffer)
{
    NEEDS(handle, a && b && b->rows == a->dense.rows && b->columns == a->dense.columns);
    int64_t count = b->count;
    struct sparse_call call = {.a = *b, .b = a->dense, .counted = &count};
    call.a.values.start = NULL; /* not yet there */

    const cusparseStatus_t status =
        sparse_submit(handle, "cusparseDenseToSparse_analysis", &call, run_count);
    if (!status && cudaStreamSynchronize(handle->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    b->count = count;
    return status;
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b,
                                               cusparseDenseToSparseAlg_t algorithm, void *buffer)
{
    NEEDS(handle, a && b && b->rows == a->dense.rows && b->columns == a->dense.columns);
    struct sparse_call call = {.a = *b, .b = a->dense};

    return sparse_submit(handle, "cusparseDenseToSparse_convert", &call, run_to_sparse);
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* The element of the dense vector for number i of the sparse one; -1, and a line, where there is
 * none. */
static int64_t index_of(const struct sparse_call *call, int64_t i)
{
    const int64_t index = array_index(&call->x.indices, i) - call->x.base;

    if (index >= 0 && index < call->c.rows)
        return index;
    __cudaEmuComplain("cuSPARSE: an index of a sparse vector is outside of the dense one");
    return -1;
}

/* X is read or written; Y is read, and written too if `y_writes`. */
static bool reach_vectors(const struct sparse_call *call, bool x_writes, bool y_writes)
{
    return sparse_reach_indices(call, "indices", &call->x.indices, call->x.count, true, false) &&
           sparse_reach(call, "X", &call->x.values, call->x.count, !x_writes, x_writes) &&
           sparse_reach_dense(call, "Y", &call->c, true, y_writes);
}

static void run_axpby(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct array *y = &call->c.values;
    double alpha, beta;

    if (!sparse_scalars(call, &alpha, &beta) || !reach_vectors(call, false, true))
        return;
    for (int64_t i = 0; i < call->c.rows; i++)
        array_set_number(y, i, beta * array_number(y, i));
    for (int64_t i = 0, index; i < call->x.count && (index = index_of(call, i)) >= 0; i++)
        array_set_number(y, index,
                         alpha * array_number(&call->x.values, i) + array_number(y, index));
}

static void run_gather(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;

    if (!reach_vectors(call, true, false))
        return;
    for (int64_t i = 0, index; i < call->x.count && (index = index_of(call, i)) >= 0; i++)
        array_set_number(&call->x.values, i, array_number(&call->c.values, index));
}

static void run_scatter(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;

    if (!reach_vectors(call, false, true))
        return;
    for (int64_t i = 0, index; i < call->x.count && (index = index_of(call, i)) >= 0; i++)
        array_set_number(&call->c.values, index, array_number(&call->x.values, i));
}

static void run_dot(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    double sum = 0;

    if (!reach_vectors(call, false, false) ||
        (call->result_on_device && !sparse_reach(call, "result", &call->result, 1, false, true)))
        return;
    for (int64_t i = 0, index; i < call->x.count && (index = index_of(call, i)) >= 0; i++)
        sum += array_number(&call->x.values, i) * array_number(&call->c.values, index);
    array_set_number(&call->result, 0, sum);
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t x, const void *beta,
                               cusparseDnVecDescr_t y)
{
    NEEDS(handle, alpha && beta && x && y && x->size == y->dense.rows);
    const int type = y->dense.values.type;
    struct sparse_call call = {.x = *x,
                               .c = y->dense,
                               .alpha = sparse_scalar_of(handle, alpha, type),
                               .beta = sparse_scalar_of(handle, beta, type),
                               .type = type};

    return sparse_submit(handle, "cusparseAxpby", &call, run_axpby);
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x)
{
    NEEDS(handle, x && y && x->size == y->dense.rows);
    struct sparse_call call = {.x = *x, .c = y->dense};

    return sparse_submit(handle, "cusparseGather", &call, run_gather);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y)
{
    NEEDS(handle, x && y && x->size == y->dense.rows);
    struct sparse_call call = {.x = *x, .c = y->dense};

    return sparse_submit(handle, "cusparseScatter", &call, run_scatter);
}

NO_BUFFER(cusparseSpVV_bufferSize, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
          cusparseConstDnVecDescr_t y, const void *result, cudaDataType type)
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void *result, cudaDataType type, void *buffer)
{
    NEEDS(handle, x && y && result && x->size == y->dense.rows);
    const bool on_device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
    struct sparse_call call = {.x = *x,
                               .c = y->dense,
                               .result = {on_device ? __cudaEmuPointer(result) : result, (int)type},
                               .result_on_device = on_device};

    const cusparseStatus_t status = sparse_submit(handle, "cusparseSpVV", &call, run_dot);
    enum cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(handle->stream, &captured); /* in a graph the result comes later */
    if (!status && !on_device && !captured && cudaStreamSynchronize(handle->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    return status;
}
