/* The CPU's answers for the experiments that have no header of their own. A step hands its
 * constants over as template arguments. */
#ifndef REFERENCE_CUH
#define REFERENCE_CUH

#include <stdlib.h>
#include <string.h>

#include "hardware.h"

/* h02: the word that lane l of stride variant->value reads last. Or, if variant->other, the numbers
 * of a block after an even number of transpositions: each is back at its thread, and every round
 * has added its own number to it. */
template <int THREADS, int SPAN, int ROUNDS> void reference_banks(const struct trial *t, int *out)
{
    const int added = ROUNDS * (ROUNDS - 1) / 2;

    for (int i = 0; i < t->n; i++)
        out[i] = i + (t->variant->other ? t->host[i % THREADS] + added
                                        : t->host[i % 32 * t->variant->value + SPAN - 1]);
}

/* h03: the elements of one of three arrays, so that the next one begins aligned too. */
__host__ __device__ static inline int array_size(int n)
{
    return (n + 63) / 64 * 64;
}

__host__ __device__ static inline int dot(int x, int y, int z)
{
    return x * x + y * y + z * z;
}

/* h03: of numbers that lie variant->value apart from thread to thread. variant->other is the way
 * from a thread's x to its y, ARRAYS if they are in arrays, 0 if there is no y. */
template <int ARRAYS> void reference_structures(const struct trial *t, int *out)
{
    const int gap = t->variant->other == ARRAYS ? array_size(t->n) : t->variant->other;
    const bool shifted = !strcmp(t->variant->name, "shifted");
    const bool idles = !strcmp(t->variant->name, "idle_lane");

    for (int i = 0; i < t->n; i++) {
        const int *v = &t->host[i * t->variant->value + shifted];

        out[i] = idles && i % 32 == 3 ? 0 : gap ? dot(v[0], v[gap], v[2 * gap]) : v[0];
    }
}

/* h04: the sum of each thread, which takes every trial->outputs-th word of variant->value numbers;
 * what is no whole word at the end goes to the first threads. */
static inline void reference_words(const struct trial *t, int *out)
{
    const int width = t->variant->value, whole = t->n / width * width;
    int thread = 0;

    memset(out, 0, t->outputs * sizeof(int));
    for (int i = 0; i < whole; i += width) {
        for (int k = i; k < i + width; k++)
            out[thread] += t->host[k];
        thread = thread + 1 < t->outputs ? thread + 1 : 0;
    }
    for (int i = whole; i < t->n; i++)
        out[(i - whole) % t->outputs] += t->host[i];
}

/* h07: what went in. */
static inline void reference_copy(const struct trial *t, int *out)
{
    memcpy(out, t->host, t->n * sizeof(int));
}

/* h11: the most blocks of one SM that overlapped: those that were there when some block came. On
 * the device, block b came at d_stays[3 b] and left at d_stays[3 b + 1] of the clock of SM
 * d_stays[3 b + 2]. */
static inline int most_at_once(const long long *d_stays, int blocks)
{
    long long *stays = (long long *)memory_host(3 * blocks * sizeof(long long));
    int most = 0;

    device_fetch(long long, stays, d_stays, 3 * blocks);
    for (int b = 0; b < blocks; b++) {
        const long long *at = &stays[3 * b];
        int now = 0;

        for (const long long *s = stays; s < stays + 3 * blocks; s += 3)
            now += s[2] == at[2] && s[0] <= at[0] && s[1] > at[0];
        most = now > most ? now : most;
    }
    free(stays);
    return most;
}

/* h13: threads of a warp add up the same COUNT numbers. */
template <int COUNT> void reference_sums(const struct trial *t, int *out)
{
    for (int i = 0; i < t->n; i++) {
        out[i] = 0;
        for (int k = 0; k < COUNT; k++)
            out[i] += t->host[i / 32 * COUNT + k];
    }
}

/* h14: the ways to choose the lane to read from. */
enum shuffle_kind { DOWN, UP, XOR, INDEX };

/* The lane that `lane` reads, in groups of `width`: past the edge its own. */
static inline int shuffle_source(int kind, int by, int width, int lane)
{
    const int first = lane / width * width;
    const int wanted = kind == DOWN  ? lane + by
                       : kind == UP  ? lane - by
                       : kind == XOR ? lane ^ by
                                     : first + by % width;

    return wanted >= first && wanted < first + width ? wanted : lane;
}

/* h14: each round a lane adds its thread's number to what it reads. variant->value is the kind,
 * variant->other the distance, and 100 times the width where that is not 32. */
template <int THREADS, int ROUNDS> void reference_shuffles(const struct trial *t, int *out)
{
    const int kind = t->variant->value, by = t->variant->other % 100;
    const int width = t->variant->other / 100 ? t->variant->other / 100 : 32;

    for (int warp = 0; warp < t->n; warp += 32) {
        int x[32], y[32];

        for (int lane = 0; lane < 32; lane++)
            x[lane] = t->host[warp + lane < t->n ? warp + lane : 0];
        for (int round = 0; round < ROUNDS; round++) {
            for (int lane = 0; lane < 32; lane++)
                y[lane] = x[shuffle_source(kind, by, width, lane)] + (warp + lane) % THREADS;
            memcpy(x, y, sizeof(x));
        }
        for (int lane = 0; lane < 32 && warp + lane < t->n; lane++)
            out[warp + lane] = x[lane];
    }
}

/* h15: COUNT numbers of the table a round, from another place than the round before, and where
 * variant->other is 1 than the thread before; always from the first one on if variant->value is
 * FIXED. Threads COUNT apart have the same answer. */
template <int FIXED, int ROUNDS, int COUNT> void reference_table(const struct trial *t, int *out)
{
    for (int i = 0; i < t->n; i++) {
        unsigned sum = 0;

        for (int k = 0; k < ROUNDS * COUNT && i < COUNT; k++) {
            const int from = (k / COUNT + t->variant->other * i) % COUNT;
            sum = sum * 3 + t->host[(t->variant->value == FIXED ? 0 : from) + k % COUNT];
        }
        out[i] = i < COUNT ? (int)sum : out[i % COUNT];
    }
}

#endif
