#include "prime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIAL_ALL = 10000, WITNESS_ALL = 100000, RANDOM_CHECKS = 10000, LOOP_PART = 1 << 26 };

/* The largest primes below 2^64, and below 2^48 for a device that is modelled. */
static const uint64_t worst_case = UINT64_MAX - 58, modelled_worst_case = 281474976710597;

/* Sizes of a batch where kernels go wrong: around a warp, a block, what a block takes at once. */
static const int awkward_sizes[] = {0,    1,    31,   32,   33,   255,  257,
                                    1023, 1025, 2047, 2048, 2049, 10007};

struct request {
    struct session session;
    struct prime_step chapter;
    struct prime_numbers numbers;
    bool primes, self_check;
};

unsigned prime_blocks(uint64_t work)
{
    const uint64_t blocks = (work + PRIME_THREADS - 1) / PRIME_THREADS;
    int device, multiprocessors;
    uint64_t most;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    most = (uint64_t)multiprocessors * (2048 / PRIME_THREADS);
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

uint64_t prime_gather(const uint64_t *divisor, unsigned count)
{
    uint64_t smallest = PRIME_NO_DIVISOR;

    for (unsigned i = 0; i < count; i++) {
        if (divisor[i] == PRIME_UNWRITTEN)
            return PRIME_UNWRITTEN;
        if (divisor[i] && (!smallest || divisor[i] < smallest))
            smallest = divisor[i];
    }
    return smallest;
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* "prime", "7 divides", or "0 and 1 are neither". */
static void describe_divisor(char *text, size_t size, uint64_t n, uint64_t divisor)
{
    if (divisor)
        snprintf(text, size, "%" PRIu64 " divides it", divisor);
    else
        snprintf(text, size, "%s", n < 2 ? "neither" : "prime");
}

static void describe_witness(char *text, size_t size, uint64_t n, uint32_t witness)
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

static struct verdict compare_divisor(uint64_t n, uint64_t divisor, bool smallest)
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

static struct verdict compare_witness(uint64_t n, uint32_t witness)
{
    struct verdict verdict = {.match = prime_witness_holds(n, witness)};

    describe_witness(verdict.result, sizeof(verdict.result), n, witness);
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
static struct verdict compare_batch(const uint64_t *number, const uint32_t *witness, size_t count)
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

        describe_witness(text, sizeof(text), number[first], witness[first]);
        snprintf(verdict.why, sizeof(verdict.why),
                 "%zu of %zu answers are wrong, the first: %" PRIu64 ": %s", wrong, count,
                 number[first], text);
    }
    free(batch.holds);
    return verdict;
}

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
static int divide_one(const struct request *request, uint64_t n)
{
    const uint64_t root = prime_root(n);
    struct run run = new_run(request);
    const uint64_t divisor = request->chapter.divide(n, root, &run);
    struct verdict verdict = compare_divisor(n, divisor, request->chapter.smallest);
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
static int judge_one(const struct request *request, uint64_t n)
{
    struct run run = new_run(request);
    struct verdict verdict;
    uint32_t witness;
    json_t *own;
    int code;

    request->chapter.judge(&n, 1, &witness, &run);
    verdict = compare_witness(n, witness);
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
        describe_witness(text, sizeof(text), numbers->value[i], witness[i]);
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
static int judge_all(const struct request *request, const struct prime_numbers *numbers, bool list)
{
    uint32_t *witness = memory_host(numbers->count * sizeof(uint32_t));
    struct run run = new_run(request);
    json_t *own = json_object();
    struct verdict verdict;
    double ms;
    int code;

    memset(witness, MEMORY_POISON, numbers->count * sizeof(uint32_t));
    request->chapter.judge(numbers->value, (int)numbers->count, witness, &run);
    verdict = compare_batch(numbers->value, witness, numbers->count);
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
        const struct verdict one = compare_divisor(n, divisor, request->chapter.smallest);

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
        code = judge_all(request, &numbers, false);
        worst = code > worst ? code : worst;
        free(numbers.value);
    }
    return worst;
}

static int self_check(struct request *request)
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
    code = divide ? divide_all(request, &numbers) : judge_all(request, &numbers, false);
    if (request->chapter.batch)
        sizes = judge_sizes(request);
    free(numbers.value);
    return code > sizes ? code : sizes;
}

/* --- The program ------------------------------------------------------------------------------ */

static int take_flag(void *flag, char *const *values)
{
    (void)values;
    *(bool *)flag = true;
    return -1;
}

/* Read the command line. Returns -1 or the exit code. */
static int parse(int argc, char **argv, struct request *request)
{
    const struct option_text texts[] = {
        {NULL, 1, "NUMBER", "a number to ask about: 0 to 2^64 - 1", prime_add_operand,
         &request->numbers},
        {"self-check", 0, NULL, "check numbers where tests go wrong", take_flag,
         &request->self_check},
        {"range", 2, "A B", "ask about all numbers from A to B", prime_add_range,
         &request->numbers},
        {"file", 1, "F", "ask about the numbers in file F, one a line", prime_add_file,
         &request->numbers},
        {"primes", 0, NULL, "without a number given: a batch of primes", take_flag,
         &request->primes},
    };
    const size_t count = sizeof(texts) / sizeof(texts[0]);
    const bool batch = request->chapter.batch;
    struct options *options = &request->session.options;
    const struct option_list list = {
        .size = {.usual = PRIME_N,
                 .modelled = request->chapter.cpu ? 0 : PRIME_MODELLED_N,
                 .max = batch ? OPTIONS_MAX_N : 0,
                 .help = "random numbers to ask about"},
        .texts = texts,
        .text_count = batch ? count : 2,
    };
    int code = options_parse(argc, argv, &list, options);

    if (code >= 0)
        return code;
    if (request->numbers.count > (size_t)OPTIONS_MAX_N)
        return options_refuse("%zu numbers: at most %" PRId64 " at once", request->numbers.count,
                              OPTIONS_MAX_N);
    request->self_check |= options->all_sizes;
    if (request->self_check && (request->numbers.count || request->primes || options->n_given))
        return options_refuse("the self-check has numbers of its own: give it none");
    if (request->numbers.count && (request->primes || options->n_given))
        return options_refuse("--n and --primes are for random numbers: give those or numbers");
    return -1;
}

/* The name of this machine's processor, as Linux has it. */
static void name_cpu(struct device *device)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256], name[128] = "CPU";

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "model name : %127[^\n]", name) == 1)
            break;
    if (file)
        fclose(file);
    snprintf(device->name, sizeof(device->name), "%s, %d core%s", name, prime_cores(),
             prime_cores() == 1 ? "" : "s");
}

/* The device, or the CPU. Returns 0 or the exit code. */
static int find_device(struct request *request)
{
    if (!request->chapter.cpu)
        return InitCUDA((int)request->session.options.device, request->session.step.minimum,
                        &request->session.device);
    if (request->session.options.device >= 0)
        return options_refuse("--device %" PRId64 ": no such device; this step runs on the CPU",
                              request->session.options.device);
    request->session.device = (struct device){.cpu = true};
    name_cpu(&request->session.device);
    return EXIT_MATCH;
}

/* The numbers given, or a batch of random ones. Returns the exit code. */
static int judge_batch(struct request *request)
{
    const bool given = request->numbers.count > 0;
    const bool small = request->session.device.modelled && !request->session.options.n_given;
    const size_t count = given   ? request->numbers.count
                         : small ? PRIME_MODELLED_N
                                 : (size_t)request->session.options.n;
    int code = -1;

    if (!request->chapter.cpu)
        code =
            memory_refuse(&request->session.device, count * (sizeof(uint64_t) + sizeof(uint32_t)));
    if (code >= 0)
        return code;
    if (!given)
        prime_add_random(&request->numbers, count, (uint64_t)request->session.options.seed,
                         request->primes);
    return judge_all(request, &request->numbers, given);
}

/* The numbers given, or the worst case, one after the other. Returns the worst exit code. */
static int one_by_one(struct request *request)
{
    int worst = EXIT_MATCH;

    if (!request->numbers.count)
        prime_add(&request->numbers,
                  request->session.device.modelled ? modelled_worst_case : worst_case);
    for (size_t i = 0; i < request->numbers.count; i++) {
        const uint64_t n = request->numbers.value[i];
        const int code = request->chapter.divide ? divide_one(request, n) : judge_one(request, n);

        worst = code > worst ? code : worst;
    }
    return worst;
}

int prime_main(int argc, char **argv, struct step step, struct prime_step chapter)
{
    struct request request = {.session = {.step = step}, .chapter = chapter};
    int code = parse(argc, argv, &request);

    if (code < 0) {
        code = find_device(&request);
        if (code == EXIT_MATCH)
            code = request.self_check ? self_check(&request)
                   : chapter.batch    ? judge_batch(&request)
                                      : one_by_one(&request);
    }
    free(request.numbers.value);
    return code;
}
