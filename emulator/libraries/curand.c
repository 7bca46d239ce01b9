/* SPDX-License-Identifier: MIT */
/* cuRAND's host functions, for the default generator XORWOW (Marsaglia, "Xorshift RNGs", 2003).
 *
 * As the manual of cuRAND orders results, number n is number n / 4096 of subsequence n mod 4096,
 * and subsequences are 2^67 draws apart; a number that takes several draws takes them from one
 * subsequence. Integers and uniform numbers are those of the real library, bit for bit; normal ones
 * differ by what logarithms and sines may. */
#include "libraries/stand_in.h"

#define CURANDAPI __attribute__((visibility("default")))
#include <curand.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSEQUENCES = 4096, WORDS = 5, BITS = 32 * WORDS, LOG_DISTANCE = 67, STEP = 362437 };

struct xorwow {
    uint32_t x[WORDS], count;
};

struct curandGenerator_st {
    bool on_host; /* its numbers are for the host's memory */
    bool ready; /* the states are those of seed and offset */
    unsigned long long seed, offset;
    cudaStream_t stream;
    int next; /* the subsequence whose turn it is */
    struct xorwow states[SUBSEQUENCES];
};

/* --- XORWOW ----------------------------------------------------------------------------------- */

static uint32_t draw(struct xorwow *state)
{
    uint32_t *x = state->x;
    const uint32_t t = x[0] ^ x[0] >> 2;

    memmove(x, x + 1, (WORDS - 1) * sizeof(*x));
    x[4] ^= x[4] << 4 ^ t ^ t << 1;
    state->count += STEP;
    return x[4] + state->count;
}

/* What draws make of the words is linear over single bits: column b is what becomes of bit b. */
struct jump {
    uint32_t column[BITS][WORDS];
};

static void apply(const struct jump *jump, const uint32_t from[WORDS], uint32_t to[WORDS])
{
    uint32_t sum[WORDS] = {0};

    for (int b = 0; b < BITS; b++)
        for (int w = 0; w < WORDS && from[b / 32] >> b % 32 & 1; w++)
            sum[w] ^= jump->column[b][w];
    memcpy(to, sum, sizeof(sum));
}

static void twice(struct jump *jump)
{
    struct jump squared;

    for (int b = 0; b < BITS; b++)
        apply(jump, jump->column[b], squared.column[b]);
    *jump = squared;
}

/* The state that a seed gives (curand_kernel.h documents it by its code: salts, odd factors), and
 * from it the subsequences, each of them `offset` / SUBSEQUENCES draws on. */
static void prepare(struct curandGenerator_st *generator)
{
    const uint32_t low = 1099087573u * ((uint32_t)generator->seed ^ 0xaad26b49);
    const uint32_t high = 2591861531u * ((uint32_t)(generator->seed >> 32) ^ 0xf7dcefdd);
    struct xorwow state = {
        {123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low},
        6615241 + high + low};
    uint64_t draws = generator->offset / SUBSEQUENCES;
    struct jump jump;

    for (int b = 0; b < BITS; b++) {
        struct xorwow bit = {{0}, 0};
        bit.x[b / 32] = 1u << b % 32;
        draw(&bit);
        memcpy(jump.column[b], bit.x, sizeof(bit.x));
    }
    state.count += STEP * (uint32_t)draws;
    for (int i = 0; i < LOG_DISTANCE; i++, draws >>= 1) {
        if (draws & 1)
            apply(&jump, state.x, state.x);
        twice(&jump);
    }
    for (int i = 0; i < SUBSEQUENCES; i++) {
        generator->states[i] = state;
        apply(&jump, state.x, state.x);
    }
    generator->next = (int)(generator->offset % SUBSEQUENCES);
    for (int i = 0; i < generator->next; i++)
        draw(&generator->states[i]);
    generator->ready = true;
}

/* --- Distributions ---------------------------------------------------------------------------- */

enum kind { UINT, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE };

static bool is_normal(enum kind kind)
{
    return kind >= NORMAL;
}

static bool is_double(enum kind kind)
{
    return kind == UNIFORM_DOUBLE || kind == NORMAL_DOUBLE || kind == LOG_NORMAL_DOUBLE;
}

/* In (0, 1]: never 0. */
static float uniform(struct xorwow *state)
{
    return (float)draw(state) * 0x1p-32f + 0x1p-33f;
}

/* 53 bits of two draws. */
static double uniform_double(struct xorwow *state)
{
    const uint64_t low = draw(state);

    return (double)(low ^ (uint64_t)draw(state) << 21) * 0x1p-53 + 0x1p-54;
}

/* Two normal numbers by the transform of Box and Muller. */
static void normal_pair(struct xorwow *state, float pair[2])
{
    const float length = sqrtf(-2 * logf(uniform(state)));
    const float angle = (float)(2 * M_PI) * uniform(state);

    pair[0] = length * sinf(angle);
    pair[1] = length * cosf(angle);
}

static void normal_pair_double(struct xorwow *state, double pair[2])
{
    const double length = sqrt(-2 * log(uniform_double(state)));
    const double angle = 2 * M_PI * uniform_double(state);

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

/* The numbers from place i on that a subsequence gives in one turn: two normal ones, or one. */
static void give(const struct generation *g, size_t i, struct xorwow *state)
{
    float *floats = (float *)g->out + i, mean = (float)g->mean, deviation = (float)g->deviation;
    double *doubles = (double *)g->out + i;

    if (g->kind == UINT)
        ((uint32_t *)g->out)[i] = draw(state);
    else if (g->kind == UNIFORM)
        *floats = uniform(state);
    else if (g->kind == UNIFORM_DOUBLE)
        *doubles = uniform_double(state);
    else if (is_double(g->kind))
        normal_pair_double(state, doubles);
    else
        normal_pair(state, floats);
    for (int k = 0; k < 2 && is_normal(g->kind); k++) {
        if (is_double(g->kind))
            doubles[k] = g->mean + g->deviation * doubles[k];
        else
            floats[k] = mean + deviation * floats[k];
        if (g->kind == LOG_NORMAL)
            floats[k] = expf(floats[k]);
        if (g->kind == LOG_NORMAL_DOUBLE)
            doubles[k] = exp(doubles[k]);
    }
}

static void run_generation(const struct hosted_call *call)
{
    const struct generation *g = (const struct generation *)call;
    struct curandGenerator_st *generator = g->generator;
    const size_t bytes = g->n * (is_double(g->kind) ? sizeof(double) : sizeof(float));
    const struct hosted_memory memory = {"outputPtr", g->out, bytes, bytes, 1, false, true};

    if (!generator->on_host && !__cudaEmuReach(call, &memory))
        return;
    if (!generator->ready)
        prepare(generator);
    for (size_t i = 0; i < g->n; i += is_normal(g->kind) ? 2 : 1) {
        give(g, i, &generator->states[generator->next]);
        generator->next = (generator->next + 1) % SUBSEQUENCES;
    }
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
    if (!generator->on_host)
        g.out = __cudaEmuPlace(out);
    if (is_normal(kind) && n % 2)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
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

/* --- Generators ------------------------------------------------------------------------------- */

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
    if (!generator)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW) {
        __cudaEmuLacks("curandCreateGenerator", "cuRAND with a generator that is not XORWOW");
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (!on_host && cudaFree(NULL))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    *generator = calloc(1, sizeof(**generator));
    if (!*generator)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*generator)->on_host = on_host;
    return CURAND_STATUS_SUCCESS;
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
        return CURAND_STATUS_SUCCESS;                                              \
    }
SETTER(curandSetPseudoRandomGeneratorSeed, seed)
SETTER(curandSetGeneratorOffset, offset)

/* Three names of one order. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
        order == CURAND_ORDERING_PSEUDO_LEGACY)
        return CURAND_STATUS_SUCCESS;
    if (order == CURAND_ORDERING_PSEUDO_SEEDED || order == CURAND_ORDERING_PSEUDO_DYNAMIC)
        __cudaEmuLacks(__func__, "cuRAND with this order");
    return CURAND_STATUS_OUT_OF_RANGE;
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
    if (!generator->ready)
        prepare(generator);
    return CURAND_STATUS_SUCCESS;
}

GET_VERSION(curandStatus_t, curandGetVersion, CURAND_VERSION, CURAND_STATUS_OUT_OF_RANGE)
