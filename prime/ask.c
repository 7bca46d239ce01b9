/* Ask a step, and report what it says. */
#include "ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"

enum { TRIAL_ALL = 10000, WITNESS_ALL = 100000, RANDOM_CHECKS = 10000, LOOP_PART = 1 << 26 };

/* Sizes of a batch where kernels go wrong: around a warp, a block, what a block takes at once. */
static const int awkward_sizes[] = {0,    1,    31,   32,   33,   255,  257,
                                    1023, 1025, 2047, 2048, 2049, 10007};

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

static json_t *json_unsigned(uint64_t value)
{
    return json_sprintf("%" PRIu64, value);
}

/* --- One number, many numbers ----------------------------------------------------------------- */

static struct run new_run(const struct request *request)
{
    const struct options *options = &request->session.options;
    struct run run = {.runs = options->runs == OPTIONS_RUNS_UNSET ? 3 : (int)options->runs};

    if (!request->chapter.cpu)
        return run_new(options, &request->session.device);
    run.ms = memory_host((size_t)run.runs * sizeof(float));
    return run;
}

static void free_run(const struct request *request, struct run *run)
{
    if (request->chapter.cpu)
        free(run->ms);
    else
        run_free(run);
}

/* Print a measurement and free it. Returns the exit code. */
static int tell(const struct request *request, int64_t n, struct run *run,
                const struct verdict *verdict, json_t *own)
{
    const struct measurement measurement = {.n = n, .run = *run, .verdict = *verdict, .own = own};
    const int code = report(&request->session, &measurement);

    json_decref(own);
    free_run(request, run);
    return code;
}

/* A number by trial division, from the step to the report. Returns the exit code. */
int ask_divide(const struct request *request, uint64_t n)
{
    const uint64_t root = prime_root(n);
    struct run run = new_run(request);
    const uint64_t divisor = request->chapter.divide(n, root, &run);
    struct verdict verdict = answer_divisor(n, divisor, request->chapter.smallest);
    json_t *own =
        json_pack("{s:o,s:b,s:o}", "number", json_unsigned(n), "prime", n >= 2 && !divisor,
                  "divisor", divisor ? json_unsigned(divisor) : json_null());
    int code;

    if (request->chapter.loop)
        json_object_set_new(own, "cpu_ms", json_real(loop_ms(n, root)));
    code = tell(request, 1, &run, &verdict, own);
    return code;
}

/* A number by witnesses, likewise. */
int ask_judge(const struct request *request, uint64_t n)
{
    struct run run = new_run(request);
    struct verdict verdict;
    uint32_t witness;
    json_t *own;
    int code;

    request->chapter.judge(&n, 1, &witness, &run);
    verdict = answer_witness(n, witness);
    own = json_pack("{s:o,s:b,s:o,s:f}", "number", json_unsigned(n), "prime",
                    witness == PRIME_IS_PRIME, "witness",
                    witness > PRIME_IS_NEITHER ? json_integer(witness) : json_null(), "cpu_ms",
                    reference_ms(n));
    code = tell(request, 1, &run, &verdict, own);
    return code;
}

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
            answers, json_pack("{s:o,s:b,s:i}", "number", json_unsigned(numbers->value[i]), "prime",
                               witness[i] == PRIME_IS_PRIME, "witness", (int)witness[i]));
    return answers;
}

/* All numbers at once, from the step to the report; with `list` the answers are printed. */
int ask_all(const struct request *request, const struct prime_numbers *numbers, bool list)
{
    uint32_t *witness = memory_host(numbers->count * sizeof(uint32_t));
    struct run run = new_run(request);
    json_t *own = json_object();
    struct verdict verdict;
    double ms;
    int code;

    memset(witness, MEMORY_POISON, numbers->count * sizeof(uint32_t));
    request->chapter.judge(numbers->value, (int)numbers->count, witness, &run);
    verdict = answer_batch(numbers->value, witness, numbers->count);
    ms = run_times(&run).median;
    if (numbers->count && ms > 0)
        json_object_set_new(own, "numbers_per_second",
                            json_real(1e3 * (double)numbers->count / ms));
    if (list && request->session.options.json)
        json_object_set_new(own, "answers", json_answers(numbers, witness));
    else if (list)
        print_answers(numbers, witness);
    code = tell(request, (int64_t)numbers->count, &run, &verdict, own);
    free(witness);
    return code;
}

/* --- The self-check --------------------------------------------------------------------------- */

/* Every number by trial division, one launch each, and one report. */
static int divide_all(const struct request *request, const struct prime_numbers *numbers)
{
    struct verdict verdict = {.match = true, .result = "0 wrong", .reference = "0 wrong"};
    struct run run = new_run(request);
    size_t wrong = 0;
    int code;

    for (size_t i = 0; i < numbers->count; i++) {
        const uint64_t n = numbers->value[i];
        const uint64_t divisor = request->chapter.divide(n, prime_root(n), &run);
        const struct verdict one = answer_divisor(n, divisor, request->chapter.smallest);

        if (!one.match && wrong++ == 0)
            verdict = one;
    }
    verdict.match = wrong == 0;
    snprintf(verdict.result, sizeof(verdict.result), "%zu wrong", wrong);
    snprintf(verdict.reference, sizeof(verdict.reference), "0 wrong");
    run.done = 0; /* the last number's time is nobody's */
    code = tell(request, (int64_t)numbers->count, &run, &verdict, NULL);
    return code;
}

/* Random batches of awkward sizes. Returns the worst exit code. */
static int judge_sizes(struct request *request)
{
    int worst = EXIT_MATCH;

    for (size_t i = 0; i < sizeof(awkward_sizes) / sizeof(awkward_sizes[0]); i++) {
        struct prime_numbers numbers = {NULL, 0, 0};
        int code;

        prime_add_random(&numbers, (size_t)awkward_sizes[i],
                         (uint64_t)request->session.options.seed, i % 2);
        code = ask_all(request, &numbers, false);
        worst = code > worst ? code : worst;
        free(numbers.value);
    }
    return worst;
}

int ask_self_check(struct request *request)
{
    const bool divide = request->chapter.divide != NULL;
    const uint64_t limit = divide && request->session.device.modelled ? UINT32_MAX : UINT64_MAX;
    struct prime_numbers numbers = {NULL, 0, 0};
    int code, sizes = EXIT_MATCH;

    if (request->session.options.runs == OPTIONS_RUNS_UNSET)
        request->session.options.runs = 1;
    prime_add_awkward(&numbers, divide ? TRIAL_ALL : WITNESS_ALL, limit);
    if (!divide)
        prime_add_random(&numbers, RANDOM_CHECKS, (uint64_t)request->session.options.seed, false);
    code = divide ? divide_all(request, &numbers) : ask_all(request, &numbers, false);
    if (request->chapter.batch)
        sizes = judge_sizes(request);
    free(numbers.value);
    return code > sizes ? code : sizes;
}
