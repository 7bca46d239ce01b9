/* Asking a step. */
#ifndef ASK_H
#define ASK_H

#include "prime.h"

/* A step, and what it is asked about. */
struct request {
    struct prime_step step;
    struct prime_numbers numbers;
    bool primes, self_check;
    struct chapter_variants turns; /* its measurements */
};

/* How many measurements the request takes: a batch is one, and so is a number by itself. The
 * self-check is one of the numbers where tests go wrong and, of a batch, one each of the sizes
 * where kernels do. */
int ask_turns(const struct request *request);

/* The measurement whose turn it is, from the numbers to the verdict. */
struct measurement ask(void *request, const struct session *session);

#endif
