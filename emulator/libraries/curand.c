/* SPDX-License-Identifier: MIT */
/* cuRAND's host functions, for the generators of curand_source.c, and for the rest with the help of
 * the real library. A number that takes several draws takes them from one subsequence. Integers and
 * uniform numbers are those of the real library, bit for bit; normal ones differ by what logarithms
 * and sines may. */
#include "libraries/stand_in.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "libraries/curand_real.h"
#include "libraries/curand_source.h"

struct curandGenerator_st {
    bool on_host; /* its numbers are for the host's memory */
    bool ready; /* the source is that of seed, offset and order */
    bool used; /* it has given numbers */
    curandGenerator_t real; /* the real library's, which gives the numbers then; or NULL */
    curandRngType_t type;
    unsigned dimensions; /* of a quasirandom one */
    bool legacy;
    enum source_kind kind;
    unsigned long long seed, offset;
    cudaStream_t stream;
    struct source source;
};

/* --- Distributions ---------------------------------------------------------------------------- */

/* Only the real library has the first two. */
enum kind {
    ULONG_LONG,
    POISSON,
    UINT,
    UNIFORM,
    UNIFORM_DOUBLE,
    NORMAL,
    NORMAL_DOUBLE,
    LOG_NORMAL,
    LOG_NORMAL_DOUBLE
};

static bool is_normal(enum kind kind)
{
    return kind >= NORMAL;
}

static bool is_double(enum kind kind)
{
    return kind == UNIFORM_DOUBLE || kind == NORMAL_DOUBLE || kind == LOG_NORMAL_DOUBLE;
}

static size_t size_of(enum kind kind)
{
    return is_double(kind) || kind == ULONG_LONG ? sizeof(double) : sizeof(float);
}

/* Two normal numbers by the transform of Box and Muller. */
static void normal_pair(struct source *source, float pair[2])
{
    const float length = sqrtf(-2 * logf(source_uniform(source)));
    const float angle = (float)(2 * M_PI) * source_uniform(source);

    pair[0] = length * sinf(angle);
    pair[1] = length * cosf(angle);
}

static void normal_pair_double(struct source *source, double pair[2])
{
    const double length = sqrt(-2 * log(source_uniform_double(source)));
    const double angle = 2 * M_PI * source_uniform_double(source);

    pair[0] = length * sin(angle);
    pair[1] = length * cos(angle);
}

struct generation {
    struct hosted_call call;
    struct curandGenerator_st *generator;
    enum kind kind;
    void *out;
    size_t n;
    double mean, deviation;
};

static void give(const struct generation *g, size_t i, struct source *source)
{
    if (g->kind == UINT)
        ((uint32_t *)g->out)[i] = source_bits(source);
    else if (g->kind == UNIFORM)
        ((float *)g->out)[i] = source_uniform(source);
    else
        ((double *)g->out)[i] = source_uniform_double(source);
}

static void put(const struct generation *g, int64_t i, float number)
{
    number = (float)g->mean + (float)g->deviation * number;
    if (i >= 0 && i < (int64_t)g->n)
        ((float *)g->out)[i] = g->kind == LOG_NORMAL ? expf(number) : number;
}

static void put_double(const struct generation *g, int64_t i, double number)
{
    number = g->mean + g->deviation * number;
    if (i >= 0 && i < (int64_t)g->n)
        ((double *)g->out)[i] = g->kind == LOG_NORMAL_DOUBLE ? exp(number) : number;
}

/* Two of one turn, for numbers i and i + 1, as far as there are such. */
static void give_normal(const struct generation *g, int64_t i, struct source *source)
{
    if (is_double(g->kind)) {
        double pair[2];
        normal_pair_double(source, pair);
        put_double(g, i, pair[0]);
        put_double(g, i + 1, pair[1]);
    } else {
        float pair[2];
        normal_pair(source, pair);
        put(g, i, pair[0]);
        put(g, i + 1, pair[1]);
    }
}

static bool prepare(struct curandGenerator_st *generator)
{
    if (!generator->ready)
        generator->ready = source_start(&generator->source, generator->kind, generator->legacy,
                                        generator->seed, generator->offset);
    return generator->ready;
}

/* The real library writes to where the CPU has the memory. */
static curandStatus_t run_real(const struct generation *g)
{
    const struct curand_real *real = curand_real();
    curandGenerator_t from = g->generator->real;

    switch (g->kind) {
    case ULONG_LONG:
        return real->long_bits(from, g->out, g->n);
    case POISSON:
        return real->poisson(from, g->out, g->n, g->mean);
    case UINT:
        return real->bits(from, g->out, g->n);
    case UNIFORM:
        return real->uniform(from, g->out, g->n);
    case UNIFORM_DOUBLE:
        return real->uniform_double(from, g->out, g->n);
    case NORMAL:
        return real->normal(from, g->out, g->n, (float)g->mean, (float)g->deviation);
    case NORMAL_DOUBLE:
        return real->normal_double(from, g->out, g->n, g->mean, g->deviation);
    case LOG_NORMAL:
        return real->log_normal(from, g->out, g->n, (float)g->mean, (float)g->deviation);
    default:
        return real->log_normal_double(from, g->out, g->n, g->mean, g->deviation);
    }
}

static void run_generation(const struct hosted_call *call)
{
    const struct generation *g = (const struct generation *)call;
    struct curandGenerator_st *generator = g->generator;
    const size_t bytes = g->n * size_of(g->kind);
    const struct hosted_memory memory = {"outputPtr", g->out, bytes, bytes, 1, false, true};

    if (!generator->on_host && !__cudaEmuReach(call, &memory))
        return;
    if (generator->real) {
        if (run_real(g))
            __cudaEmuComplain("cuRAND: the real library cannot give these numbers");
        return;
    }
    if (!prepare(generator)) {
        __cudaEmuComplain("cuRAND: no memory for the generator");
        return;
    }
    struct source *source = &generator->source;
    const int64_t n = (int64_t)g->n;
    int64_t i = is_normal(g->kind) && source_to_pair(source) ? -1 : 0;
    for (; i < n; i += is_normal(g->kind) ? 2 : 1) {
        if (is_normal(g->kind))
            give_normal(g, i, source);
        else
            give(g, (size_t)i, source);
        source_turn(source);
    }
    source->next -= i > n; /* the second of a pair is left */
}

/* A generator of ours may become one of the real library before it gives numbers. */
static bool become_real(struct curandGenerator_st *generator)
{
    const struct curand_real *real = curand_real();
    const curandOrdering_t order =
        generator->legacy ? CURAND_ORDERING_PSEUDO_LEGACY : CURAND_ORDERING_PSEUDO_DEFAULT;

    if (generator->real)
        return true;
    if (!real || generator->used || real->create(&generator->real, generator->type))
        return false;
    return !real->seed(generator->real, generator->seed) &&
           !real->offset(generator->real, generator->offset) &&
           (!generator->legacy || !real->order(generator->real, order));
}

static bool is_quasi(curandRngType_t type)
{
    return type >= CURAND_RNG_QUASI_DEFAULT;
}

/* Numbers come in pairs, or one for each dimension. */
static bool is_length(const struct curandGenerator_st *generator, enum kind kind, size_t n)
{
    if (is_quasi(generator->type))
        return n % generator->dimensions == 0;
    return !is_normal(kind) || n % 2 == 0;
}

/* A graph would need a generator of its own. */
static bool is_captured(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    return cudaStreamIsCapturing(stream, &status) || status != cudaStreamCaptureStatusNone;
}

static curandStatus_t generate(const char *name, curandGenerator_t generator, enum kind kind,
                               void *out, size_t n, double mean, double deviation)
{
    struct generation g = {
        {name, run_generation, sizeof(g), false}, generator, kind, out, n, mean, deviation};

    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if ((kind == ULONG_LONG || kind == POISSON) && !become_real(generator)) {
        __cudaEmuLacks(name, "cuRAND with this generator, which has given other numbers or needs "
                             "NVIDIA's own libcurand");
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (!generator->on_host)
        g.out = __cudaEmuPointer(out);
    if (!is_length(generator, kind, n))
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    generator->used = true;
    if (generator->on_host && generator->real)
        return run_real(&g);
    if (generator->on_host) {
        run_generation(&g.call);
        return CURAND_STATUS_SUCCESS;
    }
    if (n > SIZE_MAX / sizeof(double))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (is_captured(generator->stream)) {
        __cudaEmuLacks(name, "cuRAND in a captured stream");
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    return __cudaEmuHosted(&g.call, generator->stream) ? CURAND_STATUS_LAUNCH_FAILURE
                                                       : CURAND_STATUS_SUCCESS;
}

#define GENERATE(what, kind, type)                                                        \
    curandStatus_t curandGenerate##what(curandGenerator_t generator, type *out, size_t n) \
    {                                                                                     \
        return generate(__func__, generator, kind, out, n, 0, 0);                         \
    }
GENERATE(, UINT, unsigned)
GENERATE(LongLong, ULONG_LONG, unsigned long long)
GENERATE(Uniform, UNIFORM, float)
GENERATE(UniformDouble, UNIFORM_DOUBLE, double)

#define GENERATE_NORMAL(what, kind, type)                                                 \
    curandStatus_t curandGenerate##what(curandGenerator_t generator, type *out, size_t n, \
                                        type mean, type deviation)                        \
    {                                                                                     \
        return generate(__func__, generator, kind, out, n, mean, deviation);              \
    }
GENERATE_NORMAL(Normal, NORMAL, float)
GENERATE_NORMAL(NormalDouble, NORMAL_DOUBLE, double)
GENERATE_NORMAL(LogNormal, LOG_NORMAL, float)
GENERATE_NORMAL(LogNormalDouble, LOG_NORMAL_DOUBLE, double)

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *out, size_t n,
                                     double mean)
{
    return generate(__func__, generator, POISSON, out, n, mean, 0);
}

/* --- Generators ------------------------------------------------------------------------------- */

static bool is_ours(curandRngType_t type)
{
    return type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW ||
           type == CURAND_RNG_PSEUDO_MRG32K3A || type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
    curandStatus_t status = CURAND_STATUS_SUCCESS;

    if (!generator)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (!is_ours(type) && !curand_real()) {
        __cudaEmuLacks("curandCreateGenerator",
                       "cuRAND with this generator, which needs NVIDIA's own libcurand");
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (!on_host && cudaFree(NULL))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    *generator = calloc(1, sizeof(**generator));
    if (!*generator)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*generator)->on_host = on_host;
    (*generator)->type = type;
    (*generator)->dimensions = 1;
    (*generator)->kind = type == CURAND_RNG_PSEUDO_MRG32K3A        ? SOURCE_MRG32K3A
                         : type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ? SOURCE_PHILOX
                                                                   : SOURCE_XORWOW;
    if (!is_ours(type))
        status = curand_real()->create(&(*generator)->real, type);
    if (status) {
        free(*generator);
        *generator = NULL;
    }
    return status;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    source_stop(&generator->source);
    if (generator->real)
        curand_real()->destroy(generator->real);
    free(generator);
    return CURAND_STATUS_SUCCESS;
}

/* Set where its numbers begin. */
#define SETTER(function, member)                                                   \
    curandStatus_t function(curandGenerator_t generator, unsigned long long value) \
    {                                                                              \
        if (!generator)                                                            \
            return CURAND_STATUS_NOT_INITIALIZED;                                  \
        generator->member = value;                                                 \
        generator->ready = false;                                                  \
        return generator->real ? curand_real()->member(generator->real, value)     \
                               : CURAND_STATUS_SUCCESS;                            \
    }
SETTER(curandSetPseudoRandomGeneratorSeed, seed)
SETTER(curandSetGeneratorOffset, offset)

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->real)
        return curand_real()->order(generator->real, order);
    if (order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
        order == CURAND_ORDERING_PSEUDO_LEGACY) {
        generator->legacy = order == CURAND_ORDERING_PSEUDO_LEGACY;
        generator->ready = false;
        return CURAND_STATUS_SUCCESS;
    }
    if (order == CURAND_ORDERING_PSEUDO_SEEDED && become_real(generator))
        return curand_real()->order(generator->real, order);
    if (order == CURAND_ORDERING_PSEUDO_SEEDED || order == CURAND_ORDERING_PSEUDO_DYNAMIC)
        __cudaEmuLacks(__func__, "cuRAND with this order");
    return CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned dimensions)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!is_quasi(generator->type))
        return CURAND_STATUS_TYPE_ERROR;
    const curandStatus_t status = curand_real()->dimensions(generator->real, dimensions);
    if (!status)
        generator->dimensions = dimensions;
    return status;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    return generator->real || prepare(generator) ? CURAND_STATUS_SUCCESS
                                                 : CURAND_STATUS_ALLOCATION_FAILED;
}

/* --- Tables, on the host ---------------------------------------------------------------------- */

#define TABLE(member, ...)                                                                 \
    {                                                                                      \
        if (!curand_real())                                                                \
            __cudaEmuLacks(__func__, "cuRAND's tables, which NVIDIA's own libcurand has"); \
        return curand_real() ? curand_real()->member(__VA_ARGS__)                          \
                             : CURAND_STATUS_INITIALIZATION_FAILED;                        \
    }
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                           curandDirectionVectorSet_t set)
    TABLE(vectors, vectors, set) curandStatus_t
    curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                curandDirectionVectorSet_t set)
        TABLE(vectors_64, vectors, set) curandStatus_t
    curandGetScrambleConstants32(unsigned **constants) TABLE(constants, constants) curandStatus_t
    curandGetScrambleConstants64(unsigned long long **constants) TABLE(constants_64, constants)

        GET_VERSION(curandStatus_t, curandGetVersion, CURAND_VERSION, CURAND_STATUS_OUT_OF_RANGE)
