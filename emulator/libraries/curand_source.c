/* SPDX-License-Identifier: MIT */
/* XORWOW (Marsaglia, "Xorshift RNGs", 2003), MRG32k3a (L'Ecuyer, "Good Parameters and
 * Implementations for Combined Multiple Recursive Random Number Generators", 1999) and
 * Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011). How cuRAND
 * seeds them, curand_kernel.h documents by its code. How it orders their numbers was found by
 * experiment. */
#include "libraries/curand_source.h"

#include <stdlib.h>
#include <string.h>

/* --- XORWOW: 4096 subsequences, 2^67 draws apart ---------------------------------------------- */

enum { XORWOW_SUBSEQUENCES = 4096 }; /* of all generators, in the order of before CUDA 11 */
enum { WORDS = 5, BITS = 32 * WORDS, LOG_DISTANCE = 67, STEP = 362437 };

struct xorwow {
    uint32_t x[WORDS], count;
};

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

/* Salts and odd factors make the first state of a seed; from it the subsequences, each of them
 * `draws` on. */
static void start_xorwow(struct xorwow *states, uint64_t seed, uint64_t draws)
{
    const uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49);
    const uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefdd);
    struct xorwow state = {
        {123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low},
        6615241 + high + low};
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
    for (int i = 0; i < XORWOW_SUBSEQUENCES; i++) {
        states[i] = state;
        apply(&jump, state.x, state.x);
    }
}

/* --- MRG32k3a: 81920 subsequences, 2^76 draws apart ------------------------------------------- */

enum { MRG_SUBSEQUENCES = 81920, MRG_LOG_DISTANCE = 76 };
static const uint64_t moduli[2] = {4294967087, 4294944443};
static const double mrg_norm = 2.3283065498378288e-10, mrg_bits_norm = 1.000000048662;

struct mrg {
    uint32_t state[2][3]; /* of both recurrences */
};

/* Three numbers on: a matrix for each recurrence. */
struct mrg_jump {
    uint32_t by[2][3][3];
};

static const struct mrg_jump mrg_step = {
    {{{0, 1, 0}, {0, 0, 1}, {4294967087 - 810728, 1403580, 0}},
     {{0, 1, 0}, {0, 0, 1}, {4294944443 - 1370589, 0, 527612}}}};

static void mrg_apply(const struct mrg_jump *jump, struct mrg *mrg)
{
    const struct mrg before = *mrg;

    for (int g = 0; g < 2; g++)
        for (int i = 0; i < 3; i++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++)
                sum += (uint64_t)jump->by[g][i][k] * before.state[g][k] % moduli[g];
            mrg->state[g][i] = (uint32_t)(sum % moduli[g]);
        }
}

static void mrg_twice(struct mrg_jump *jump)
{
    const struct mrg_jump once = *jump;

    for (int j = 0; j < 3; j++) { /* column by column */
        struct mrg column;
        for (int g = 0; g < 2; g++)
            for (int i = 0; i < 3; i++)
                column.state[g][i] = once.by[g][i][j];
        mrg_apply(&once, &column);
        for (int g = 0; g < 2; g++)
            for (int i = 0; i < 3; i++)
                jump->by[g][i][j] = column.state[g][i];
    }
}

/* The next whole number, from 1 to the first modulus. */
static double mrg_draw(struct mrg *mrg)
{
    mrg_apply(&mrg_step, mrg);
    const double difference = (double)mrg->state[0][2] - (double)mrg->state[1][2];
    return difference <= 0 ? difference + (double)moduli[0] : difference;
}

static void start_mrg(struct mrg *states, uint64_t subsequences, uint64_t seed, uint64_t draws)
{
    const uint32_t a = (uint32_t)seed ^ 0x55555555, b = (uint32_t)(seed >> 32) ^ 0xAAAAAAAA;
    const uint64_t factors[2][3] = {{a, b, a}, {b, a, b}};
    struct mrg_jump jump = mrg_step;
    struct mrg state;

    for (int g = 0; g < 2; g++)
        for (int i = 0; i < 3; i++)
            state.state[g][i] = (uint32_t)(seed ? factors[g][i] * 12345 % moduli[g] : 12345);
    for (int i = 0; i < MRG_LOG_DISTANCE; i++, draws >>= 1) {
        if (draws & 1)
            mrg_apply(&jump, &state);
        mrg_twice(&jump);
    }
    for (uint64_t i = 0; i < subsequences; i++) {
        states[i] = state;
        mrg_apply(&jump, &state);
    }
}

/* --- Philox4x32-10: four numbers of each of 65536 subsequences in turn ------------------------ */

enum { PHILOX_SUBSEQUENCES = 65536 };

static uint32_t philox(uint64_t seed, uint64_t subsequence, uint64_t block, unsigned word)
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)subsequence, 0};
    uint32_t key = (uint32_t)seed, other_key = (uint32_t)(seed >> 32);

    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key, (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ other_key, (uint32_t)a};
        memcpy(c, next, sizeof(c));
        key += 0x9E3779B9;
        other_key += 0xBB67AE85;
    }
    return c[word];
}

static uint32_t philox_bits(uint64_t seed, uint64_t number)
{
    const uint64_t four = number / 4;

    return philox(seed, four % PHILOX_SUBSEQUENCES, four / PHILOX_SUBSEQUENCES, number % 4);
}

/* The two words of a double: four doubles take two blocks, but an offset counts them as one. */
static void philox_pair(const struct source *source, uint64_t number, uint64_t pair[2])
{
    const uint64_t four = number / 4, skipped = source->first / 4 / PHILOX_SUBSEQUENCES;
    const uint64_t block = 2 * (four / PHILOX_SUBSEQUENCES) - skipped + number % 4 / 2;

    for (unsigned i = 0; i < 2; i++)
        pair[i] = philox(source->seed, four % PHILOX_SUBSEQUENCES, block, number % 2 * 2 + i);
}

/* --- All of them ------------------------------------------------------------------------------ */

bool source_start(struct source *source, enum source_kind kind, bool legacy, uint64_t seed,
                  uint64_t offset)
{
    const uint64_t subsequences =
        kind == SOURCE_XORWOW || legacy ? XORWOW_SUBSEQUENCES : MRG_SUBSEQUENCES;

    source_stop(source);
    *source = (struct source){
        .kind = kind, .seed = seed, .subsequences = subsequences, .next = offset, .first = offset};
    if (kind == SOURCE_PHILOX)
        return true;
    if (kind == SOURCE_XORWOW)
        source->xorwow = malloc(subsequences * sizeof(*source->xorwow));
    else
        source->mrg = malloc(subsequences * sizeof(*source->mrg));
    if (!source->xorwow && !source->mrg)
        return false;
    if (kind == SOURCE_XORWOW)
        start_xorwow(source->xorwow, seed, offset / subsequences);
    else
        start_mrg(source->mrg, subsequences, seed, offset / subsequences);
    source->next = 0;
    for (uint64_t i = 0; i < offset % subsequences; i++) {
        source_bits(source);
        source_turn(source);
    }
    return true;
}

void source_stop(struct source *source)
{
    free(source->xorwow);
    free(source->mrg);
    source->xorwow = NULL;
    source->mrg = NULL;
}

uint32_t source_bits(struct source *source)
{
    if (source->kind == SOURCE_PHILOX)
        return philox_bits(source->seed, source->next++);
    if (source->kind == SOURCE_XORWOW)
        return draw(&source->xorwow[source->next]);
    return (uint32_t)(mrg_draw(&source->mrg[source->next]) * mrg_bits_norm);
}

float source_uniform(struct source *source)
{
    if (source->kind == SOURCE_MRG32K3A)
        return (float)(mrg_draw(&source->mrg[source->next]) * mrg_norm);
    return (float)source_bits(source) * 0x1p-32f + 0x1p-33f;
}

/* Of two draws 53 bits. */
double source_uniform_double(struct source *source)
{
    if (source->kind == SOURCE_MRG32K3A)
        return mrg_draw(&source->mrg[source->next]) * mrg_norm;
    uint64_t pair[2] = {0};
    if (source->kind == SOURCE_PHILOX)
        philox_pair(source, source->next++, pair);
    for (int i = 0; i < 2 && source->kind == SOURCE_XORWOW; i++)
        pair[i] = source_bits(source);
    return (double)(pair[0] ^ pair[1] << 21) * 0x1p-53 + 0x1p-54;
}

void source_turn(struct source *source)
{
    if (source->kind == SOURCE_PHILOX)
        return;
    source->next = source->next + 1 < source->subsequences ? source->next + 1 : 0;
}

bool source_to_pair(struct source *source)
{
    const bool second = source->kind == SOURCE_PHILOX && source->next % 2;

    source->next -= second;
    return second;
}
