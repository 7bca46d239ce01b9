#include "scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, with every rest that loads of four
 * leave, around a block of 1024, a prime that is many tiles, and one more than all tiles that the
 * device has in work at once, whatever that is. */
enum { MORE_THAN_A_WAVE = -1 };
static const int awkward_sizes[] = {
    0, 1, 31, 32, 33, 34, 1023, 1024, 1025, 131071, MORE_THAN_A_WAVE};

enum { KINDS = 4, FLOATS = 2, INCLUSIVE = 1, BELOW = 100 };

/* What a step is asked for, and the numbers: of 32 bits each. */
struct problem {
    struct scan_step how;
    int64_t kind; /* 0 to KINDS - 1: FLOATS + INCLUSIVE */
    int n;
    int *ints; /* the input, if not ... */
    float *floats;
    void *out; /* n results, poisoned */
    int *lengths; /* of runs; else NULL */
    int count; /* of results */
};

static int64_t size_of(const struct problem *problem, const struct session *session)
{
    if (session->options.n != MORE_THAN_A_WAVE)
        return session->options.n;
    return chapter_wave_blocks(&problem->how.wave, session) * problem->how.tile + 1;
}

/* Ints from -99 to 99, whose sums a 32-bit int holds; for runs, mostly the one before again. */
static void generate(struct problem *problem, uint64_t seed)
{
    const size_t bytes = (size_t)problem->n * sizeof(int);
    struct rng rng = rng_seed(seed);

    problem->ints = problem->kind & FLOATS ? NULL : memory_host(bytes);
    problem->floats = problem->kind & FLOATS ? memory_host(bytes) : NULL;
    for (int i = 0; i < problem->n; i++)
        if (problem->floats)
            problem->floats[i] = 2 * rng_float(&rng) - 1;
        else if (problem->how.runs && i > 0 && rng_below(&rng, 4))
            problem->ints[i] = problem->ints[i - 1];
        else
            problem->ints[i] = (int)rng_below(&rng, 2 * BELOW - 1) - (BELOW - 1);
    problem->out = memory_host(bytes);
    memset(problem->out, MEMORY_POISON, bytes);
    problem->lengths = problem->how.runs ? memory_host(bytes) : NULL;
}

static void forget(struct problem *problem)
{
    free(problem->ints);
    free(problem->floats);
    free(problem->out);
    free(problem->lengths);
}

/* Call the step. */
static void compute(struct problem *problem, struct run *run)
{
    const struct scan_step *how = &problem->how;
    const bool inclusive = problem->kind & INCLUSIVE;

    problem->count = problem->n;
    if (how->select)
        problem->count = how->select(problem->ints, problem->n, run, problem->out);
    else if (how->runs)
        problem->count = how->runs(problem->ints, problem->n, run, problem->out, problem->lengths);
    else if (problem->floats)
        how->floats(problem->floats, problem->n, inclusive, run, problem->out);
    else
        how->ints(problem->ints, problem->n, inclusive, run, problem->out);
}

/* What the CPU makes of the ints, in place; of runs, the lengths as well. Returns how many. */
static int reference_ints(const struct problem *problem, int *lengths)
{
    int *a = problem->ints, count = 0;

    for (int i = 0, sum = 0; i < problem->n; i++) {
        const int x = a[i];

        if (problem->how.select) {
            if (x % 2 == 0)
                a[count++] = x;
        } else if (problem->how.runs) {
            if (count == 0 || a[count - 1] != x) {
                a[count] = x;
                lengths[count++] = 0;
            }
            lengths[count - 1]++;
        } else {
            a[count++] = problem->kind & INCLUSIVE ? sum + x : sum;
            sum += x;
        }
    }
    return count;
}

/* Find the first element of `result` that is not that of `reference`, if all were right so far. */
static void compare_all(const int *result, const int *reference, int count, const char *what,
                        struct verdict *verdict)
{
    for (int i = 0; verdict->match && i < count; i++)
        if (result[i] != reference[i] || i == count - 1) {
            *verdict = compare_integer(result[i], reference[i]);
            if (!verdict->match)
                snprintf(verdict->why, sizeof(verdict->why), "%s [%d] differs", what, i);
        }
}

/* Ints are equal or not; so is their number. */
static struct verdict compare_ints(const struct problem *problem)
{
    int *lengths = problem->how.runs ? memory_host((size_t)problem->n * sizeof(int)) : NULL;
    const int count = reference_ints(problem, lengths);
    struct verdict verdict = compare_integer(problem->count, count);

    if (!verdict.match)
        snprintf(verdict.why, sizeof(verdict.why), "the number of results differs");
    compare_all(problem->out, problem->ints, count, "element", &verdict);
    if (lengths)
        compare_all(problem->lengths, lengths, count, "length", &verdict);
    free(lengths);
    return verdict;
}

/* Each sum may be off by what its own additions allow, see compare_sum_tolerance(): those of its
 * tile, and one for each tile before. The reference rounds too: that is less than one more. */
static struct verdict compare_sums(const struct problem *problem)
{
    const size_t bytes = (size_t)problem->n * sizeof(double);
    double *reference = memory_host(bytes), *tolerance = memory_host(bytes);
    const bool inclusive = problem->kind & INCLUSIVE;
    double sum = 0, magnitudes = 0;
    struct verdict verdict;

    for (int i = 0; i < problem->n; i++) {
        const double x = (double)problem->floats[i];
        const int64_t chain = problem->how.chain + i / problem->how.tile;

        reference[i] = inclusive ? sum + x : sum;
        magnitudes += fabs(x);
        tolerance[i] = compare_sum_tolerance(chain + 2, magnitudes);
        sum += x;
    }
    verdict = compare_floats(problem->out, reference, tolerance, (size_t)problem->n);
    free(reference);
    free(tolerance);
    return verdict;
}

static struct measurement measure(void *self, const struct session *session)
{
    struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    char digest[COMPARE_DIGEST_SIZE] = "";

    measurement.n = size_of(problem, session);
    problem->n = (int)measurement.n;
    generate(problem, (uint64_t)session->options.seed);
    compute(problem, &measurement.run);
    measurement.problem = problem->how.select ? "the even numbers"
                          : problem->how.runs ? "run lengths"
                                              : "prefix sums";
    measurement.work.bytes = ((double)problem->n + problem->count) * sizeof(int);
    if (problem->how.runs)
        measurement.work.bytes += (double)problem->count * sizeof(int);
    if (session->options.check) {
        compare_digest(problem->out, (size_t)problem->count * sizeof(int), digest);
        measurement.verdict = problem->floats ? compare_sums(problem) : compare_ints(problem);
    }
    measurement.own = json_pack("{s:i, s:i, s:s?}", "kind", (int)problem->kind, "results",
                                problem->count, "digest", *digest ? digest : NULL);
    forget(problem);
    return measurement;
}

/* Input and results, on the host with a double and a tolerance for each. */
static int refuse(void *self, const struct session *session)
{
    return memory_refuse(&session->device, 6 * (size_t)size_of(self, session) * sizeof(int));
}

int scan_main(int argc, char **argv, struct step step, struct scan_step how)
{
    struct problem problem = {.how = how};
    const struct option_row rows[] = {
        {.name = "kind",
         .value = &problem.kind,
         .max = how.ints ? KINDS - 1 : 0,
         .help = "0: ints, each sum without its own number, 1: with it; 2 and 3: floats"},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = how.usual ? how.usual : SCAN_N,
                             .modelled = SCAN_EMULATED_N,
                             .max = OPTIONS_MAX_N},
                    .rows = rows,
                    .row_count = sizeof(rows) / sizeof(rows[0])},
        .sizes = awkward_sizes,
        .size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .each = &rows[0],
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}
