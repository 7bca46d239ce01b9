/* Ask a step, and judge what it says. */
#include "ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"

enum { TRIAL_ALL = 10000, WITNESS_ALL = 100000, RANDOM_CHECKS = 10000, LOOP_PART = 1 << 26 };

/* Of a batch, where the device is modelled: tests/prime/test_answers.c asks about all 100 000, and
 * the last of the sizes is of the same random numbers. */
enum { MODELLED_ALL = 20000 };

/* The largest primes below 2^64, and below 2^48 for a device that is modelled. */
static const uint64_t worst_case = UINT64_MAX - 58, modelled_worst_case = 281474976710597;

/* Sizes of a batch where kernels go wrong: around a warp, a block, what a block takes at once. */
static const int awkward_sizes[] = {0,    1,    31,   32,   33,   255,  257,
                                    1023, 1025, 2047, 2048, 2049, 10007};
static const int size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]);

/* --- The CPU beside the device ---------------------------------------------------------------- */

static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* The time of the source's loop on one core, in ms; of a long one LOOP_PART divisors are tried and
 * the time is scaled. */
static double loop_ms(uint64_t n, uint64_t root)
{
    const uint64_t last = root < LOOP_PART ? root : LOOP_PART;
    const double begin = now_ms();
    const uint64_t divisor = prime_loop(n, last);
    const double ms = now_ms() - begin;

    return divisor || last == root ? ms : ms * (double)root / LOOP_PART;
}

/* The time of the reference for one number on one core, in ms. */
static double reference_ms(uint64_t n)
{
    enum { TIMES = 1000 };
    const double begin = now_ms();
    volatile bool prime;

    for (int i = 0; i < TIMES; i++)
        prime = prime_is_prime(n);
    (void)prime;
    return (now_ms() - begin) / TIMES;
}

/* --- One number ------------------------------------------------------------------------------- */

/* By trial division. */
static void divide(const struct prime_step *step, uint64_t n, struct measurement *measurement)
{
    const uint64_t root = prime_root(n);
    const uint64_t divisor = step->divide(n, root, &measurement->run);

    measurement->verdict = answer_divisor(n, divisor, step->smallest);
    measurement->own =
        json_pack("{s:o,s:b,s:o}", "number", report_whole(n), "prime", n >= 2 && !divisor,
                  "divisor", divisor ? report_whole(divisor) : json_null());
    if (step->loop)
        json_object_set_new(measurement->own, "cpu_ms", json_real(loop_ms(n, root)));
}

/* By witnesses. */
static void judge(const struct prime_step *step, uint64_t n, struct measurement *measurement)
{
    uint32_t witness;

    step->judge(&n, 1, &witness, &measurement->run);
    measurement->verdict = answer_witness(n, witness);
    measurement->own = json_pack("{s:o,s:b,s:o,s:f}", "number", report_whole(n), "prime",
                                 witness == PRIME_IS_PRIME, "witness",
                                 witness > PRIME_IS_NEITHER ? json_integer(witness) : json_null(),
                                 "cpu_ms", reference_ms(n));
}

/* The number whose turn it is, or the worst case. */
static void ask_one(const struct request *request, const struct session *session,
                    struct measurement *measurement)
{
    const uint64_t n = request->numbers.count     ? request->numbers.value[request->turns.now]
                       : session->device.modelled ? modelled_worst_case
                                                  : worst_case;

    measurement->n = 1;
    if (request->step.divide)
        divide(&request->step, n, measurement);
    else
        judge(&request->step, n, measurement);
}

/* --- Many numbers ----------------------------------------------------------------------------- */

/* A line a number, for people. */
static void print_answers(const struct prime_numbers *numbers, const uint32_t *witness)
{
    char text[32];

    for (size_t i = 0; i < numbers->count; i++) {
        answer_describe(text, sizeof(text), numbers->value[i], witness[i]);
        printf("%" PRIu64 ": %s\n", numbers->value[i], text);
    }
}

/* The same for programs. */
static json_t *json_answers(const struct prime_numbers *numbers, const uint32_t *witness)
{
    json_t *answers = json_array();

    for (size_t i = 0; i < numbers->count; i++)
        json_array_append_new(
            answers, json_pack("{s:o,s:b,s:i}", "number", report_whole(numbers->value[i]), "prime",
                               witness[i] == PRIME_IS_PRIME, "witness", (int)witness[i]));
    return answers;
}

/* Show the answers, to people or programs. */
static void list_answers(const struct prime_numbers *numbers, const uint32_t *witness,
                         const struct session *session, json_t *own)
{
    if (session->options.json)
        json_object_set_new(own, "answers", json_answers(numbers, witness));
    else
        print_answers(numbers, witness);
}

/* All at once; with `list` the answers are shown too. */
static void judge_all(const struct prime_step *step, const struct prime_numbers *numbers, bool list,
                      const struct session *session, struct measurement *measurement)
{
    uint32_t *witness = memory_host(numbers->count * sizeof(uint32_t));
    double ms;

    memset(witness, MEMORY_POISON, numbers->count * sizeof(uint32_t));
    step->judge(numbers->value, (int)numbers->count, witness, &measurement->run);
    measurement->n = (int64_t)numbers->count;
    measurement->verdict = answer_batch(numbers->value, witness, numbers->count);
    measurement->own = json_object();
    ms = run_times(&measurement->run).median;
    if (numbers->count && ms > 0)
        json_object_set_new(measurement->own, "numbers_per_second",
                            json_real(1e3 * (double)numbers->count / ms));
    if (list)
        list_answers(numbers, witness, session, measurement->own);
    free(witness);
}

/* `count` random numbers. */
static void judge_random(const struct prime_step *step, size_t count, bool primes,
                         const struct session *session, struct measurement *measurement)
{
    struct prime_numbers numbers = {NULL, 0, 0};

    prime_add_random(&numbers, count, (uint64_t)session->options.seed, primes);
    judge_all(step, &numbers, false, session, measurement);
    free(numbers.value);
}

static void ask_batch(const struct request *request, const struct session *session,
                      struct measurement *measurement)
{
    if (request->numbers.count)
        judge_all(&request->step, &request->numbers, true, session, measurement);
    else
        judge_random(&request->step, (size_t)session->options.n, request->primes, session,
                     measurement);
}

/* --- The self-check --------------------------------------------------------------------------- */

/* Every number by trial division, one launch each, and one verdict. */
static void divide_all(const struct prime_step *step, const struct prime_numbers *numbers,
                       struct measurement *measurement)
{
    struct verdict *verdict = &measurement->verdict;
    size_t wrong = 0;

    for (size_t i = 0; i < numbers->count; i++) {
        const uint64_t n = numbers->value[i];
        const uint64_t divisor = step->divide(n, prime_root(n), &measurement->run);
        const struct verdict one = answer_divisor(n, divisor, step->smallest);

        if (!one.match && wrong++ == 0)
            *verdict = one;
    }
    verdict->match = wrong == 0;
    snprintf(verdict->result, sizeof(verdict->result), "%zu wrong", wrong);
    snprintf(verdict->reference, sizeof(verdict->reference), "0 wrong");
    measurement->n = (int64_t)numbers->count;
    measurement->run.done = 0; /* the last number's time is nobody's */
}

/* The numbers where tests go wrong. */
static void check_numbers(const struct prime_step *step, const struct session *session,
                          struct measurement *measurement)
{
    const uint64_t limit = step->divide && session->device.modelled ? UINT32_MAX : UINT64_MAX;
    const bool fewer = step->batch && session->device.modelled;
    const uint64_t all = step->divide ? TRIAL_ALL : fewer ? MODELLED_ALL : WITNESS_ALL;
    struct prime_numbers numbers = {NULL, 0, 0};

    prime_add_awkward(&numbers, all, limit);
    if (step->divide) {
        divide_all(step, &numbers, measurement);
    } else {
        if (!fewer)
            prime_add_random(&numbers, RANDOM_CHECKS, (uint64_t)session->options.seed, false);
        judge_all(step, &numbers, false, session, measurement);
    }
    free(numbers.value);
}

/* First the numbers, then the sizes: random numbers and primes in turn. */
static void self_check(const struct request *request, const struct session *session,
                       struct measurement *measurement)
{
    const int turn = request->turns.now;

    if (turn == 0)
        check_numbers(&request->step, session, measurement);
    else
        judge_random(&request->step, (size_t)awkward_sizes[turn - 1], turn % 2 == 0, session,
                     measurement);
}

/* --- The turns -------------------------------------------------------------------------------- */

int ask_turns(const struct request *request)
{
    if (request->self_check)
        return request->step.batch ? 1 + size_count : 1;
    return request->step.batch || !request->numbers.count ? 1 : (int)request->numbers.count;
}

struct measurement ask(void *self, const struct session *session)
{
    const struct request *request = self;
    struct measurement measurement = measurement_new(session);

    measurement.problem = request->step.batch ? "many numbers" : "one number";
    if (request->self_check)
        self_check(request, session, &measurement);
    else if (request->step.batch)
        ask_batch(request, session, &measurement);
    else
        ask_one(request, session, &measurement);
    return measurement;
}
