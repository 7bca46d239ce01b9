/* SPDX-License-Identifier: MIT */
/* cuFFT, through FFTW's guru interface, which has the same strides and distances. A plan of FFTW is
 * made for each call, because in place and out of place have different ones. */
#include "libraries/stand_in.h"

#define CUFFTAPI __attribute__((visibility("default")))
#include <cufftXt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static struct cpu_library single = {
    "FFTW in single precision", "libfftw3-single3", {"libfftw3f.so.3"}, "fftwf_execute", NULL};
static struct cpu_library twice = {
    "FFTW in double precision", "libfftw3-double3", {"libfftw3.so.3"}, "fftw_execute", NULL};
/* FFTW makes only one plan at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

enum { MAX_RANK = 3, FFTW_KEEP_INPUT = 1 << 4, FFTW_AT_ONCE = 1 << 6 }; /* of fftw3.h */

/* As fftw_iodim64: a dimension, and what lies between its elements in input and output. */
struct dimension {
    ptrdiff_t n, in_step, out_step;
};

/* Where the elements of a transform lie: embed[0] is not used. */
struct layout {
    long long embed[MAX_RANK], stride, distance;
};

struct plan {
    bool taken, made;
    bool is_basic; /* the layouts follow from the sizes, and from whether it is in place */
    int rank;
    long long n[MAX_RANK], batch;
    struct layout in, out;
    cufftType type;
    cudaStream_t stream;
};

static struct plan *plans;
static size_t plan_count;
static pthread_mutex_t plans_lock = PTHREAD_MUTEX_INITIALIZER;

/* The plan of a handle, copied; false if there is none. */
static bool get_plan(cufftHandle handle, struct plan *plan)
{
    pthread_mutex_lock(&plans_lock);
    const bool found = handle > 0 && (size_t)handle <= plan_count && plans[handle - 1].taken;
    if (found)
        *plan = plans[handle - 1];
    pthread_mutex_unlock(&plans_lock);
    return found;
}

static void put_plan(cufftHandle handle, const struct plan *plan)
{
    pthread_mutex_lock(&plans_lock);
    plans[handle - 1] = *plan;
    pthread_mutex_unlock(&plans_lock);
}

/* --- What a type of transform is -------------------------------------------------------------- */

static bool is_double(cufftType type)
{
    return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

static bool reads_reals(cufftType type)
{
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}

static bool writes_reals(cufftType type)
{
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}

static bool is_type(cufftType type)
{
    return type == CUFFT_C2C || type == CUFFT_Z2Z || reads_reals(type) || writes_reals(type);
}

/* Bytes of an element of the input or the output. */
static size_t element_size(cufftType type, bool real)
{
    return (is_double(type) ? sizeof(double) : sizeof(float)) * (real ? 1 : 2);
}

/* The length of the last dimension: of n reals, n / 2 + 1 complex numbers. */
static long long last_length(const struct plan *plan, bool real)
{
    const long long n = plan->n[plan->rank - 1];
    const bool halved = !real && (reads_reals(plan->type) || writes_reals(plan->type));

    return halved ? n / 2 + 1 : n;
}

/* Elements without gaps; in place, the reals of a row leave room for its complex numbers. */
static struct layout basic_layout(const struct plan *plan, bool real, bool in_place)
{
    struct layout layout = {.stride = 1, .distance = 1};

    for (int i = 0; i < plan->rank; i++) {
        layout.embed[i] = plan->n[i];
        if (i == plan->rank - 1)
            layout.embed[i] = real && in_place ? 2 * (plan->n[i] / 2 + 1) : last_length(plan, real);
        layout.distance *= layout.embed[i];
    }
    return layout;
}

/* Elements from one of dimension `i` to the next. */
static ptrdiff_t step_of(const struct plan *plan, const struct layout *layout, int i)
{
    ptrdiff_t step = layout->stride;

    while (++i < plan->rank && i < MAX_RANK)
        step *= layout->embed[i];
    return step;
}

/* --- Doing it --------------------------------------------------------------------------------- */

struct transform {
    struct hosted_call call;
    struct plan plan;
    void *in, *out;
    int direction;
};

/* May the call touch the elements from dimension `i` of the outer ones on? Their last dimension is
 * one row, or as many as it has elements. */
static bool reach(const struct transform *transform, bool output, const struct layout *layout,
                  bool real, int i, const char *start)
{
    const struct plan *plan = &transform->plan;
    const size_t size = element_size(plan->type, real);
    const size_t last = (size_t)last_length(plan, real), step = layout->stride * size;
    const bool is_run = layout->stride == 1;
    const bool is_input = !output;
    const struct hosted_memory memory = {output ? "odata" : "idata",
                                         start,
                                         is_run ? last * size : size,
                                         step,
                                         is_run ? 1 : last,
                                         is_input,
                                         output};

    if (i == plan->rank - 1 || i == MAX_RANK - 1)
        return __cudaEmuReach(&transform->call, &memory);
    const long long count = i < 0 ? plan->batch : plan->n[i];
    const size_t pitch = size * (size_t)(i < 0 ? layout->distance : step_of(plan, layout, i));
    if (i == plan->rank - 2 && is_run) { /* rows next to each other in one go */
        const struct hosted_memory rows = {memory.what, start,        last * size,  pitch,
                                           count,       memory.reads, memory.writes};
        return __cudaEmuReach(&transform->call, &rows);
    }
    for (long long k = 0; k < count; k++)
        if (!reach(transform, output, layout, real, i + 1, start + k * pitch))
            return false;
    return true;
}

typedef void *make_complex(int rank, const struct dimension *dimensions, int many,
                           const struct dimension *batch, void *in, void *out, int sign,
                           unsigned flags);
typedef void *make_real(int rank, const struct dimension *dimensions, int many,
                        const struct dimension *batch, void *in, void *out, unsigned flags);

static void *make_plan(const struct cpu_library *fftw, const struct transform *transform,
                       const struct dimension *dimensions, const struct dimension *batch)
{
    const struct plan *plan = &transform->plan;
    const bool doubles = is_double(plan->type);
    void *in = transform->in, *out = transform->out;

    if (reads_reals(plan->type))
        return ((make_real *)cpu_function(fftw, doubles ? "fftw_plan_guru64_dft_r2c"
                                                        : "fftwf_plan_guru64_dft_r2c"))(
            plan->rank, dimensions, 1, batch, in, out, FFTW_AT_ONCE);
    if (writes_reals(plan->type)) /* of several dimensions it destroys its input, as cuFFT may */
        return ((make_real *)cpu_function(fftw, doubles ? "fftw_plan_guru64_dft_c2r"
                                                        : "fftwf_plan_guru64_dft_c2r"))(
            plan->rank, dimensions, 1, batch, in, out,
            FFTW_AT_ONCE | (plan->rank == 1 && in != out ? FFTW_KEEP_INPUT : 0));
    return ((make_complex *)cpu_function(fftw, doubles ? "fftw_plan_guru64_dft"
                                                       : "fftwf_plan_guru64_dft"))(
        plan->rank, dimensions, 1, batch, in, out, transform->direction, FFTW_AT_ONCE);
}

static void run_transform(const struct hosted_call *call)
{
    const struct transform *transform = (const struct transform *)call;
    const struct plan *plan = &transform->plan;
    const bool doubles = is_double(plan->type), in_place = transform->in == transform->out;
    const struct cpu_library *fftw = doubles ? &twice : &single;
    const bool real_in = reads_reals(plan->type), real_out = writes_reals(plan->type);
    struct dimension dimensions[MAX_RANK];
    struct layout in = plan->in, out = plan->out;

    if (plan->is_basic) {
        in = basic_layout(plan, real_in, in_place);
        out = basic_layout(plan, real_out, in_place);
    }
    if (!reach(transform, false, &in, real_in, -1, transform->in) ||
        !reach(transform, true, &out, real_out, -1, transform->out))
        return;
    for (int i = 0; i < plan->rank; i++)
        dimensions[i] =
            (struct dimension){plan->n[i], step_of(plan, &in, i), step_of(plan, &out, i)};
    const struct dimension batch = {plan->batch, in.distance, out.distance};
    pthread_mutex_lock(&planner);
    void *made = make_plan(fftw, transform, dimensions, &batch);
    pthread_mutex_unlock(&planner);
    if (!made) {
        __cudaEmuComplain("cufftExec: FFTW cannot do this layout in place");
        return;
    }
    ((void (*)(void *))cpu_function(fftw, doubles ? "fftw_execute" : "fftwf_execute"))(made);
    pthread_mutex_lock(&planner);
    ((void (*)(void *))cpu_function(fftw, doubles ? "fftw_destroy_plan" : "fftwf_destroy_plan"))(
        made);
    pthread_mutex_unlock(&planner);
}

static cufftResult execute(const char *name, cufftHandle handle, cufftType type, void *in,
                           void *out, int direction)
{
    struct transform transform = {.call = {name, run_transform, sizeof(transform)},
                                  .in = __cudaEmuPointer(in),
                                  .out = __cudaEmuPointer(out),
                                  .direction = direction};

    if (!get_plan(handle, &transform.plan) || !transform.plan.made)
        return CUFFT_INVALID_PLAN;
    if (!in || !out || transform.plan.type != type ||
        (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    return __cudaEmuHosted(&transform.call, transform.plan.stream) ? CUFFT_EXEC_FAILED
                                                                   : CUFFT_SUCCESS;
}

#define EXECUTE(what, direction, from, to, ...)                                     \
    cufftResult cufftExec##what(cufftHandle plan, from *in, to *out, ##__VA_ARGS__) \
    {                                                                               \
        return execute(__func__, plan, CUFFT_##what, in, out, direction);           \
    }
EXECUTE(C2C, direction, cufftComplex, cufftComplex, int direction)
EXECUTE(R2C, CUFFT_FORWARD, cufftReal, cufftComplex)
EXECUTE(C2R, CUFFT_INVERSE, cufftComplex, cufftReal)
EXECUTE(Z2Z, direction, cufftDoubleComplex, cufftDoubleComplex, int direction)
EXECUTE(D2Z, CUFFT_FORWARD, cufftDoubleReal, cufftDoubleComplex)
EXECUTE(Z2D, CUFFT_INVERSE, cufftDoubleComplex, cufftDoubleReal)

/* The type is the plan's, and with it the direction where there is but one. */
cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
    struct plan plan;

    if (!get_plan(handle, &plan))
        return CUFFT_INVALID_PLAN;
    if (reads_reals(plan.type) || writes_reals(plan.type))
        direction = reads_reals(plan.type) ? CUFFT_FORWARD : CUFFT_INVERSE;
    return execute(__func__, handle, plan.type, in, out, direction);
}

/* --- Plans ------------------------------------------------------------------------------------ */

cufftResult cufftCreate(cufftHandle *handle)
{
    size_t i = 0;

    if (!handle)
        return CUFFT_INVALID_VALUE;
    if (cudaFree(NULL))
        return CUFFT_SETUP_FAILED;
    pthread_mutex_lock(&plans_lock);
    while (i < plan_count && plans[i].taken)
        i++;
    struct plan *room = i < plan_count ? plans : realloc(plans, (i + 1) * sizeof(*plans));
    if (room) {
        plans = room;
        plan_count += i == plan_count;
        plans[i] = (struct plan){.taken = true};
        *handle = (cufftHandle)i + 1;
    }
    pthread_mutex_unlock(&plans_lock);
    return room ? CUFFT_SUCCESS : CUFFT_ALLOC_FAILED;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct plan plan;

    if (!get_plan(handle, &plan))
        return CUFFT_INVALID_PLAN;
    plan.taken = false;
    put_plan(handle, &plan);
    return CUFFT_SUCCESS;
}

static cufftResult check_plan(const struct plan *plan)
{
    long long elements = plan->batch;

    if (!is_type(plan->type))
        return CUFFT_INVALID_TYPE;
    if (plan->batch < 1)
        return CUFFT_INVALID_SIZE;
    for (int i = 0; i < plan->rank; i++)
        if (plan->n[i] < 1 || __builtin_mul_overflow(elements, plan->n[i], &elements) ||
            elements > INT64_C(1) << 40)
            return CUFFT_INVALID_SIZE;
    for (int i = 0; i < plan->rank && !plan->is_basic; i++)
        if (plan->in.embed[i] < 1 || plan->out.embed[i] < 1)
            return CUFFT_INVALID_VALUE;
    if (!plan->is_basic && (plan->in.stride < 1 || plan->out.stride < 1 || plan->in.distance < 0 ||
                            plan->out.distance < 0))
        return CUFFT_INVALID_VALUE;
    return CUFFT_SUCCESS;
}

/* FFTW takes its memory by itself, so the work area is empty. */
static cufftResult finish_plan(cufftHandle handle, const struct plan *wanted, bool make,
                               size_t *work_size)
{
    struct cpu_library *fftw = is_double(wanted->type) ? &twice : &single;
    struct plan plan = *wanted, old = {0};

    if (make && !get_plan(handle, &old))
        return CUFFT_INVALID_PLAN;
    if (make && old.made) /* a handle is planned once */
        return CUFFT_INVALID_PLAN;
    const cufftResult result = check_plan(&plan);
    if (result)
        return result;
    if (!cpu_library_open(fftw, "cuFFT"))
        return CUFFT_SETUP_FAILED;
    if (work_size)
        *work_size = 0;
    if (make) {
        plan.taken = plan.made = true;
        plan.stream = old.stream;
        put_plan(handle, &plan);
    }
    return CUFFT_SUCCESS;
}

static struct plan plain_plan(int rank, int nx, int ny, int nz, cufftType type, int batch)
{
    return (struct plan){
        .is_basic = true, .rank = rank, .n = {nx, ny, nz}, .type = type, .batch = batch};
}

/* Plans of any layout, whose numbers are int or long long. */
#define MANY_PLAN(name, T)                                                                \
    static cufftResult name(struct plan *many, int rank, const T *n, const T *in_embed,   \
                            T in_stride, T in_distance, const T *out_embed, T out_stride, \
                            T out_distance, cufftType type, T batch)                      \
    {                                                                                     \
        *many = plain_plan(rank, 1, 1, 1, type, 1);                                       \
        if (rank < 1 || rank > MAX_RANK || !n)                                            \
            return CUFFT_INVALID_VALUE;                                                   \
        many->batch = batch;                                                              \
        many->is_basic = !in_embed || !out_embed;                                         \
        many->in = (struct layout){{0}, in_stride, in_distance};                          \
        many->out = (struct layout){{0}, out_stride, out_distance};                       \
        for (int i = 0; i < rank; i++) {                                                  \
            many->n[i] = n[i];                                                            \
            many->in.embed[i] = in_embed ? in_embed[i] : 0;                               \
            many->out.embed[i] = out_embed ? out_embed[i] : 0;                            \
        }                                                                                 \
        return CUFFT_SUCCESS;                                                             \
    }
MANY_PLAN(many_plan, int)
MANY_PLAN(many_plan_64, long long)

/* cufftPlanX() makes a handle and its plan; what goes wrong leaves no handle. */
static cufftResult create_plan(cufftHandle *handle, const struct plan *plan)
{
    cufftResult result = cufftCreate(handle);

    if (result)
        return result;
    result = finish_plan(*handle, plan, true, NULL);
    if (result)
        cufftDestroy(*handle);
    return result;
}

#define WITH(...) __VA_ARGS__
/* The four functions of each shape: its parameters, and the plan of these. */
#define SHAPE(suffix, parameters, plan_of)                                               \
    cufftResult cufftPlan##suffix(cufftHandle *handle, parameters)                       \
    {                                                                                    \
        const struct plan plan = plan_of;                                                \
        return create_plan(handle, &plan);                                               \
    }                                                                                    \
    cufftResult cufftMakePlan##suffix(cufftHandle handle, parameters, size_t *work_size) \
    {                                                                                    \
        const struct plan plan = plan_of;                                                \
        return finish_plan(handle, &plan, true, work_size);                              \
    }                                                                                    \
    cufftResult cufftGetSize##suffix(cufftHandle handle, parameters, size_t *work_size)  \
    {                                                                                    \
        const struct plan plan = plan_of;                                                \
        return finish_plan(handle, &plan, false, work_size);                             \
    }                                                                                    \
    cufftResult cufftEstimate##suffix(parameters, size_t *work_size)                     \
    {                                                                                    \
        const struct plan plan = plan_of;                                                \
        return finish_plan(0, &plan, false, work_size);                                  \
    }
SHAPE(1d, WITH(int nx, cufftType type, int batch), plain_plan(1, nx, 1, 1, type, batch))
SHAPE(2d, WITH(int nx, int ny, cufftType type), plain_plan(2, nx, ny, 1, type, 1))
SHAPE(3d, WITH(int nx, int ny, int nz, cufftType type), plain_plan(3, nx, ny, nz, type, 1))

cufftResult cufftPlanMany(cufftHandle *handle, int rank, int *n, int *in_embed, int in_stride,
                          int in_distance, int *out_embed, int out_stride, int out_distance,
                          cufftType type, int batch)
{
    struct plan plan;
    const cufftResult result = many_plan(&plan, rank, n, in_embed, in_stride, in_distance,
                                         out_embed, out_stride, out_distance, type, batch);

    return result ? result : create_plan(handle, &plan);
}

#define MANY(name, make, T, plan_of, handle_parameter, handle)                                 \
    cufftResult name(handle_parameter int rank, T *n, T *in_embed, T in_stride, T in_distance, \
                     T *out_embed, T out_stride, T out_distance, cufftType type, T batch,      \
                     size_t *work_size)                                                        \
    {                                                                                          \
        struct plan plan;                                                                      \
        const cufftResult result = plan_of(&plan, rank, n, in_embed, in_stride, in_distance,   \
                                           out_embed, out_stride, out_distance, type, batch);  \
        return result ? result : finish_plan(handle, &plan, make, work_size);                  \
    }
MANY(cufftMakePlanMany, true, int, many_plan, WITH(cufftHandle handle, ), handle)
MANY(cufftGetSizeMany, false, int, many_plan, WITH(cufftHandle handle, ), handle)
MANY(cufftEstimateMany, false, int, many_plan, , 0)
MANY(cufftMakePlanMany64, true, long long, many_plan_64, WITH(cufftHandle handle, ), handle)
MANY(cufftGetSizeMany64, false, long long, many_plan_64, WITH(cufftHandle handle, ), handle)

/* Of which numbers to which; those of 16 bits are not emulated. */
static bool type_of(cudaDataType in, cudaDataType out, cudaDataType inside, cufftType *type)
{
    static const struct {
        cudaDataType in, out, inside;
        cufftType type;
    } types[] = {
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
        {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
        {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
        {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
        {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (in == types[i].in && out == types[i].out && inside == types[i].inside) {
            *type = types[i].type;
            return true;
        }
    return false;
}

#define XT_MANY(name, make)                                                                \
    cufftResult name(cufftHandle handle, int rank, long long *n, long long *in_embed,      \
                     long long in_stride, long long in_distance, cudaDataType in_type,     \
                     long long *out_embed, long long out_stride, long long out_distance,   \
                     cudaDataType out_type, long long batch, size_t *work_size,            \
                     cudaDataType inside)                                                  \
    {                                                                                      \
        struct plan plan;                                                                  \
        cufftType type;                                                                    \
        cufftResult result;                                                                \
                                                                                           \
        if (!type_of(in_type, out_type, inside, &type)) {                                  \
            __cudaEmuLacks(__func__, "cuFFT with this combination of types");              \
            return CUFFT_NOT_SUPPORTED;                                                    \
        }                                                                                  \
        result = many_plan_64(&plan, rank, n, in_embed, in_stride, in_distance, out_embed, \
                              out_stride, out_distance, type, batch);                      \
        return result ? result : finish_plan(handle, &plan, make, work_size);              \
    }
XT_MANY(cufftXtMakePlanMany, true)
XT_MANY(cufftXtGetSizeMany, false)

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct plan plan;

    if (!get_plan(handle, &plan))
        return CUFFT_INVALID_PLAN;
    plan.stream = stream;
    put_plan(handle, &plan);
    return CUFFT_SUCCESS;
}

cufftResult cufftGetSize(cufftHandle handle, size_t *work_size)
{
    struct plan plan;

    if (!get_plan(handle, &plan))
        return CUFFT_INVALID_PLAN;
    if (!work_size)
        return CUFFT_INVALID_VALUE;
    *work_size = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *area)
{
    struct plan plan;

    (void)area;
    return get_plan(handle, &plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic)
{
    struct plan plan;

    (void)automatic;
    return get_plan(handle, &plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

GET_VERSION(cufftResult, cufftGetVersion, CUFFT_VERSION, CUFFT_INVALID_VALUE)
GET_PROPERTY(cufftResult, cufftGetProperty, CUFFT, CUFFT_INVALID_VALUE)
