/* Chapter: is a number of up to 64 bits prime?
 *
 * Here is what every step shares: which numbers, the CPU's answers, the options and the report.
 * What happens on the device is in the step.
 */
#ifndef PRIME_H
#define PRIME_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PRIME_N = 1048576, /* numbers of a batch that nobody gave */
    PRIME_MODELLED_N = 65536, /* the same where the device is modelled */
    PRIME_THREADS = 256, /* in a block of trial division */
};

/* What a step finds for a number. */
enum {
    PRIME_NO_DIVISOR = 0, /* of a divisor: there is none */
    PRIME_IS_PRIME = 0, /* of a witness: there is none */
    PRIME_IS_NEITHER = 1, /* of a witness: the number is 0 or 1 */
};

/* A divisor that nobody wrote: poison. */
#define PRIME_UNWRITTEN UINT64_MAX

/* The device side of a step by trial division: a divisor d of n, 1 < d <= root, or
 * PRIME_NO_DIVISOR. `root` is prime_root(n). */
typedef uint64_t prime_divide(uint64_t n, uint64_t root, struct run *run);

/* The device side of a step by witnesses: for each of `count` numbers PRIME_IS_PRIME,
 * PRIME_IS_NEITHER, or a proper prime divisor or a base whose strong test it fails. */
typedef void prime_judge(const uint64_t *number, int count, uint32_t *witness, struct run *run);

/* Which numbers a step takes, and what it promises. */
struct prime_step {
    prime_divide *divide; /* one of the two is set */
    prime_judge *judge;
    bool smallest; /* divide: the divisor is the smallest */
    bool loop; /* divide: show the CPU's loop beside it */
    bool batch; /* judge: all numbers at once, and options that make many */
    bool cpu; /* judge: runs on the CPU, without a device */
};

/* main() of a step: options, device, numbers, step, comparison, report. Returns the exit code. */
int prime_main(int argc, char **argv, struct step step, struct prime_step chapter);

/* Blocks of PRIME_THREADS threads with a thread for each of `work` pieces, at least one block, and
 * at most as many as the device holds at once with 2048 threads per SM. */
unsigned prime_blocks(uint64_t work);

/* The smallest of the divisors that `count` threads found, PRIME_NO_DIVISOR if none did;
 * PRIME_UNWRITTEN if a thread wrote nothing. */
uint64_t prime_gather(const uint64_t *divisor, unsigned count);

/* --- The CPU's answers: reference.c ----------------------------------------------------------- */

/* The largest r with r x r <= n. */
uint64_t prime_root(uint64_t n);

/* The source's loop: every divisor from 2 to `last` in turn. The first that divides n, or
 * PRIME_NO_DIVISOR. */
uint64_t prime_loop(uint64_t n, uint64_t last);

/* Deterministic for every n: Miller and Rabin's test to the bases 2, 3, 5 ... 37. Sorenson,
 * Webster, "Strong pseudoprimes to twelve prime bases", Math. Comp. 86 (2017): the first composite
 * that passes all twelve is 318665857834031151167461, above 2^78. */
bool prime_is_prime(uint64_t n);

/* Whether an odd n > 2 fails the strong test to `base`: then it is composite. A multiple of n as
 * base says nothing. */
bool prime_fails(uint64_t n, uint64_t base);

/* The smallest prime factor of a composite n; PRIME_NO_DIVISOR of others. Pollard's rho (1975). */
uint64_t prime_smallest_factor(uint64_t n);

/* Whether `witness`, as a prime_judge step gives it, tells the truth about n. A witness is a proof
 * and checked as one; PRIME_IS_PRIME is checked with prime_is_prime(). */
bool prime_witness_holds(uint64_t n, uint32_t witness);

/* Call work(self, begin, end) for pieces of [0, count) from a thread on each core. */
void prime_parallel(size_t count, void (*work)(void *self, size_t begin, size_t end), void *self);

/* --- Which numbers: numbers.c ----------------------------------------------------------------- */

struct prime_numbers {
    uint64_t *value;
    size_t count, room;
};

/* A range, ends included, and a file with one number per line, as texts of the command line;
 * `numbers` takes them. Return -1, or EXIT_USAGE after a line that says what is wrong. */
int prime_add_operand(void *numbers, char *const *values);
int prime_add_range(void *numbers, char *const *values);
int prime_add_file(void *numbers, char *const *values);

/* `count` random odd numbers of 64 bits, the top bit not always set; as primes, the first prime
 * from each on (from 2^64 - 59 at most). */
void prime_add_random(struct prime_numbers *numbers, size_t count, uint64_t seed, bool primes);

/* Where tests go wrong: every number to `all`, Carmichael numbers, strong pseudoprimes, squares and
 * products of neighbouring primes, each below `limit`. */
void prime_add_awkward(struct prime_numbers *numbers, uint64_t all, uint64_t limit);

#ifdef __cplusplus
}
#endif

#endif
