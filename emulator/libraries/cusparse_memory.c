/* SPDX-License-Identifier: MIT */
/* cuSPARSE: how calls reach their numbers and indices. */
#include "libraries/cusparse.h"
#include "libraries/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(int type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

static bool is_index(int type)
{
    return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

double array_number(const struct array *array, int64_t i)
{
    return number_read(array->type, array->start, (size_t)i);
}

void array_set_number(const struct array *array, int64_t i, double number)
{
    number_write(array->type, number, array->start, (size_t)i);
}

int64_t array_index(const struct array *array, int64_t i)
{
    return array->type == CUSPARSE_INDEX_64I ? ((const int64_t *)array->start)[i]
                                             : ((const int32_t *)array->start)[i];
}

void array_set_index(const struct array *array, int64_t i, int64_t index)
{
    if (array->type == CUSPARSE_INDEX_64I)
        ((int64_t *)array->start)[i] = index;
    else
        ((int32_t *)array->start)[i] = (int32_t)index;
}

int64_t dense_index(const struct dense *dense, int64_t row, int64_t column)
{
    return dense->order == CUSPARSE_ORDER_COL ? column * dense->ld + row : row * dense->ld + column;
}

/* --- Scalars ---------------------------------------------------------------------------------- */

struct sparse_scalar sparse_scalar_of(cusparseHandle_t handle, const void *pointer, int type)
{
    const struct array array = {(void *)pointer, type};

    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
        return (struct sparse_scalar){__cudaEmuPointer(pointer), 0};
    return (struct sparse_scalar){NULL, array_number(&array, 0)};
}

static bool read_scalar(const struct sparse_call *call, const char *what,
                        const struct sparse_scalar *scalar, double *value)
{
    const struct array array = {(void *)scalar->device, call->type};

    if (scalar->device && !sparse_reach(call, what, &array, 1, true, false))
        return false;
    *value = scalar->device ? array_number(&array, 0) : scalar->value;
    return true;
}

bool sparse_scalars(const struct sparse_call *call, double *alpha, double *beta)
{
    return read_scalar(call, "alpha", &call->alpha, alpha) &&
           read_scalar(call, "beta", &call->beta, beta);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static bool reach(const struct sparse_call *call, const char *what, const struct array *array,
                  int64_t count, size_t size, bool reads, bool writes)
{
    const size_t bytes = (size_t)count * size;
    const struct hosted_memory memory = {what, array->start, bytes, bytes, 1, reads, writes};

    return !count || __cudaEmuReach(&call->call, &memory);
}

bool sparse_reach(const struct sparse_call *call, const char *what, const struct array *array,
                  int64_t count, bool reads, bool writes)
{
    return reach(call, what, array, count, number_size(array->type), reads, writes);
}

bool sparse_reach_indices(const struct sparse_call *call, const char *what,
                          const struct array *array, int64_t count, bool reads, bool writes)
{
    const size_t size = array->type == CUSPARSE_INDEX_64I ? sizeof(int64_t) : sizeof(int32_t);

    return reach(call, what, array, count, size, reads, writes);
}

bool sparse_reach_dense(const struct sparse_call *call, const char *what, const struct dense *dense,
                        bool reads, bool writes)
{
    const bool columns = dense->order == CUSPARSE_ORDER_COL;
    const size_t size = number_size(dense->values.type);
    const struct hosted_memory memory = {what,
                                         dense->values.start,
                                         (size_t)(columns ? dense->rows : dense->columns) * size,
                                         (size_t)dense->ld * size,
                                         (size_t)(columns ? dense->columns : dense->rows),
                                         reads,
                                         writes};

    return !dense->rows || !dense->columns || __cudaEmuReach(&call->call, &memory);
}

cusparseStatus_t sparse_submit(cusparseHandle_t handle, const char *name, struct sparse_call *call,
                               void (*run)(const struct hosted_call *call))
{
    struct array *numbers[] = {&call->a.values, &call->x.values,  &call->b.values,
                               &call->c.values, &call->a2.values, &call->a3.values};
    struct array *indices[] = {&call->a.row_indices,     &call->a.column_indices,
                               &call->x.indices,         &call->a2.row_indices,
                               &call->a2.column_indices, &call->a3.row_indices,
                               &call->a3.column_indices};

    if (call->a.batch.count > 1 || call->a2.batch.count > 1 || call->b.batch.count > 1 ||
        call->c.batch.count > 1) {
        __cudaEmuLacks(name, "cuSPARSE of batches");
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i]->start && !is_number(numbers[i]->type)) {
            __cudaEmuLacks(name, "cuSPARSE of complex numbers and integers");
            return CUSPARSE_STATUS_NOT_SUPPORTED;
        }
        numbers[i]->start = __cudaEmuPointer(numbers[i]->start);
    }
    for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
        if (indices[i]->start && !is_index(indices[i]->type))
            return CUSPARSE_STATUS_NOT_SUPPORTED;
        indices[i]->start = __cudaEmuPointer(indices[i]->start);
    }
    call->call = (struct hosted_call){name, run, sizeof(*call), false};
    const cudaError_t error = __cudaEmuHosted(&call->call, handle->stream);
    return error == cudaSuccess                 ? CUSPARSE_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUSPARSE_STATUS_ALLOC_FAILED
                                                : CUSPARSE_STATUS_EXECUTION_FAILED;
}

static void shift(struct array *array, size_t size, int64_t elements)
{
    array->start = array->start ? (char *)array->start + (int64_t)size * elements : NULL;
}

static size_t index_size(const struct array *array)
{
    return array->type == CUSPARSE_INDEX_64I ? sizeof(int64_t) : sizeof(int32_t);
}

/* Number i of a batch, alone. */
static struct cusparseSpMatDescr sparse_of(struct cusparseSpMatDescr a, int i)
{
    const bool by_rows = a.format == CUSPARSE_FORMAT_CSR,
               by_columns = a.format == CUSPARSE_FORMAT_CSC;

    shift(&a.row_indices, index_size(&a.row_indices),
          i * (by_rows ? a.batch.offsets : a.batch.values));
    shift(&a.column_indices, index_size(&a.column_indices),
          i * (by_columns ? a.batch.offsets : a.batch.values));
    shift(&a.values, number_size(a.values.type), i * a.batch.values);
    a.batch = (struct batch){0};
    return a;
}

static struct dense dense_of(struct dense dense, int i)
{
    shift(&dense.values, number_size(dense.values.type), i * dense.batch.values);
    dense.batch = (struct batch){0};
    return dense;
}

cusparseStatus_t sparse_submit_batch(cusparseHandle_t handle, const char *name,
                                     const struct sparse_call *call,
                                     void (*run)(const struct hosted_call *call))
{
    const int counts[] = {call->a.batch.count, call->b.batch.count, call->c.batch.count};
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    int count = 1;

    for (int i = 0; i < 3; i++)
        count = counts[i] > count ? counts[i] : count;
    for (int i = 0; i < 3; i++)
        if (counts[i] > 1 && counts[i] != count)
            return CUSPARSE_STATUS_INVALID_VALUE;
    for (int i = 0; i < count && !status; i++) {
        struct sparse_call one = *call;
        one.a = sparse_of(call->a, i);
        one.b = dense_of(call->b, i);
        one.c = dense_of(call->c, i);
        status = sparse_submit(handle, name, &one, run);
    }
    return status;
}

/* --- Rows of a sparse matrix ------------------------------------------------------------------ */

static bool complain(const struct sparse_call *call, const char *what, int64_t index)
{
    char line[160];

    snprintf(line, sizeof(line), "%s: %s %lld is outside of the matrix", call->call.name, what,
             (long long)index);
    __cudaEmuComplain(line);
    return false;
}

/* The lines, rows or columns, of what `offsets` compresses, one for each number. */
static bool expand(const struct sparse_call *call, const struct array *offsets, int64_t lines,
                   int64_t *line_of)
{
    const int64_t base = call->a.base, count = call->a.count;

    for (int64_t line = 0; line < lines; line++) {
        const int64_t begin = array_index(offsets, line) - base;
        const int64_t end = array_index(offsets, line + 1) - base;
        if (begin < 0 || end < begin || end > count)
            return complain(call, "an offset,", end);
        for (int64_t i = begin; i < end; i++)
            line_of[i] = line;
    }
    return true;
}

static void copy_indices(const struct sparse_call *call, const struct array *array,
                         int64_t *line_of)
{
    for (int64_t i = 0; i < call->a.count; i++)
        line_of[i] = array_index(array, i) - call->a.base;
}

/* Row and column of each number of the matrix. */
static bool read_lines(const struct sparse_call *call, int64_t *row, int64_t *column)
{
    const struct cusparseSpMatDescr *a = &call->a;
    const bool by_rows = a->format == CUSPARSE_FORMAT_CSR,
               by_columns = a->format == CUSPARSE_FORMAT_CSC;

    if (!sparse_reach_indices(call, "row indices", &a->row_indices,
                              by_rows ? a->rows + 1 : a->count, true, false) ||
        !sparse_reach_indices(call, "column indices", &a->column_indices,
                              by_columns ? a->columns + 1 : a->count, true, false))
        return false;
    if (!by_rows)
        copy_indices(call, &a->row_indices, row);
    if (!by_columns)
        copy_indices(call, &a->column_indices, column);
    if ((by_rows && !expand(call, &a->row_indices, a->rows, row)) ||
        (by_columns && !expand(call, &a->column_indices, a->columns, column)))
        return false;
    for (int64_t i = 0; i < a->count; i++)
        if (row[i] < 0 || row[i] >= a->rows || column[i] < 0 || column[i] >= a->columns)
            return complain(call, "an index,",
                            row[i] < 0 || row[i] >= a->rows ? row[i] : column[i]);
    return true;
}

/* Sort the numbers by row; those of one row stay in their order. */
static void sort_rows(struct rows *rows, int64_t count, const int64_t *row, const int64_t *column)
{
    for (int64_t i = 0; i < count; i++)
        rows->begin[row[i] + 1]++;
    for (int64_t i = 0; i < rows->rows; i++)
        rows->begin[i + 1] += rows->begin[i];
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = rows->begin[row[i]]++;
        rows->column[at] = column[i];
        rows->index[at] = i;
    }
    memmove(rows->begin + 1, rows->begin, (size_t)rows->rows * sizeof(*rows->begin));
    rows->begin[0] = 0;
}

bool rows_read(const struct sparse_call *call, bool transposed, bool numbers, struct rows *rows)
{
    const struct cusparseSpMatDescr *a = &call->a;
    const size_t room = (size_t)a->count + 1;

    *rows = (struct rows){.rows = transposed ? a->columns : a->rows,
                          .columns = transposed ? a->rows : a->columns};
    rows->begin = calloc((size_t)rows->rows + 1, sizeof(*rows->begin));
    rows->column = calloc(room, sizeof(*rows->column));
    rows->index = calloc(room, sizeof(*rows->index));
    int64_t *lines = calloc(2 * room, sizeof(*lines));
    const bool good =
        rows->begin && rows->column && rows->index && lines &&
        (!numbers || sparse_reach(call, "values", &a->values, a->count, true, false)) &&
        read_lines(call, lines, lines + room);
    if (good)
        sort_rows(rows, a->count, transposed ? lines + room : lines,
                  transposed ? lines : lines + room);
    else
        rows_free(rows);
    free(lines);
    return good;
}

void rows_free(struct rows *rows)
{
    free(rows->begin);
    free(rows->column);
    free(rows->index);
}
