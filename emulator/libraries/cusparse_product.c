/* SPDX-License-Identifier: MIT */
/* cuSPARSE: the product of two sparse matrices. Its numbers wait in the description of the product
 * until the program has made room for them. */
#include "libraries/cusparse.h"

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

struct cusparseSpGEMMDescr {
    int64_t rows, count; /* `count` of its numbers may be other than zero */
    int64_t products; /* of a number of A and one of B */
    int64_t *begin, *column; /* as in struct rows; each row's columns in their order */
    double *value; /* op(A) op(B), without alpha */
};

static void forget(struct cusparseSpGEMMDescr *made)
{
    free(made->begin);
    free(made->column);
    free(made->value);
    *made = (struct cusparseSpGEMMDescr){0};
}

OBJECT(cusparseStatus_t, CUSPARSE, cusparseSpGEMMDescr_t, cusparseSpGEMM_createDescr,
       cusparseSpGEMM_destroyDescr, (void)0, forget(object))

/* --- The product ------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* What each column of a row has so far. */
struct sums {
    double *sum;
    bool *used;
};

/* Row i of A's columns pick rows of B. Without `numbers` all sums are 0. */
static void multiply_row(const struct sparse_call *call, const struct rows *a, const struct rows *b,
                         int64_t i, bool numbers, const struct sums *sums)
{
    struct cusparseSpGEMMDescr *made = call->made;
    const int64_t begin = made->count;

    for (int64_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
        const double factor = numbers ? array_number(&call->a.values, a->index[k]) : 0;
        const int64_t row = a->column[k];
        for (int64_t j = b->begin[row]; j < b->begin[row + 1]; j++) {
            const int64_t column = b->column[j];
            if (!sums->used[column])
                made->column[made->count++] = column;
            sums->used[column] = true;
            if (numbers)
                sums->sum[column] += factor * array_number(&call->a2.values, b->index[j]);
        }
    }
    qsort(made->column + begin, (size_t)(made->count - begin), sizeof(*made->column), by_number);
    for (int64_t k = begin; k < made->count; k++) {
        const int64_t column = made->column[k];
        made->value[k] = sums->sum[column];
        sums->sum[column] = 0;
        sums->used[column] = false;
    }
    made->begin[i + 1] = made->count;
}

static void multiply(const struct sparse_call *call, const struct rows *a, const struct rows *b,
                     bool numbers)
{
    struct cusparseSpGEMMDescr *made = call->made;
    const size_t columns = (size_t)b->columns + 1;
    struct sums sums = {calloc(columns, sizeof(*sums.sum)), calloc(columns, sizeof(*sums.used))};
    int64_t products = 0;

    for (int64_t k = 0; k < a->begin[a->rows]; k++)
        products += b->begin[a->column[k] + 1] - b->begin[a->column[k]];
    forget(made);
    made->begin = calloc((size_t)a->rows + 1, sizeof(*made->begin));
    made->column = calloc((size_t)products + 1, sizeof(*made->column));
    made->value = calloc((size_t)products + 1, sizeof(*made->value));
    if (sums.sum && sums.used && made->begin && made->column && made->value) {
        made->rows = a->rows;
        made->products = products;
        for (int64_t i = 0; i < a->rows; i++)
            multiply_row(call, a, b, i, numbers, &sums);
    } else {
        forget(made);
        __cudaEmuComplain("cuSPARSE: no memory for the product of two sparse matrices");
    }
    free(sums.sum);
    free(sums.used);
}

static bool multiply_both(const struct sparse_call *call, bool numbers)
{
    struct sparse_call second = *call;
    struct rows a, b;

    second.a = call->a2;
    if (!rows_read(call, call->transposed, numbers, &a))
        return false;
    const bool good = rows_read(&second, call->b_transposed, numbers, &b);
    if (good) {
        multiply(call, &a, &b, numbers);
        rows_free(&b);
    }
    rows_free(&a);
    return good;
}

static void run_pattern(const struct hosted_call *hosted)
{
    multiply_both((const struct sparse_call *)hosted, false);
}

static void run_product(const struct hosted_call *hosted)
{
    multiply_both((const struct sparse_call *)hosted, true);
}

/* --- To where the program wants it ------------------------------------------------------------ */

/* C must have room for what was found. */
static bool has_room(const struct sparse_call *call)
{
    const bool fits = call->a3.rows == call->made->rows && call->a3.count == call->made->count;

    if (!fits)
        __cudaEmuComplain("cuSPARSE: C has another size than the product that was computed");
    return fits;
}

static void run_write_pattern(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct cusparseSpMatDescr *c = &call->a3;
    const struct cusparseSpGEMMDescr *made = call->made;

    if (!has_room(call) ||
        !sparse_reach_indices(call, "C's offsets", &c->row_indices, c->rows + 1, false, true) ||
        !sparse_reach_indices(call, "C's columns", &c->column_indices, c->count, false, true))
        return;
    for (int64_t i = 0; i <= c->rows; i++)
        array_set_index(&c->row_indices, i, (c->rows ? made->begin[i] : 0) + c->base);
    for (int64_t k = 0; k < c->count; k++)
        array_set_index(&c->column_indices, k, made->column[k] + c->base);
}

/* C = alpha op(A) op(B) + beta C, where C has numbers. */
static void run_write_numbers(const struct hosted_call *hosted)
{
    const struct sparse_call *call = (const struct sparse_call *)hosted;
    const struct array *values = &call->a3.values;
    double alpha, beta;

    if (!has_room(call) || !sparse_scalars(call, &alpha, &beta) ||
        !sparse_reach(call, "C's values", values, call->a3.count, beta != 0, true))
        return;
    for (int64_t k = 0; k < call->a3.count; k++)
        array_set_number(values, k,
                         alpha * call->made->value[k] +
                             (beta != 0 ? beta * array_number(values, k) : 0));
}

static void run_write(const struct hosted_call *hosted)
{
    run_write_pattern(hosted);
    run_write_numbers(hosted);
}

static void run_again(const struct hosted_call *hosted)
{
    if (multiply_both((const struct sparse_call *)hosted, true))
        run_write_numbers(hosted);
}

/* --- The functions ---------------------------------------------------------------------------- */

/* What all of them have. */
#define FACTORS                                                                        \
    cusparseOperation_t op_a, cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,   \
        cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t kind, \
        cusparseSpGEMMDescr_t made
#define SCALED_FACTORS                                                              \
    cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,          \
        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, \
        cusparseSpMatDescr_t c, cudaDataType type, cusparseSpGEMMAlg_t kind,        \
        cusparseSpGEMMDescr_t made

/* The sizes must fit, and the CPU computes on rows of C. `values`: of C, once it has any. */
static cusparseStatus_t prepare(cusparseHandle_t handle, cusparseOperation_t op_a,
                                cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                                cusparseSpGEMMDescr_t made, struct sparse_call *call)
{
    if (!handle)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!a || !b || !c || !made || c->format != CUSPARSE_FORMAT_CSR ||
        (op_a ? a->columns : a->rows) != c->rows || (op_b ? b->rows : b->columns) != c->columns ||
        (op_a ? a->rows : a->columns) != (op_b ? b->columns : b->rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->base != b->base || a->base != c->base) /* as on a GPU */
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *call = (struct sparse_call){
        .a = *a, .a2 = *b, .a3 = *c, .made = made, .transposed = op_a, .b_transposed = op_b};
    return CUSPARSE_STATUS_SUCCESS;
}

/* How many numbers C will have is known when this returns. */
static cusparseStatus_t find(cusparseHandle_t handle, const char *name, struct sparse_call *call,
                             cusparseSpMatDescr_t c, void (*run)(const struct hosted_call *call))
{
    const cusparseStatus_t status = sparse_submit(handle, name, call, run);

    if (status)
        return status;
    if (cudaStreamSynchronize(handle->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    c->count = call->made->count;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t submit_scaled(cusparseHandle_t handle, const char *name,
                                      struct sparse_call *call, const void *alpha, const void *beta,
                                      cudaDataType type,
                                      void (*run)(const struct hosted_call *call))
{
    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    call->type = (int)type;
    call->alpha = sparse_scalar_of(handle, alpha, (int)type);
    call->beta = sparse_scalar_of(handle, beta, (int)type);
    return sparse_submit(handle, name, call, run);
}

/* A buffer is asked for in a call of its own, and none is used; but a program may hold NULL for one
 * of no bytes. Is this that call? */
static bool asks(size_t *size, const void *buffer)
{
    enum { SOME = 8 };

    if (size && !buffer)
        *size = SOME;
    return !buffer;
}

#define PREPARE(call)                                                                     \
    struct sparse_call call;                                                              \
    do {                                                                                  \
        const cusparseStatus_t wrong = prepare(handle, op_a, op_b, a, b, c, made, &call); \
        if (wrong)                                                                        \
            return wrong;                                                                 \
    } while (0)

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, SCALED_FACTORS,
                                               size_t *size, void *buffer)
{
    PREPARE(call);
    if (asks(size, buffer))
        return CUSPARSE_STATUS_SUCCESS;
    call.a.values.start = call.a2.values.start = call.a3.values.start = NULL;
    return find(handle, __func__, &call, c, run_pattern);
}

cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t made, int64_t *products)
{
    if (!made || !products)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *products = made->products;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, SCALED_FACTORS,
                                               float fraction, size_t *size3, void *buffer3,
                                               size_t *size2)
{
    PREPARE(call);
    asks(size3, buffer3);
    asks(size2, NULL);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, SCALED_FACTORS, size_t *size,
                                        void *buffer)
{
    PREPARE(call);
    if (asks(size, buffer))
        return CUSPARSE_STATUS_SUCCESS;
    call.a3.values.start = NULL;
    return find(handle, __func__, &call, c, run_product);
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, SCALED_FACTORS)
{
    PREPARE(call);
    return submit_scaled(handle, __func__, &call, alpha, beta, type, run_write);
}

cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, FACTORS, size_t *size,
                                                    void *buffer)
{
    PREPARE(call);
    asks(size, buffer);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, FACTORS, size_t *size2,
                                         void *buffer2, size_t *size3, void *buffer3, size_t *size4,
                                         void *buffer4)
{
    PREPARE(call);
    asks(size3, buffer3);
    asks(size4, buffer4);
    if (asks(size2, buffer2))
        return CUSPARSE_STATUS_SUCCESS;
    call.a.values.start = call.a2.values.start = call.a3.values.start = NULL;
    return find(handle, __func__, &call, c, run_pattern);
}

cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, FACTORS, size_t *size,
                                          void *buffer)
{
    PREPARE(call);
    if (asks(size, buffer))
        return CUSPARSE_STATUS_SUCCESS;
    call.a.values.start = call.a2.values.start = call.a3.values.start = NULL;
    return sparse_submit(handle, __func__, &call, run_write_pattern);
}

cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, SCALED_FACTORS)
{
    PREPARE(call);
    return submit_scaled(handle, __func__, &call, alpha, beta, type, run_again);
}
