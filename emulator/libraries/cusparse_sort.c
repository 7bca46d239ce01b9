/* SPDX-License-Identifier: MIT */
/* cuSPARSE: the numbers of a sparse matrix in order, and how many numbers of a dense one are not
 * zero. */
#include "libraries/cusparse.h"

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* --- Order ------------------------------------------------------------------------------------ */

struct number {
    int64_t column, from;
};

static int by_column(const void *a, const void *b)
{
    const struct number *left = a, *right = b;

    return left->column != right->column
               ? (left->column > right->column) - (left->column < right->column)
               : (left->from > right->from) - (left->from < right->from);
}

/* Writes the columns of row i, sorted, and from where they came. */
static void sort_row(const struct sparse_call *call, const struct rows *rows, int64_t i,
                     struct number *numbers, const int64_t *permutation)
{
    const int64_t begin = rows->begin[i], count = rows->begin[i + 1] - begin;
    const struct cusparseSpMatDescr *a = &call->a;

    for (int64_t k = 0; k < count; k++)
        numbers[k] = (struct number){rows->column[begin + k], rows->index[begin + k]};
    qsort(numbers, (size_t)count, sizeof(*numbers), by_column);
    for (int64_t k = 0; k < count; k++) {
        array_set_index(&a->column_indices, begin + k, numbers[k].column + a->base);
        if (a->format == CUSPARSE_FORMAT_COO)
            array_set_index(&a->row_indices, begin + k, i + a->base);
        if (call->result.start)
            array_set_index(&call->result, begin + k, permutation[numbers[k].from]);
    }
}

static void run_sort(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct cusparseSpMatDescr *a = &call->a;
    const bool pairs = a->format == CUSPARSE_FORMAT_COO;
    const int64_t *const none = NULL;
    struct rows rows;

    if (!sparse_reach_indices(call, "indices", &a->column_indices, a->count, true, true) ||
        (pairs && !sparse_reach_indices(call, "indices", &a->row_indices, a->count, true, true)) ||
        (call->result.start &&
         !sparse_reach_indices(call, "P", &call->result, a->count, true, true)) ||
        !rows_read(call, false, false, &rows))
        return;
    struct number *numbers = malloc(((size_t)a->count + 1) * sizeof(*numbers));
    int64_t *permutation = malloc(((size_t)a->count + 1) * sizeof(*permutation));
    if (numbers && permutation) {
        for (int64_t k = 0; k < a->count && call->result.start; k++)
            permutation[k] = array_index(&call->result, k);
        for (int64_t i = 0; i < rows.rows; i++)
            sort_row(call, &rows, i, numbers, call->result.start ? permutation : none);
    } else
        __cudaEmuComplain("cuSPARSE: no memory to sort a matrix");
    free(numbers);
    free(permutation);
    rows_free(&rows);
}

/* `lines` of the matrix, which its offsets or its first indices count, across which the others run.
 * Of pairs the base does not matter. */
static cusparseStatus_t sort(cusparseHandle_t handle, const char *name, cusparseFormat_t format,
                             int lines, int across, int count, const void *begin, void *indices,
                             void *permutation, int base)
{
    const int more = format == CUSPARSE_FORMAT_COO;

    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (lines < 0 || across < 0 || count < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_call call = {.a = {.format = format,
                                     .rows = (int64_t)lines + more,
                                     .columns = (int64_t)across + more,
                                     .count = count,
                                     .row_indices = {(void *)begin, CUSPARSE_INDEX_32I},
                                     .column_indices = {indices, CUSPARSE_INDEX_32I},
                                     .base = (cusparseIndexBase_t)base},
                               .result = {__cudaEmuPointer(permutation), CUSPARSE_INDEX_32I}};

    return sparse_submit(handle, name, &call, run_sort);
}

#define PLACES int m, int n, int count, const int *rows, const int *columns
NO_BUFFER(cusparseXcsrsort_bufferSizeExt, PLACES)
NO_BUFFER(cusparseXcscsort_bufferSizeExt, PLACES)
NO_BUFFER(cusparseXcoosort_bufferSizeExt, PLACES)

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int count,
                                  const cusparseMatDescr_t description, const int *offsets,
                                  int *columns, int *permutation, void *buffer)
{
    if (!description)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sort(handle, __func__, CUSPARSE_FORMAT_CSR, m, n, count, offsets, columns, permutation,
                (int)cusparseGetMatIndexBase(description));
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int count,
                                  const cusparseMatDescr_t description, const int *offsets,
                                  int *rows, int *permutation, void *buffer)
{
    if (!description)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sort(handle, __func__, CUSPARSE_FORMAT_CSR, n, m, count, offsets, rows, permutation,
                (int)cusparseGetMatIndexBase(description));
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int count, int *rows,
                                       int *columns, int *permutation, void *buffer)
{
    return sort(handle, __func__, CUSPARSE_FORMAT_COO, m, n, count, rows, columns, permutation, 0);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int count,
                                          int *rows, int *columns, int *permutation, void *buffer)
{
    return sort(handle, __func__, CUSPARSE_FORMAT_COO, n, m, count, columns, rows, permutation, 0);
}

static void run_identity(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;

    if (!sparse_reach_indices(call, "p", &call->result, call->a.count, false, true))
        return;
    for (int64_t i = 0; i < call->a.count; i++)
        array_set_index(&call->result, i, i);
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (n < 0 || (n && !p))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_call call = {.a.count = n, .result = {__cudaEmuPointer(p), CUSPARSE_INDEX_32I}};

    return sparse_submit(handle, __func__, &call, run_identity);
}

/* --- Numbers that are not zero ---------------------------------------------------------------- */

/* Of each row, or each column if `transposed`, and of all. */
static void run_count(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct dense *b = &call->b;
    const int64_t lines = call->transposed ? b->columns : b->rows;
    int64_t all = 0;

    if (!sparse_reach_dense(call, "A", b, true, false) ||
        !sparse_reach_indices(call, "nnzPerRowCol", &call->result, lines, false, true) ||
        (call->result_on_device &&
         !sparse_reach_indices(call, "nnzTotal", &call->x.indices, 1, false, true)))
        return;
    for (int64_t i = 0; i < lines; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < (call->transposed ? b->rows : b->columns); j++)
            count += array_number(&b->values, call->transposed ? dense_index(b, j, i)
                                                               : dense_index(b, i, j)) != 0;
        array_set_index(&call->result, i, count);
        all += count;
    }
    if (call->result_on_device)
        array_set_index(&call->x.indices, 0, all);
    else
        *call->counted = all;
}

static cusparseStatus_t count(cusparseHandle_t handle, const char *name, bool by_columns, int m,
                              int n, const void *a, int ld, cudaDataType type, int *each,
                              int *total)
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || ld < m || !total)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool on_device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
    int64_t all = 0;
    struct sparse_call call = {.b = {.rows = m,
                                     .columns = n,
                                     .ld = ld,
                                     .values = {(void *)a, (int)type},
                                     .order = CUSPARSE_ORDER_COL},
                               .x.indices = {on_device ? total : NULL, CUSPARSE_INDEX_32I},
                               .result = {__cudaEmuPointer(each), CUSPARSE_INDEX_32I},
                               .result_on_device = on_device,
                               .transposed = by_columns,
                               .counted = &all};

    const cusparseStatus_t status = sparse_submit(handle, name, &call, run_count);
    if (status || on_device)
        return status;
    if (cudaStreamSynchronize(handle->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    *total = (int)all;
    return CUSPARSE_STATUS_SUCCESS;
}

#define COUNT(letter, T, type)                                                                 \
    cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t along, \
                                           int m, int n, const cusparseMatDescr_t description, \
                                           const T *a, int ld, int *each, int *total)          \
    {                                                                                          \
        return count(handle, __func__, along == CUSPARSE_DIRECTION_COLUMN, m, n, a, ld, type,  \
                     each, total);                                                             \
    }
COUNT(S, float, CUDA_R_32F)
COUNT(D, double, CUDA_R_64F)
