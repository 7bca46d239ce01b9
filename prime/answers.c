/* Whether what a step found is so, and what to call it. */
#include "answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* "prime", "7 divides", or "0 and 1 are neither". */
static void describe_divisor(char *text, size_t size, uint64_t n, uint64_t divisor)
{
    if (divisor)
        snprintf(text, size, "%" PRIu64 " divides it", divisor);
    else
        snprintf(text, size, "%s", n < 2 ? "neither" : "prime");
}

void answer_describe(char *text, size_t size, uint64_t n, uint32_t witness)
{
    if (witness == PRIME_IS_PRIME)
        snprintf(text, size, "prime");
    else if (witness == PRIME_IS_NEITHER)
        snprintf(text, size, "neither");
    else if (witness < n && n % witness == 0)
        snprintf(text, size, "%" PRIu32 " divides it", witness);
    else
        snprintf(text, size, "witness %" PRIu32, witness);
}

/* Whether `divisor` is the right answer for n. The reference goes to `*reference`. */
static bool divisor_holds(uint64_t n, uint64_t divisor, bool smallest, uint64_t *reference)
{
    *reference = prime_smallest_factor(n);
    if (!smallest && divisor > 1 && divisor < n && n % divisor == 0)
        *reference = divisor;
    return divisor == *reference;
}

struct verdict answer_divisor(uint64_t n, uint64_t divisor, bool smallest)
{
    struct verdict verdict = {.match = false};
    uint64_t reference;

    verdict.match = divisor_holds(n, divisor, smallest, &reference);
    describe_divisor(verdict.result, sizeof(verdict.result), n, divisor);
    describe_divisor(verdict.reference, sizeof(verdict.reference), n, reference);
    if (!verdict.match)
        snprintf(verdict.why, sizeof(verdict.why), "%" PRIu64 ": %s", n, verdict.result);
    return verdict;
}

struct verdict answer_witness(uint64_t n, uint32_t witness)
{
    struct verdict verdict = {.match = prime_witness_holds(n, witness)};

    answer_describe(verdict.result, sizeof(verdict.result), n, witness);
    snprintf(verdict.reference, sizeof(verdict.reference), "%s",
             n < 2               ? "neither"
             : prime_is_prime(n) ? "prime"
             : verdict.match     ? verdict.result
                                 : "composite");
    if (!verdict.match)
        snprintf(verdict.why, sizeof(verdict.why), "%" PRIu64 ": %s", n, verdict.result);
    return verdict;
}

/* A batch under check, by all cores. */
struct batch {
    const uint64_t *number;
    const uint32_t *witness;
    bool *holds;
};

static void check_witnesses(void *self, size_t begin, size_t end)
{
    const struct batch *batch = self;

    for (size_t i = begin; i < end; i++)
        batch->holds[i] = prime_witness_holds(batch->number[i], batch->witness[i]);
}

/* Every answer of a batch; the result and the reference are how many primes there are. */
struct verdict answer_batch(const uint64_t *number, const uint32_t *witness, size_t count)
{
    struct batch batch = {number, witness, memory_host(count * sizeof(bool))};
    struct verdict verdict = {.match = false};
    size_t wrong = 0, first = 0, found = 0, primes = 0;

    prime_parallel(count, check_witnesses, &batch);
    for (size_t i = 0; i < count; i++) {
        found += witness[i] == PRIME_IS_PRIME;
        primes += batch.holds[i] ? witness[i] == PRIME_IS_PRIME : prime_is_prime(number[i]);
        if (!batch.holds[i] && wrong++ == 0)
            first = i;
    }
    verdict.match = wrong == 0;
    snprintf(verdict.result, sizeof(verdict.result), "%zu prime", found);
    snprintf(verdict.reference, sizeof(verdict.reference), "%zu prime", primes);
    if (wrong) {
        char text[32];

        answer_describe(text, sizeof(text), number[first], witness[first]);
        snprintf(verdict.why, sizeof(verdict.why),
                 "%zu of %zu answers are wrong, the first: %" PRIu64 ": %s", wrong, count,
                 number[first], text);
    }
    free(batch.holds);
    return verdict;
}
