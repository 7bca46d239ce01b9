/* SPDX-License-Identifier: MIT */
/* cuBLAS: handles, and copies between host and device. */
#include "libraries/cublas.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cpu_library cblas = {"a CBLAS",
                            "libopenblas0",
                            {"libopenblas.so.0", "libblas.so.3", "libcblas.so.3"},
                            "cblas_sgemm",
                            NULL};

struct scalar scalar_of(cublasHandle_t handle, const void *pointer, size_t size)
{
    struct scalar scalar = {NULL};

    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        scalar.device = __cudaEmuPointer(pointer);
    else
        memcpy(scalar.value, pointer, size);
    return scalar;
}

bool scalar_read(const struct hosted_call *call, const char *what, const struct scalar *scalar,
                 void *value, size_t size)
{
    const struct hosted_memory memory = {what, scalar->device, size, size, 1, true, false};

    if (scalar->device && !__cudaEmuReach(call, &memory))
        return false;
    memcpy(value, scalar->device ? scalar->device : scalar->value, size);
    return true;
}

bool reach_vector(const struct hosted_call *call, const char *what, enum access access, int n,
                  const void *x, int step, size_t size)
{
    const size_t pitch = size * (size_t)llabs(step);
    const struct hosted_memory memory = {
        what, x, size, pitch, n > 0 ? (size_t)n : 0, access & READS, access & WRITES};

    return __cudaEmuReach(call, &memory);
}

bool reach_matrix(const struct hosted_call *call, const char *what, enum access access, int rows,
                  int columns, const void *a, int ld, size_t size)
{
    const struct hosted_memory memory = {
        what, a, rows * size, ld * size, (size_t)columns, access & READS, access & WRITES};

    return __cudaEmuReach(call, &memory);
}

bool reach_triangle(const struct hosted_call *call, const char *what, enum access access,
                    bool upper, bool unit, int n, const void *a, int ld, size_t size)
{
    for (int j = 0; j < n; j++) {
        const int first = upper ? 0 : j + unit, end = upper ? j + 1 - unit : n;
        const char *column = (const char *)a + ((size_t)j * ld + first) * size;
        if (!reach_matrix(call, what, access, end - first, 1, column, ld, size))
            return false;
    }
    return true;
}

bool reach_band(const struct hosted_call *call, const char *what, int m, int n, int below,
                int above, bool unit, const void *a, int ld, size_t size)
{
    const int first_row = unit && !above ? 1 : 0, last_row = above + below - (unit && !below);

    for (int j = 0; j < n; j++) {
        const int first = above > j ? above - j : first_row;
        const int last = m - 1 - j + above < last_row ? m - 1 - j + above : last_row;
        const char *column = (const char *)a + ((size_t)j * ld + first) * size;
        if (first <= last &&
            !reach_matrix(call, what, READS, last - first + 1, 1, column, ld, size))
            return false;
    }
    return true;
}

bool reach_packed(const struct hosted_call *call, const char *what, enum access access, int n,
                  const void *a, size_t size)
{
    return reach_vector(call, what, access, (int)((int64_t)n * (n + 1) / 2), a, 1, size);
}

cublasStatus_t submit(cublasHandle_t handle, const struct hosted_call *call)
{
    const cudaError_t error = __cudaEmuHosted(call, handle->stream);

    return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                                : CUBLAS_STATUS_EXECUTION_FAILED;
}

HANDLE(cublasStatus_t, CUBLAS, cublasHandle_t, cublasCreate_v2, cublasDestroy_v2,
       cpu_library_open(&cblas, "cublasCreate"))

#define FIELD(get, set, type, field, is_valid) \
    HANDLE_MEMBER(cublasStatus_t, CUBLAS, cublasHandle_t, get, set, type, field, is_valid)
FIELD(cublasGetStream_v2, cublasSetStream_v2, cudaStream_t, stream, true)
FIELD(cublasGetPointerMode_v2, cublasSetPointerMode_v2, cublasPointerMode_t, pointer_mode,
      (unsigned)value <= CUBLAS_POINTER_MODE_DEVICE)
FIELD(cublasGetMathMode, cublasSetMathMode, cublasMath_t, math_mode, true)
FIELD(cublasGetAtomicsMode, cublasSetAtomicsMode, cublasAtomicsMode_t, atomics_mode,
      (unsigned)value <= CUBLAS_ATOMICS_ALLOWED)
FIELD(cublasGetSmCountTarget, cublasSetSmCountTarget, int, sm_target, value >= 0)

/* The CPU needs none. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return size && !workspace ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

GET_PROPERTY(cublasStatus_t, cublasGetProperty, CUBLAS, CUBLAS_STATUS_INVALID_VALUE)

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
#define STATUS(name, text) \
    {                      \
        name, #name, text  \
    }
    STATUS(CUBLAS_STATUS_SUCCESS, "success"),
    STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"),
    STATUS(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"),
    STATUS(CUBLAS_STATUS_INVALID_VALUE, "an invalid value was passed to the function"),
    STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "the device lacks a feature of the function"),
    STATUS(CUBLAS_STATUS_MAPPING_ERROR, "a copy between host and device failed"),
    STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed on the device"),
    STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"),
    STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality is not supported"),
    STATUS(CUBLAS_STATUS_LICENSE_ERROR, "the licence was not found"),
};

const char *cublasGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unknown cuBLAS status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown cuBLAS status";
}

/* --- Copies ----------------------------------------------------------------------------------- */

/* `columns` columns of `rows` elements. */
static cublasStatus_t copy(int rows, int columns, int size, const void *from, int from_ld, void *to,
                           int to_ld, enum cudaMemcpyKind kind, const cudaStream_t *stream)
{
    if (rows < 0 || columns < 0 || size <= 0 || from_ld <= 0 || to_ld <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!rows || !columns)
        return CUBLAS_STATUS_SUCCESS;
    if (rows > from_ld || rows > to_ld)
        return CUBLAS_STATUS_MAPPING_ERROR;
    const size_t to_pitch = (size_t)to_ld * size, from_pitch = (size_t)from_ld * size;
    const size_t width = (size_t)rows * size;
    const cudaError_t error =
        stream ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, columns, kind, *stream)
               : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, columns, kind);
    return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

/* A vector is a matrix with rows of one element. */
#define COPIES(verb, kind)                                                                      \
    cublasStatus_t cublas##verb##Matrix(int rows, int columns, int size, const void *from,      \
                                        int from_ld, void *to, int to_ld)                       \
    {                                                                                           \
        return copy(rows, columns, size, from, from_ld, to, to_ld, kind, NULL);                 \
    }                                                                                           \
    cublasStatus_t cublas##verb##MatrixAsync(int rows, int columns, int size, const void *from, \
                                             int from_ld, void *to, int to_ld,                  \
                                             cudaStream_t stream)                               \
    {                                                                                           \
        return copy(rows, columns, size, from, from_ld, to, to_ld, kind, &stream);              \
    }                                                                                           \
    cublasStatus_t cublas##verb##Vector(int n, int size, const void *from, int from_step,       \
                                        void *to, int to_step)                                  \
    {                                                                                           \
        return copy(1, n, size, from, from_step, to, to_step, kind, NULL);                      \
    }                                                                                           \
    cublasStatus_t cublas##verb##VectorAsync(int n, int size, const void *from, int from_step,  \
                                             void *to, int to_step, cudaStream_t stream)        \
    {                                                                                           \
        return copy(1, n, size, from, from_step, to, to_step, kind, &stream);                   \
    }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)
