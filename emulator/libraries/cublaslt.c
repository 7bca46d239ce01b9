/* SPDX-License-Identifier: MIT */
/* cuBLASLt: products of matrices, with a bias and an activation. Sums are kept in double precision
 * and rounded once. What describes a product lies in the program's memory, as the real library's
 * does. */
#include "libraries/stand_in.h"

#define CUBLASWINAPI
#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <cublasLt.h>
#pragma GCC diagnostic pop
#pragma GCC visibility pop
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/numbers.h"

struct cublasLtContext {
    char none;
};

/* --- Descriptions ----------------------------------------------------------------------------- */

/* In the order of their attributes, but with what is asked for alone. */
struct layout {
    int32_t type, order;
    uint64_t rows, columns;
    int64_t ld;
    int32_t batch;
    int64_t stride; /* in elements, from one of the batch to the next */
};

struct product {
    int32_t compute_type, scale_type, pointer_mode, trans_a, trans_b, epilogue;
    const void *bias;
    void *aux; /* what the activation takes, for the way back */
    int64_t aux_ld;
    int32_t bias_type, aux_type; /* -1: that of the result */
};

struct preference {
    uint64_t workspace;
};

_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it fits");
_Static_assert(sizeof(struct product) <= sizeof(cublasLtMatmulDescOpaque_t), "it fits");
_Static_assert(sizeof(struct preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "it fits");

/* Where an attribute is. */
struct attribute {
    int number;
    size_t offset, size;
};
#define ATTRIBUTE(number, type, member)                                              \
    {                                                                                \
        number, offsetof(struct type, member), sizeof(((struct type *)NULL)->member) \
    }

static const struct attribute of_layouts[] = {
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, layout, type),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, layout, order),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, layout, rows),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, layout, columns),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, layout, ld),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, layout, batch),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, layout, stride),
    {-1, 0, 0},
};

static const struct attribute of_products[] = {
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, product, compute_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, product, scale_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, product, pointer_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, product, trans_a),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, product, trans_b),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, product, epilogue),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product, bias),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, product, aux),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, product, aux_ld),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, product, bias_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, product, aux_type),
    {-1, 0, 0},
};

static const struct attribute of_preferences[] = {
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, preference, workspace),
    {-1, 0, 0},
};

/* NULL: there is none of that number. */
static const struct attribute *find_attribute(const struct attribute *list, int number)
{
    for (; list->number >= 0; list++)
        if (list->number == number)
            return list;
    return NULL;
}

static cublasStatus_t set(void *described, const struct attribute *list, int number,
                          const void *value, size_t size, const char *caller)
{
    const struct attribute *attribute = find_attribute(list, number);

    if (!described || !value)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!attribute) {
        __cudaEmuLacks(caller, "cuBLASLt with this attribute");
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (size < attribute->size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)described + attribute->offset, value, attribute->size);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const void *described, const struct attribute *list, int number,
                          void *value, size_t size, size_t *written)
{
    const struct attribute *attribute = find_attribute(list, number);

    if (!described || !attribute || (size && size < attribute->size) || (size ? !value : !written))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (written)
        *written = attribute->size;
    if (size)
        memcpy(value, (const char *)described + attribute->offset, attribute->size);
    return CUBLAS_STATUS_SUCCESS;
}

/* ATTRIBUTES(cublasLtMatmulDesc, _t of it, list): how to set and get the attributes of one kind. */
#define ATTRIBUTES(name, list)                                                                    \
    cublasStatus_t name##SetAttribute(name##_t described, name##Number number, const void *value, \
                                      size_t size)                                                \
    {                                                                                             \
        return set(described, list, (int)number, value, size, #name "SetAttribute");              \
    }                                                                                             \
    cublasStatus_t name##GetAttribute(name##_t described, name##Number number, void *value,       \
                                      size_t size, size_t *written)                               \
    {                                                                                             \
        return get(described, list, (int)number, value, size, written);                           \
    }                                                                                             \
    cublasStatus_t name##Destroy(name##_t described)                                              \
    {                                                                                             \
        free(described);                                                                          \
        return CUBLAS_STATUS_SUCCESS;                                                             \
    }
typedef cublasLtMatmulDescAttributes_t cublasLtMatmulDescNumber;
typedef cublasLtMatrixLayoutAttribute_t cublasLtMatrixLayoutNumber;
typedef cublasLtMatmulPreferenceAttributes_t cublasLtMatmulPreferenceNumber;
ATTRIBUTES(cublasLtMatmulDesc, of_products)
ATTRIBUTES(cublasLtMatrixLayout, of_layouts)
ATTRIBUTES(cublasLtMatmulPreference, of_preferences)

static cublasStatus_t fill(void *room, size_t room_size, const void *made, size_t size)
{
    if (!room || room_size < size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(room, 0, room_size);
    memcpy(room, made, size);
    return CUBLAS_STATUS_SUCCESS;
}

/* In memory of its own. */
#define CREATE(pointer, call)                                    \
    do {                                                         \
        if (!(pointer))                                          \
            return CUBLAS_STATUS_INVALID_VALUE;                  \
        *(pointer) = malloc(sizeof(**(pointer)));                \
        return *(pointer) ? (call) : CUBLAS_STATUS_ALLOC_FAILED; \
    } while (0)

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t described, size_t size,
                                               cublasComputeType_t compute_type,
                                               cudaDataType_t scale_type)
{
    const struct product made = {.compute_type = (int)compute_type,
                                 .scale_type = (int)scale_type,
                                 .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                 .bias_type = -1,
                                 .aux_type = -1};

    return fill(described, size, &made, sizeof(made));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *described,
                                        cublasComputeType_t compute_type, cudaDataType_t scale_type)
{
    CREATE(described, cublasLtMatmulDescInit_internal(*described, sizeof(**described), compute_type,
                                                      scale_type));
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t described, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t ld)
{
    const struct layout made = {(int)type, CUBLASLT_ORDER_COL, rows, columns, ld, 1, 0};

    return fill(described, size, &made, sizeof(made));
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *described, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld)
{
    CREATE(described, cublasLtMatrixLayoutInit_internal(*described, sizeof(**described), type, rows,
                                                        columns, ld));
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t described,
                                                     size_t size)
{
    const struct preference made = {0};

    return fill(described, size, &made, sizeof(made));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *described)
{
    CREATE(described, cublasLtMatmulPreferenceInit_internal(*described, sizeof(**described)));
}

HANDLE(cublasStatus_t, CUBLAS, cublasLtHandle_t, cublasLtCreate, cublasLtDestroy, true)

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return CUDART_VERSION;
}

/* --- Products --------------------------------------------------------------------------------- */

/* A call: D = activation(alpha op(A) op(B) + beta C + bias). */
struct matmul {
    struct hosted_call call;
    struct product how;
    struct layout a, b, c, d;
    const void *a_data, *b_data, *c_data;
    void *d_data;
    const void *alpha, *beta; /* on the device */
    double alpha_value, beta_value; /* where they are not */
};

static size_t index_of(const struct layout *layout, uint64_t row, uint64_t column)
{
    return layout->order == CUBLASLT_ORDER_COL ? column * (uint64_t)layout->ld + row
                                               : row * (uint64_t)layout->ld + column;
}

static double element(const struct layout *layout, const void *data, bool transposed, uint64_t row,
                      uint64_t column)
{
    return number_read((cudaDataType)layout->type, data,
                       transposed ? index_of(layout, column, row) : index_of(layout, row, column));
}

static bool reach(const struct matmul *call, const char *what, const struct layout *layout,
                  const void *data, bool reads, bool writes)
{
    const bool columns = layout->order == CUBLASLT_ORDER_COL;
    const size_t size = number_size((cudaDataType)layout->type);
    const struct hosted_memory memory = {what,
                                         data,
                                         (columns ? layout->rows : layout->columns) * size,
                                         (size_t)layout->ld * size,
                                         columns ? layout->columns : layout->rows,
                                         reads,
                                         writes};

    return __cudaEmuReach(&call->call, &memory);
}

static bool reach_line(const struct matmul *call, const char *what, int type, const void *data,
                       size_t count)
{
    const size_t bytes = count * number_size((cudaDataType)type);
    const struct hosted_memory memory = {what, data, bytes, bytes, 1, true, false};

    return __cudaEmuReach(&call->call, &memory);
}

static bool read_scalar(const struct matmul *call, const char *what, const void *device,
                        double value, double *result)
{
    const int type = call->how.scale_type;

    if (device && !reach_line(call, what, type, device, 1))
        return false;
    *result = device ? number_read((cudaDataType)type, device, 0) : value;
    return true;
}

/* The approximation by tanh, which is the library's. */
static double gelu(double x)
{
    return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double finish(const struct matmul *call, double sum, void *aux, size_t row, size_t column)
{
    const struct product *how = &call->how;

    if (how->epilogue & CUBLASLT_EPILOGUE_BIAS)
        sum += number_read((cudaDataType)how->bias_type, how->bias, row);
    if (aux)
        number_write((cudaDataType)how->aux_type, sum, aux, column * (size_t)how->aux_ld + row);
    if (how->epilogue & CUBLASLT_EPILOGUE_RELU)
        return sum > 0 ? sum : 0;
    return how->epilogue & CUBLASLT_EPILOGUE_GELU ? gelu(sum) : sum;
}

static void *of_batch(const struct layout *layout, const void *data, int64_t i)
{
    return (char *)data + i * layout->stride * (int64_t)number_size((cudaDataType)layout->type);
}

/* Number `n` of the batch. */
static bool multiply(const struct matmul *call, int64_t n, double alpha, double beta)
{
    const bool trans_a = call->how.trans_a, trans_b = call->how.trans_b;
    const void *a = of_batch(&call->a, call->a_data, n), *b = of_batch(&call->b, call->b_data, n);
    const void *c = of_batch(&call->c, call->c_data, n);
    const uint64_t depth = trans_a ? call->a.rows : call->a.columns;
    void *d = of_batch(&call->d, call->d_data, n);

    if (!reach(call, "A", &call->a, a, true, false) ||
        !reach(call, "B", &call->b, b, true, false) ||
        (beta != 0 && !reach(call, "C", &call->c, c, true, false)) ||
        !reach(call, "D", &call->d, d, false, true))
        return false;
    for (uint64_t j = 0; j < call->d.columns; j++)
        for (uint64_t i = 0; i < call->d.rows; i++) {
            double sum = 0;
            for (uint64_t k = 0; k < depth; k++)
                sum += element(&call->a, a, trans_a, i, k) * element(&call->b, b, trans_b, k, j);
            sum *= alpha;
            if (beta != 0)
                sum += beta * element(&call->c, c, false, i, j);
            number_write((cudaDataType)call->d.type, finish(call, sum, call->how.aux, i, j), d,
                         index_of(&call->d, i, j));
        }
    return true;
}

static void run(const struct hosted_call *hosted)
{
    const struct matmul *call = (const struct matmul *)hosted;
    const struct layout aux = {.type = call->how.aux_type,
                               .rows = call->d.rows,
                               .columns = call->d.columns,
                               .ld = call->how.aux_ld};
    double alpha, beta;

    if (!read_scalar(call, "alpha", call->alpha, call->alpha_value, &alpha) ||
        !read_scalar(call, "beta", call->beta, call->beta_value, &beta) ||
        (call->how.epilogue & CUBLASLT_EPILOGUE_BIAS &&
         !reach_line(call, "bias", call->how.bias_type, call->how.bias, call->d.rows)) ||
        (call->how.aux &&
         !reach(call, "the epilogue's auxiliary matrix", &aux, call->how.aux, false, true)))
        return;
    for (int64_t n = 0; n < call->d.batch; n++)
        if (!multiply(call, n, alpha, beta))
            return;
}

static bool is_type(int type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F ||
           type == CUDA_R_8I || type == CUDA_R_32I;
}

/* What is not among these is refused by name. */
static const char *lacks(const struct matmul *call)
{
    const int known = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS |
                      CUBLASLT_EPILOGUE_GELU_AUX;
    const struct layout *const layouts[] = {&call->a, &call->b, &call->c, &call->d};

    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        if (!is_type(layouts[i]->type))
            return "cuBLASLt of complex and 8-bit floats";
        if (layouts[i]->order != CUBLASLT_ORDER_COL && layouts[i]->order != CUBLASLT_ORDER_ROW)
            return "cuBLASLt with tiled matrices";
    }
    if (call->d.type == CUDA_R_8I)
        return "cuBLASLt with 8-bit results";
    if (call->how.epilogue & ~known || call->how.epilogue == CUBLASLT_EPILOGUE_RELU_AUX ||
        (call->how.aux && call->d.batch > 1))
        return "cuBLASLt with this epilogue";
    return call->how.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE
               ? "cuBLASLt with vectors of scalars"
               : NULL;
}

static bool fits(const struct matmul *call)
{
    const bool trans_a = call->how.trans_a, trans_b = call->how.trans_b;
    const struct layout *a = &call->a, *b = &call->b, *c = &call->c, *d = &call->d;

    return (trans_a ? a->columns : a->rows) == d->rows &&
           (trans_b ? b->rows : b->columns) == d->columns &&
           (trans_a ? a->rows : a->columns) == (trans_b ? b->columns : b->rows) &&
           c->rows == d->rows && c->columns == d->columns && a->batch == d->batch &&
           b->batch == d->batch;
}

static cublasStatus_t describe(struct matmul *call, cublasLtMatmulDesc_t how,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                               const char *caller)
{
    if (!how || !a || !b || !c || !d)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(call, 0, sizeof(*call));
    memcpy(&call->how, how, sizeof(call->how));
    memcpy(&call->a, a, sizeof(call->a));
    memcpy(&call->b, b, sizeof(call->b));
    memcpy(&call->c, c, sizeof(call->c));
    memcpy(&call->d, d, sizeof(call->d));
    const char *lacking = lacks(call);
    if (lacking) {
        __cudaEmuLacks(caller, lacking);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return fits(call) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t how,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int *count)
{
    struct matmul call;

    if (!handle || !preference || wanted < 1 || !results || !count)
        return CUBLAS_STATUS_INVALID_VALUE;
    *count = 0;
    const cublasStatus_t status =
        describe(&call, how, a, b, c, d, "cublasLtMatmulAlgoGetHeuristic");
    if (status)
        return status;
    *results = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

static void take_scalars(struct matmul *call, const void *alpha, const void *beta)
{
    const cudaDataType type = (cudaDataType)call->how.scale_type;

    if (call->how.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE) {
        call->alpha = __cudaEmuPointer(alpha);
        call->beta = __cudaEmuPointer(beta);
    } else {
        call->alpha_value = number_read(type, alpha, 0);
        call->beta_value = number_read(type, beta, 0);
    }
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void *alpha,
                              const void *a_data, cublasLtMatrixLayout_t a, const void *b_data,
                              cublasLtMatrixLayout_t b, const void *beta, const void *c_data,
                              cublasLtMatrixLayout_t c, void *d_data, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t size,
                              cudaStream_t stream)
{
    struct matmul call;

    (void)algorithm, (void)workspace, (void)size; /* the CPU needs none */
    if (!handle || !alpha || !beta || !a_data || !b_data || !d_data)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status = describe(&call, how, a, b, c, d, "cublasLtMatmul");
    if (status)
        return status;
    call.call = (struct hosted_call){"cublasLtMatmul", run, sizeof(call), false};
    take_scalars(&call, alpha, beta);
    call.a_data = __cudaEmuPointer(a_data);
    call.b_data = __cudaEmuPointer(b_data);
    call.c_data = __cudaEmuPointer(c_data ? c_data : d_data);
    call.d_data = __cudaEmuPointer(d_data);
    call.how.bias = __cudaEmuPointer(call.how.bias);
    call.how.aux = (call.how.epilogue & CUBLASLT_EPILOGUE_GELU_AUX) == CUBLASLT_EPILOGUE_GELU_AUX
                       ? __cudaEmuPointer(call.how.aux)
                       : NULL;
    call.how.bias_type = call.how.bias_type < 0 ? call.d.type : call.how.bias_type;
    call.how.aux_type = call.how.aux_type < 0 ? call.d.type : call.how.aux_type;
    const cudaError_t error = __cudaEmuHosted(&call.call, stream);
    return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                                : CUBLAS_STATUS_EXECUTION_FAILED;
}
