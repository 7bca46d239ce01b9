/* SPDX-License-Identifier: MIT */
/* cuBLAS: the routines of BLAS, in the four types that all of them have. cublas_routines.def is the
 * text of one type. */
#include "libraries/cublas.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* A call of any routine. Which members it uses is its own affair. */
struct routine {
    struct hosted_call call;
    struct scalar alpha, beta;
    const void *a, *b, *x;
    void *c, *y, *result;
    int m, n, k;
    int lda, ldb, ldc, x_step, y_step;
    int trans, trans_b, upper, unit, right; /* of the operations cublasOperation_t; flags */
    bool result_on_device;
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
    routine->a = __cudaEmuPlace(routine->a);
    routine->b = __cudaEmuPlace(routine->b);
    routine->x = __cudaEmuPlace(routine->x);
    routine->c = __cudaEmuPlace(routine->c);
    routine->y = __cudaEmuPlace(routine->y);
    return submit(handle, &routine->call);
}

/* A routine with a result for the host returns when that is there. */
static cublasStatus_t submit_result(cublasHandle_t handle, struct routine *routine)
{
    routine->result_on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    if (routine->result_on_device)
        routine->result = __cudaEmuPlace(routine->result);
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
