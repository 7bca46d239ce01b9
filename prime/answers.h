/* Verdicts on what a step found. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "prime.h"

/* "prime", "neither", "7 divides it" or "witness 2". */
void answer_describe(char *text, size_t size, uint64_t n, uint32_t witness);

/* A divisor of n; with `smallest` no other will do. */
struct verdict answer_divisor(uint64_t n, uint64_t divisor, bool smallest);

/* A witness for n. */
struct verdict answer_witness(uint64_t n, uint32_t witness);

/* Every answer of a batch; the result and the reference are how many primes there are. */
struct verdict answer_batch(const uint64_t *number, const uint32_t *witness, size_t count);

#endif
