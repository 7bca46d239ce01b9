/* Asking a step. All of these return the exit code. */
#ifndef ASK_H
#define ASK_H

#include "prime.h"

/* A program at work, and what it is asked about. */
struct request {
    struct session session;
    struct prime_step chapter;
    struct prime_numbers numbers;
    bool primes, self_check;
};

/* A number by trial division, or by witnesses, from the step to the report. */
int ask_divide(const struct request *request, uint64_t n);
int ask_judge(const struct request *request, uint64_t n);

/* All numbers at once, from the step to the report; with `list` the answers are printed. */
int ask_all(const struct request *request, const struct prime_numbers *numbers, bool list);

/* Numbers where tests go wrong and, of a batch, sizes where kernels do; each once, unless --runs
 * says otherwise. The worst exit code. */
int ask_self_check(struct request *request);

#endif
