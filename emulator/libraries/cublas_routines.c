/* SPDX-License-Identifier: MIT */
/* cuBLAS: the routines of BLAS, in the four types that all of them have. cublas_routines.def is the
 * text of one type. */
#include "libraries/cublas.h"
#include "libraries/numbers.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* A call of any routine. Which members it uses is its own affair. */
struct routine {
    struct hosted_call call;
    struct scalar alpha, beta;
    const void *a, *b, *x;
    void *c, *y, *result;
    int m, n, k, above; /* `above`: of a band, the diagonals above the main one */
    int lda, ldb, ldc, x_step, y_step;
    int trans, trans_b, upper, unit, right; /* of the operations cublasOperation_t; flags */
    bool result_on_device;
    cudaDataType type; /* of vectors, where that is a parameter */
};

static int cblas_trans(int operation)
{
    return CBLAS_NO_TRANS + operation;
}

static int cblas_upper(int upper)
{
    return upper ? CBLAS_UPPER : CBLAS_LOWER;
}

/* Of cublasFillMode_t, cublasDiagType_t and cublasSideMode_t. */
static bool is_flag(int value)
{
    return value == 0 || value == 1;
}

/* A result goes to the host or, in the order of the stream, to the device. */
static void put_result(const struct routine *routine, const void *value, size_t size)
{
    const struct hosted_memory memory = {"result", routine->result, size, size, 1, false, true};

    if (!routine->result_on_device || __cudaEmuReach(&routine->call, &memory))
        memcpy(routine->result, value, size);
}

static cublasStatus_t launch(cublasHandle_t handle, struct routine *routine)
{
    routine->a = __cudaEmuPointer(routine->a);
    routine->b = __cudaEmuPointer(routine->b);
    routine->x = __cudaEmuPointer(routine->x);
    routine->c = __cudaEmuPointer(routine->c);
    routine->y = __cudaEmuPointer(routine->y);
    return submit(handle, &routine->call);
}

/* A routine with a result for the host returns when that is there. */
static cublasStatus_t submit_result(cublasHandle_t handle, struct routine *routine)
{
    routine->result_on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    if (routine->result_on_device)
        routine->result = __cudaEmuPointer(routine->result);
    const cublasStatus_t status = launch(handle, routine);
    if (!status && !routine->result_on_device && cudaStreamSynchronize(handle->stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}

#define TEXT_OF(text) #text
#define TEXT(text) TEXT_OF(text)
#define PASTE_OF(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_OF(a, b, c)
/* The name of a routine in this type: as the program calls it, as it is exported, as CBLAS has it,
 * and of what runs it. */
#define NAME(routine) "cublas" TEXT(LETTER) #routine
#define CUBLAS(routine) PASTE(cublas, LETTER, routine)
#define RUN(routine) PASTE(run_, LETTER, routine)
#define CPU(type, routine) ((type)cpu_function(&cblas, TEXT(PASTE(cblas_, SMALL, routine))))
/* The same, where the type of the result has a letter of its own. */
#define NAME_NORM(routine) "cublas" TEXT(NORM_LETTERS) #routine
#define CUBLAS_NORM(routine) PASTE(cublas, NORM_LETTERS, routine)
#define CPU_NORM(type, routine) \
    ((type)cpu_function(&cblas, TEXT(PASTE(cblas_, NORM_SMALL, routine))))
#define NAME_INDEX(routine) "cublasI" TEXT(SMALL) #routine
#define CUBLAS_INDEX(routine) PASTE(cublasI, SMALL, routine)
#define CPU_INDEX(type, routine) ((type)cpu_function(&cblas, TEXT(PASTE(cblas_i, SMALL, routine))))

/* The beginning of each routine: its handle, and pointers that must not be NULL. */
#define WANT(...)                                                     \
    do {                                                              \
        const void *const wanted[] = {__VA_ARGS__};                   \
        if (!handle)                                                  \
            return CUBLAS_STATUS_NOT_INITIALIZED;                     \
        for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) \
            if (!wanted[i])                                           \
                return CUBLAS_STATUS_INVALID_VALUE;                   \
    } while (0)
#define REFUSE_UNLESS(condition)                \
    do {                                        \
        if (!(condition))                       \
            return CUBLAS_STATUS_INVALID_VALUE; \
    } while (0)

/* Submit a routine with these members: `called` is what programs call it, `ran` what runs it. */
#define ROUTINE(called, ran, ...)                                       \
    &(struct routine)                                                   \
    {                                                                   \
        .call = {called, RUN(ran), sizeof(struct routine)}, __VA_ARGS__ \
    }
#define LAUNCH(name, ...) launch(handle, ROUTINE(NAME(name), name, __VA_ARGS__))
#define ANSWER(called, ran, ...) \
    submit_result(handle, ROUTINE(called, ran, .result = result, __VA_ARGS__))
#define SCALAR(p) scalar_of(handle, p, sizeof(*(p)))

/* CBLAS takes real scalars by value and complex ones by address. */
#define T float
#define R float
#define C_T float
#define LETTER S
#define SMALL s
#define NORM_LETTERS S
#define NORM_SMALL s
#define IS_COMPLEX 0
#define BY float
#define PASS(scalar) (scalar)
#define DOT_IN_DOUBLE "cblas_dsdot"
#include "libraries/cublas_routines.def"

#define T double
#define R double
#define C_T double
#define LETTER D
#define SMALL d
#define NORM_LETTERS D
#define NORM_SMALL d
#define IS_COMPLEX 0
#define BY double
#define PASS(scalar) (scalar)
#define DOT_IN_DOUBLE "cblas_ddot"
#include "libraries/cublas_routines.def"

#define T cuComplex
#define R float
#define C_T float complex
#define LETTER C
#define SMALL c
#define NORM_LETTERS Sc
#define NORM_SMALL sc
#define IS_COMPLEX 1
#define BY const void *
#define PASS(scalar) (&(scalar))
#include "libraries/cublas_routines.def"

#define T cuDoubleComplex
#define R double
#define C_T double complex
#define LETTER Z
#define SMALL z
#define NORM_LETTERS Dz
#define NORM_SMALL dz
#define IS_COMPLEX 1
#define BY const void *
#define PASS(scalar) (&(scalar))
#include "libraries/cublas_routines.def"

/* --- Vectors of a type that is a parameter ---------------------------------------------------- */

/* Halves and bfloat16, whose scalars are floats and whose sums are rounded once. */
static bool is_narrow(cudaDataType type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF;
}

static cublasStatus_t lacks_types(const char *name)
{
    __cudaEmuLacks(name, "cuBLAS on the CPU, with this combination of types");
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

static size_t index_of(int n, int step, int i)
{
    return step < 0 ? (size_t)(n - 1 - i) * (size_t) - (int64_t)step : (size_t)i * (size_t)step;
}

static void run_dot_narrow(const struct hosted_call *call)
{
    const struct routine *r = (const struct routine *)call;
    double sum = 0;
    uint16_t result;

    if (!reach_vector(call, "x", READS, r->n, r->x, r->x_step, sizeof(uint16_t)) ||
        !reach_vector(call, "y", READS, r->n, r->b, r->y_step, sizeof(uint16_t)))
        return;
    for (int i = 0; i < r->n; i++)
        sum += number_read(r->type, r->x, index_of(r->n, r->x_step, i)) *
               number_read(r->type, r->b, index_of(r->n, r->y_step, i));
    number_write(r->type, sum, &result, 0);
    put_result(r, &result, sizeof(result));
}

static void run_nrm2_narrow(const struct hosted_call *call)
{
    const struct routine *r = (const struct routine *)call;
    double sum = 0;
    uint16_t result;

    if (!reach_vector(call, "x", READS, r->n, r->x, r->x_step, sizeof(uint16_t)))
        return;
    for (int i = 0; i < r->n && r->x_step > 0; i++) {
        const double x = number_read(r->type, r->x, index_of(r->n, r->x_step, i));
        sum += x * x;
    }
    number_write(r->type, sqrt(sum), &result, 0);
    put_result(r, &result, sizeof(result));
}

static void run_axpy_narrow(const struct hosted_call *call)
{
    const struct routine *r = (const struct routine *)call;
    float alpha;

    if (!scalar_read(call, "alpha", &r->alpha, &alpha, sizeof(alpha)) ||
        !reach_vector(call, "x", READS, r->n, r->x, r->x_step, sizeof(uint16_t)) ||
        !reach_vector(call, "y", UPDATES, r->n, r->y, r->y_step, sizeof(uint16_t)))
        return;
    for (int i = 0; i < r->n; i++) {
        const size_t at = index_of(r->n, r->y_step, i);
        const double x = number_read(r->type, r->x, index_of(r->n, r->x_step, i));
        number_write(r->type, (double)alpha * x + number_read(r->type, r->y, at), r->y, at);
    }
}

static void run_scal_narrow(const struct hosted_call *call)
{
    const struct routine *r = (const struct routine *)call;
    float alpha;

    if (!scalar_read(call, "alpha", &r->alpha, &alpha, sizeof(alpha)) ||
        !reach_vector(call, "x", UPDATES, r->n, r->y, r->y_step, sizeof(uint16_t)))
        return;
    for (int i = 0; i < r->n && r->y_step > 0; i++) {
        const size_t at = index_of(r->n, r->y_step, i);
        number_write(r->type, (double)alpha * number_read(r->type, r->y, at), r->y, at);
    }
}

#define NARROW(ran, ...)                                                                        \
    &(struct routine)                                                                           \
    {                                                                                           \
        .call = {__func__, run_##ran##_narrow, sizeof(struct routine)}, .n = n, .type = x_type, \
        __VA_ARGS__                                                                             \
    }
/* Where all types are the same: the routine of that type. */
#define SAME_TYPE(type, single, twice, complex, twice_complex)             \
    switch (type) {                                                        \
    case CUDA_R_32F:                                                       \
        return cublas##single##_v2 SAME_ARGUMENTS(float);                  \
    case CUDA_R_64F:                                                       \
        return cublas##twice##_v2 SAME_ARGUMENTS(double);                  \
    case CUDA_C_32F:                                                       \
        return cublas##complex##_v2 SAME_ARGUMENTS(cuComplex);             \
    case CUDA_C_64F:                                                       \
        return cublas##twice_complex##_v2 SAME_ARGUMENTS(cuDoubleComplex); \
    default:                                                               \
        return lacks_types(__func__);                                      \
    }

#define SAME_ARGUMENTS(T) (handle, n, (const T *)x, x_step, (const T *)y, y_step, (T *)result)
#define DOT_EX(called, complex, twice_complex)                                                    \
    cublasStatus_t called(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,       \
                          int x_step, const void *y, cudaDataType y_type, int y_step,             \
                          void *result, cudaDataType result_type, cudaDataType sums)              \
    {                                                                                             \
        WANT(result);                                                                             \
        if (x_type != y_type || x_type != result_type)                                            \
            return lacks_types(__func__);                                                         \
        if (is_narrow(x_type) && sums == CUDA_R_32F)                                              \
            return submit_result(handle, NARROW(dot, .result = result, .x = x, .x_step = x_step,  \
                                                .b = y, .y_step = y_step));                       \
        SAME_TYPE(sums == x_type ? x_type : (cudaDataType)-1, Sdot, Ddot, complex, twice_complex) \
    }
DOT_EX(cublasDotEx, Cdotu, Zdotu)
DOT_EX(cublasDotcEx, Cdotc, Zdotc)
#undef DOT_EX
#undef SAME_ARGUMENTS

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType x_type,
                            int x_step, void *result, cudaDataType result_type, cudaDataType sums)
{
    WANT(result);
    if (is_narrow(x_type) && result_type == x_type && sums == CUDA_R_32F)
        return submit_result(handle, NARROW(nrm2, .result = result, .x = x, .x_step = x_step));
    if (result_type != sums)
        return lacks_types(__func__);
    if (x_type == CUDA_R_32F && sums == CUDA_R_32F)
        return cublasSnrm2_v2(handle, n, x, x_step, result);
    if (x_type == CUDA_R_64F && sums == CUDA_R_64F)
        return cublasDnrm2_v2(handle, n, x, x_step, result);
    if (x_type == CUDA_C_32F && sums == CUDA_R_32F)
        return cublasScnrm2_v2(handle, n, x, x_step, result);
    if (x_type == CUDA_C_64F && sums == CUDA_R_64F)
        return cublasDznrm2_v2(handle, n, x, x_step, result);
    return lacks_types(__func__);
}

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alpha_type, const void *x, cudaDataType x_type, int x_step,
                            void *y, cudaDataType y_type, int y_step, cudaDataType sums)
{
    WANT(alpha);
    if (x_type != y_type || alpha_type != sums)
        return lacks_types(__func__);
    if (is_narrow(x_type) && sums == CUDA_R_32F)
        return launch(handle, NARROW(axpy, .alpha = scalar_of(handle, alpha, sizeof(float)), .x = x,
                                     .x_step = x_step, .y = y, .y_step = y_step));
#define SAME_ARGUMENTS(T) (handle, n, (const T *)alpha, (const T *)x, x_step, (T *)y, y_step)
    SAME_TYPE(sums == x_type ? x_type : (cudaDataType)-1, Saxpy, Daxpy, Caxpy, Zaxpy)
#undef SAME_ARGUMENTS
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alpha_type, void *x, cudaDataType x_type, int x_step,
                            cudaDataType sums)
{
    WANT(alpha);
    if (alpha_type != sums)
        return lacks_types(__func__);
    if (is_narrow(x_type) && sums == CUDA_R_32F)
        return launch(handle, NARROW(scal, .alpha = scalar_of(handle, alpha, sizeof(float)), .y = x,
                                     .y_step = x_step));
#define SAME_ARGUMENTS(T) (handle, n, (const T *)alpha, (T *)x, x_step)
    SAME_TYPE(sums == x_type ? x_type : (cudaDataType)-1, Sscal, Dscal, Cscal, Zscal)
#undef SAME_ARGUMENTS
}
