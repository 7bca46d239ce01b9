/* SPDX-License-Identifier: MIT */
/* cuSPARSE: handles, and what describes vectors and matrices. */
#include "libraries/cusparse.h"

#include <stdlib.h>
#include <string.h>

#include "libraries/sparse_matrix.h"

HANDLE(cusparseStatus_t, CUSPARSE, cusparseHandle_t, cusparseCreate, cusparseDestroy, true)

#define FIELD(name, type, field)                                                   \
    HANDLE_MEMBER(cusparseStatus_t, CUSPARSE, cusparseHandle_t, cusparseGet##name, \
                  cusparseSet##name, type, field, true)
FIELD(Stream, cudaStream_t, stream)
FIELD(PointerMode, cusparsePointerMode_t, pointer_mode)

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!version)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

GET_PROPERTY(cusparseStatus_t, cusparseGetProperty, CUSPARSE, CUSPARSE_STATUS_INVALID_VALUE)

static const struct {
    const char *name, *text;
} statuses[] = {
    [CUSPARSE_STATUS_SUCCESS] = {"CUSPARSE_STATUS_SUCCESS", "success"},
    [CUSPARSE_STATUS_NOT_INITIALIZED] = {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    [CUSPARSE_STATUS_ALLOC_FAILED] = {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    [CUSPARSE_STATUS_INVALID_VALUE] = {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    [CUSPARSE_STATUS_EXECUTION_FAILED] = {"CUSPARSE_STATUS_EXECUTION_FAILED",
                                          "the function failed on the device"},
    [CUSPARSE_STATUS_NOT_SUPPORTED] = {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
};

static bool is_known(cusparseStatus_t status)
{
    return (unsigned)status < sizeof(statuses) / sizeof(statuses[0]) && statuses[status].name;
}

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    return is_known(status) ? statuses[status].name : "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    return is_known(status) ? statuses[status].text : "unrecognized error code";
}

/* --- Descriptions ----------------------------------------------------------------------------- */

/* A copy of what is described, at *result. */
static cusparseStatus_t give(void *result, const void *described, size_t size, bool valid)
{
    if (!result || !valid)
        return CUSPARSE_STATUS_INVALID_VALUE;
    void *copy = malloc(size);
    if (!copy)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    memcpy(copy, described, size);
    memcpy(result, &copy, sizeof(copy));
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t drop(const void *described)
{
    free((void *)described);
    return described ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vector, int64_t size, int64_t count,
                                     void *indices, void *values, cusparseIndexType_t type,
                                     cusparseIndexBase_t base, cudaDataType value_type)
{
    const struct cusparseSpVecDescr made = {
        size, count, {indices, (int)type}, {values, (int)value_type}, base};

    return give(vector, &made, sizeof(made), size >= count && count >= 0);
}

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vector, int64_t size,
                                          int64_t count, const void *indices, const void *values,
                                          cusparseIndexType_t type, cusparseIndexBase_t base,
                                          cudaDataType value_type)
{
    return cusparseCreateSpVec((cusparseSpVecDescr_t *)vector, size, count, (void *)indices,
                               (void *)values, type, base, value_type);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector)
{
    return drop(vector);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values,
                                     cudaDataType type)
{
    const struct cusparseDnVecDescr made = {{.rows = size,
                                             .columns = 1,
                                             .ld = size,
                                             .values = {values, (int)type},
                                             .order = CUSPARSE_ORDER_COL}};

    return give(vector, &made, sizeof(made), size >= 0);
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector, int64_t size,
                                          const void *values, cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)vector, size, (void *)values, type);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector)
{
    return drop(vector);
}

cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void **values)
{
    if (!vector || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *values = vector->dense.values.start;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values)
{
    if (!vector || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    vector->dense.values.start = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t columns,
                                     int64_t ld, void *values, cudaDataType type,
                                     cusparseOrder_t order)
{
    const struct cusparseDnMatDescr made = {{.rows = rows,
                                             .columns = columns,
                                             .ld = ld,
                                             .values = {values, (int)type},
                                             .order = order}};
    const bool valid =
        rows >= 0 && columns >= 0 && ld >= (order == CUSPARSE_ORDER_COL ? rows : columns);

    return give(matrix, &made, sizeof(made), valid);
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix, int64_t rows,
                                          int64_t columns, int64_t ld, const void *values,
                                          cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)matrix, rows, columns, ld, (void *)values,
                               type, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix)
{
    return drop(matrix);
}

static cusparseStatus_t create_sparse(cusparseSpMatDescr_t *matrix, cusparseFormat_t format,
                                      int64_t rows, int64_t columns, int64_t count,
                                      struct array row_indices, struct array column_indices,
                                      struct array values, cusparseIndexBase_t base)
{
    const struct cusparseSpMatDescr made = {.format = format,
                                            .rows = rows,
                                            .columns = columns,
                                            .count = count,
                                            .row_indices = row_indices,
                                            .column_indices = column_indices,
                                            .values = values,
                                            .base = base};

    return give(matrix, &made, sizeof(made), rows >= 0 && columns >= 0 && count >= 0);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns,
                                   int64_t count, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t indices_type, cusparseIndexBase_t base,
                                   cudaDataType type)
{
    return create_sparse(matrix, CUSPARSE_FORMAT_CSR, rows, columns, count,
                         (struct array){offsets, (int)offsets_type},
                         (struct array){indices, (int)indices_type},
                         (struct array){values, (int)type}, base);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns,
                                   int64_t count, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t indices_type, cusparseIndexBase_t base,
                                   cudaDataType type)
{
    return create_sparse(matrix, CUSPARSE_FORMAT_CSC, rows, columns, count,
                         (struct array){indices, (int)indices_type},
                         (struct array){offsets, (int)offsets_type},
                         (struct array){values, (int)type}, base);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns,
                                   int64_t count, void *row_indices, void *column_indices,
                                   void *values, cusparseIndexType_t indices_type,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return create_sparse(matrix, CUSPARSE_FORMAT_COO, rows, columns, count,
                         (struct array){row_indices, (int)indices_type},
                         (struct array){column_indices, (int)indices_type},
                         (struct array){values, (int)type}, base);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
    return drop(matrix);
}

static cusparseStatus_t set_batch(struct batch *batch, int count, int64_t offsets, int64_t values)
{
    if (!batch || count < 1 || offsets < 0 || values < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *batch = (struct batch){count, offsets, values};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t offsets,
                                            int64_t values)
{
    return set_batch(matrix ? &matrix->batch : NULL, count, offsets, values);
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t stride)
{
    return set_batch(matrix ? &matrix->batch : NULL, count, 0, stride);
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int count,
                                              int64_t stride)
{
    return set_batch(matrix ? &matrix->dense.batch : NULL, count, 0, stride);
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                      int64_t *columns, int64_t *count)
{
    if (!matrix || !rows || !columns || !count)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = matrix->rows;
    *columns = matrix->columns;
    *count = matrix->count;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *offsets, void *indices,
                                        void *values)
{
    if (!matrix || matrix->format != CUSPARSE_FORMAT_CSR || !offsets)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->row_indices.start = offsets;
    matrix->column_indices.start = indices;
    matrix->values.start = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void **values)
{
    if (!matrix || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *values = matrix->values.start;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values)
{
    if (!matrix || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->values.start = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    if (!matrix || !data || size != sizeof(int))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        matrix->fill = *(const cusparseFillMode_t *)data;
    else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE)
        matrix->diagonal = *(const cusparseDiagType_t *)data;
    else
        return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}

/* --- What described a matrix before CUDA 10 --------------------------------------------------- */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *description)
{
    const struct cusparseMatDescr made = {0};

    return give(description, &made, sizeof(made), true);
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t description)
{
    return drop(description);
}

#define MEMBER(name, kind, member)                                                 \
    cusparseStatus_t cusparseSet##name(cusparseMatDescr_t description, kind value) \
    {                                                                              \
        if (!description || (unsigned)value > CUSPARSE_MATRIX_TYPE_TRIANGULAR)     \
            return CUSPARSE_STATUS_INVALID_VALUE;                                  \
        description->member = value;                                               \
        return CUSPARSE_STATUS_SUCCESS;                                            \
    }                                                                              \
    kind cusparseGet##name(const cusparseMatDescr_t description)                   \
    {                                                                              \
        return description->member;                                                \
    }
MEMBER(MatType, cusparseMatrixType_t, type)
MEMBER(MatIndexBase, cusparseIndexBase_t, base)
MEMBER(MatFillMode, cusparseFillMode_t, fill)
MEMBER(MatDiagType, cusparseDiagType_t, diagonal)
