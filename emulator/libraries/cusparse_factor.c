/* SPDX-License-Identifier: MIT */
/* cuSPARSE: incomplete factors of a sparse matrix, and its transpose. They take CSR by address, as
 * before there were descriptions of sparse matrices. */
#include "libraries/cusparse.h"

#include <math.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static struct cusparseSpMatDescr csr_of(int rows, int columns, int count, const void *values,
                                        cudaDataType type, const int *offsets, const int *indices,
                                        cusparseIndexBase_t base)
{
    return (struct cusparseSpMatDescr){
        .format = CUSPARSE_FORMAT_CSR,
        .rows = rows,
        .columns = columns,
        .count = count,
        .row_indices = {(void *)offsets, CUSPARSE_INDEX_32I},
        .column_indices = {(void *)indices, CUSPARSE_INDEX_32I},
        .values = {(void *)values, (int)type},
        .base = base,
    };
}

/* --- Incomplete factors ----------------------------------------------------------------------- */

struct factors {
    int64_t zero; /* the first row, from 0, whose diagonal is missing or 0; -1: none */
    cusparseIndexBase_t base;
};

#define INFO(Kind, kind)                                                                     \
    struct kind##Info {                                                                      \
        struct factors factors;                                                              \
    };                                                                                       \
    OBJECT(cusparseStatus_t, CUSPARSE, kind##Info_t, cusparseCreate##Kind##Info,             \
           cusparseDestroy##Kind##Info, object->factors.zero = -1, (void)0)                  \
    cusparseStatus_t cusparseX##kind##_zeroPivot(cusparseHandle_t handle, kind##Info_t info, \
                                                 int *position)                              \
    {                                                                                        \
        return zero_pivot(handle, info ? &info->factors : NULL, position);                   \
    }

/* Waits for the factors, as on a GPU. */
static cusparseStatus_t zero_pivot(cusparseHandle_t handle, const struct factors *factors,
                                   int *position)
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!factors || !position)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (cudaStreamSynchronize(handle->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    const int found = factors->zero < 0 ? -1 : (int)factors->zero + (int)factors->base;
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_HOST)
        *position = found;
    else if (cudaMemcpy(position, &found, sizeof(found), cudaMemcpyDefault))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    return found < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

INFO(Csrilu02, csrilu02)
INFO(Csric02, csric02)

/* Where the row has its diagonal; -1: nowhere. */
static int64_t diagonal_of(const struct rows *rows, int64_t row)
{
    for (int64_t i = rows->begin[row]; i < rows->begin[row + 1]; i++)
        if (rows->column[i] == row)
            return rows->index[i];
    return -1;
}

/* The first row without a number on the diagonal. */
static void run_analysis(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    struct rows rows;

    if (!rows_read(call, false, false, &rows))
        return;
    *call->counted = -1;
    for (int64_t i = 0; i < rows.rows && *call->counted < 0; i++)
        if (diagonal_of(&rows, i) < 0)
            *call->counted = i;
    rows_free(&rows);
}

/* Take multiples of the rows above off row i, where it has numbers: `at` says where, by column. */
static void eliminate(const struct array *a, const struct rows *rows, int64_t i, int64_t *at,
                      int64_t *zero)
{
    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++)
        at[rows->column[k]] = rows->index[k];
    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++) {
        const int64_t above = rows->column[k];
        const int64_t diagonal = above < i ? diagonal_of(rows, above) : -1;
        if (diagonal < 0)
            continue;
        const double factor = array_number(a, rows->index[k]) / array_number(a, diagonal);
        array_set_number(a, rows->index[k], factor);
        for (int64_t j = rows->begin[above]; j < rows->begin[above + 1]; j++)
            if (rows->column[j] > above && at[rows->column[j]] >= 0)
                array_set_number(a, at[rows->column[j]],
                                 array_number(a, at[rows->column[j]]) -
                                     factor * array_number(a, rows->index[j]));
    }
    if (*zero < 0 && (at[i] < 0 || array_number(a, at[i]) == 0))
        *zero = i;
    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++)
        at[rows->column[k]] = -1;
}

/* Row i of L, where A = L L^T, in the place of A's lower triangle. */
static void eliminate_lower(const struct array *a, const struct rows *rows, int64_t i, int64_t *at,
                            int64_t *zero)
{
    double diagonal = 0;

    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++)
        at[rows->column[k]] = rows->index[k];
    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++) {
        const int64_t above = rows->column[k];
        const int64_t over = above < i ? diagonal_of(rows, above) : -1;
        if (over < 0)
            continue;
        double rest = array_number(a, rows->index[k]);
        for (int64_t j = rows->begin[above]; j < rows->begin[above + 1]; j++)
            if (rows->column[j] < above && at[rows->column[j]] >= 0)
                rest -= array_number(a, at[rows->column[j]]) * array_number(a, rows->index[j]);
        rest /= array_number(a, over);
        array_set_number(a, rows->index[k], rest);
        diagonal += rest * rest;
    }
    diagonal = at[i] < 0 ? 0 : array_number(a, at[i]) - diagonal;
    if (*zero < 0 && !(diagonal > 0))
        *zero = i;
    if (at[i] >= 0)
        array_set_number(a, at[i], sqrt(diagonal));
    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++)
        at[rows->column[k]] = -1;
}

typedef void eliminate_row(const struct array *a, const struct rows *rows, int64_t i, int64_t *at,
                           int64_t *zero);
static void run_factors(const struct hosted_call *hosted, eliminate_row *each)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    struct rows rows;

    if (!sparse_reach(call, "values", &call->a.values, call->a.count, true, true) ||
        !rows_read(call, false, true, &rows))
        return;
    int64_t *at = malloc(((size_t)rows.rows + 1) * sizeof(*at));
    *call->counted = -1;
    for (int64_t i = 0; at && i < rows.rows; i++)
        at[i] = -1;
    for (int64_t i = 0; at && i < rows.rows; i++)
        each(&call->a.values, &rows, i, at, call->counted);
    if (!at)
        __cudaEmuComplain("cuSPARSE: no memory for the indices of a row");
    free(at);
    rows_free(&rows);
}

static void run_csrilu02(const struct hosted_call *hosted)
{
    run_factors(hosted, eliminate);
}

static void run_csric02(const struct hosted_call *hosted)
{
    run_factors(hosted, eliminate_lower);
}

static cusparseStatus_t factor(cusparseHandle_t handle, const char *name, int n, int count,
                               const cusparseMatDescr_t description, const void *values,
                               cudaDataType type, const int *offsets, const int *indices,
                               struct factors *factors, void (*run)(const struct hosted_call *call))
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (n < 0 || count < 0 || !description || !factors)
        return CUSPARSE_STATUS_INVALID_VALUE;
    factors->base = cusparseGetMatIndexBase(description);
    struct sparse_call call = {
        .a = csr_of(n, n, count, values, type, offsets, indices, factors->base),
        .counted = &factors->zero};

    return sparse_submit(handle, name, &call, run);
}

#define CSR(T, kind)                                                                       \
    int n, int count, const cusparseMatDescr_t description, T *values, const int *offsets, \
        const int *indices, kind##Info_t info
#define FACTORS(letter, T, type, kind)                                                           \
    NO_BUFFER_OF(int, cusparse##letter##kind##_bufferSize, CSR(T, kind))                         \
    NO_BUFFER(cusparse##letter##kind##_bufferSizeExt, CSR(T, kind))                              \
    cusparseStatus_t cusparse##letter##kind##_analysis(                                          \
        cusparseHandle_t handle, CSR(const T, kind), cusparseSolvePolicy_t policy, void *buffer) \
    {                                                                                            \
        return factor(handle, __func__, n, count, description, values, type, offsets, indices,   \
                      info ? &info->factors : NULL, run_analysis);                               \
    }                                                                                            \
    cusparseStatus_t cusparse##letter##kind(cusparseHandle_t handle, CSR(T, kind),               \
                                            cusparseSolvePolicy_t policy, void *buffer)          \
    {                                                                                            \
        return factor(handle, __func__, n, count, description, values, type, offsets, indices,   \
                      info ? &info->factors : NULL, run_##kind);                                 \
    }
FACTORS(S, float, CUDA_R_32F, csrilu02)
FACTORS(D, double, CUDA_R_64F, csrilu02)
FACTORS(S, float, CUDA_R_32F, csric02)
FACTORS(D, double, CUDA_R_64F, csric02)

/* --- The transpose ---------------------------------------------------------------------------- */

/* To CSC: offsets into `result`, indices and values into x. */
static void run_transpose(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const int64_t base = call->a.base;
    const bool numbers = call->x.values.start != NULL;
    struct rows rows;

    if (!sparse_reach_indices(call, "cscColPtr", &call->result, call->a.columns + 1, false, true) ||
        !sparse_reach_indices(call, "cscRowInd", &call->x.indices, call->a.count, false, true) ||
        (numbers && !sparse_reach(call, "cscVal", &call->x.values, call->a.count, false, true)) ||
        !rows_read(call, true, numbers, &rows))
        return;
    for (int64_t i = 0; i <= rows.rows; i++)
        array_set_index(&call->result, i, rows.begin[i] + base);
    for (int64_t i = 0; i < call->a.count; i++) {
        array_set_index(&call->x.indices, i, rows.column[i] + base);
        if (numbers)
            array_set_number(&call->x.values, i, array_number(&call->a.values, rows.index[i]));
    }
    rows_free(&rows);
}

#define TRANSPOSE                                                                        \
    int m, int n, int count, const void *values, const int *offsets, const int *indices, \
        void *csc_values, int *csc_offsets, int *csc_indices, cudaDataType type,         \
        cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, TRANSPOSE, size_t *size)
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size = 0;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, TRANSPOSE, void *buffer)
{
    const bool numbers = action == CUSPARSE_ACTION_NUMERIC;

    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || count < 0 || !csc_offsets)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_call call = {
        .a = csr_of(m, n, count, numbers ? values : NULL, type, offsets, indices, base),
        .x = {.indices = {csc_indices, CUSPARSE_INDEX_32I},
              .values = {numbers ? csc_values : NULL, (int)type}},
        .result = {__cudaEmuPointer(csc_offsets), CUSPARSE_INDEX_32I}};

    return sparse_submit(handle, "cusparseCsr2cscEx2", &call, run_transpose);
}
