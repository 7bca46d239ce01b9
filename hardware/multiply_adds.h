/* The multiply-adds of h08, h09 and h10: where a thread starts, and the CPU's answer. */
#ifndef MULTIPLY_ADDS_H
#define MULTIPLY_ADDS_H

#include <math.h>

#include "hardware.h"

enum { STARTS = 64 }; /* threads have as many different starts: the CPU computes no more */

/* A start from -1 to 0, where the numbers stay; of a number below HARDWARE_BELOW + room - 1. */
__host__ __device__ static inline float start_of(int number, int room)
{
    return -(float)(number + 1) / (HARDWARE_BELOW + room);
}

/* a = b * a + b, then b = a * b + a, `rounds` times; the sum of both. Every operation is rounded
 * once, so that a GPU gets the same bits. */
static inline float multiply_adds(float a, float b, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        a = fmaf(b, a, b);
        b = fmaf(a, b, a);
    }
    return a + b;
}

/* The answer where thread i starts from the numbers i and i + 1. */
static inline void multiply_adds_cpu(const struct trial *t, int rounds, double *out,
                                     double *tolerance)
{
    for (int i = 0; i < t->outputs; i++) {
        const float a = start_of(t->host[i % STARTS], 1);
        const float b = start_of(t->host[(i + 1) % STARTS], 1);

        out[i] = i < STARTS ? (double)multiply_adds(a, b, rounds) : out[i % STARTS];
        tolerance[i] = 0;
    }
}

#endif
