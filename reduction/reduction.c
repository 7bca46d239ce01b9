#include "reduction.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, with every rest that loads of four
 * leave, a block and two blocks, a million and a bit, which is no multiple of anything, and
 * the source's own, which a model is spared. */
static const int awkward_sizes[] = {0,   1,   31,   32,   33,      34,         255,
                                    256, 257, 1023, 1025, 1000003, REDUCTION_N};
enum { SIZES = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]) };

/* The numbers to add up, and how. */
struct problem {
    reduction_function *gpu;
    struct reduction_launch launch;
    int64_t thread_elements; /* a thread adds up, whatever --threads; 0: the step chooses */
    int64_t input, sweep; /* options */
    float *a;
    int n;
};

static void generate(struct problem *problem, const struct options *options)
{
    struct rng rng = rng_seed((uint64_t)options->seed);

    problem->n = (int)options->n;
    problem->a = memory_host((size_t)problem->n * sizeof(float));
    for (int i = 0; i < problem->n; i++) {
        if (problem->input == INPUT_DIGITS)
            problem->a[i] = (float)rng_below(&rng, 100);
        else if (problem->input == INPUT_SIGNED)
            problem->a[i] = (float)rng_below(&rng, 199) - 99;
        else
            problem->a[i] = 2 * rng_float(&rng) - 1;
    }
}

/* The blocks of a launch; 0 where the step chooses. */
static unsigned count_blocks(const struct reduction_launch *launch, int n)
{
    if (launch->block_elements == 0)
        return (unsigned)launch->blocks;
    return n == 0 ? 1 : (unsigned)((n + launch->block_elements - 1) / launch->block_elements);
}

/* Which of `blocks` sums element i belongs to; there is but one with MAP_ONE. */
static unsigned block_of(const struct reduction_launch *launch, unsigned i, unsigned blocks)
{
    if (launch->map == MAP_STRIDES)
        return i / (unsigned)launch->threads % blocks;
    return launch->block_elements ? i / (unsigned)launch->block_elements : 0;
}

/* A bound on how often one element is added to something: in its thread, then in a tree over at
 * most 2^10 threads. */
static int64_t longest_chain(const struct problem *problem, unsigned blocks)
{
    const struct reduction_launch *launch = &problem->launch;

    if (launch->map == MAP_ONE)
        return launch->chain < problem->n ? launch->chain : problem->n;
    return problem->n / (blocks * launch->threads) + 1 + 10;
}

/* The CPU's sum of every block, and how far off a float sum may be: nothing where every partial sum
 * is an integer that a float holds, else the bound of compare_sum_tolerance() for its chain. */
static void reference_sums(const struct problem *problem, unsigned blocks, double *sums,
                           double *tolerances)
{
    const int64_t chain = longest_chain(problem, blocks);

    memset(sums, 0, blocks * sizeof(double));
    memset(tolerances, 0, blocks * sizeof(double));
    for (unsigned i = 0; i < (unsigned)problem->n; i++) {
        const unsigned block = block_of(&problem->launch, i, blocks);

        sums[block] += (double)problem->a[i];
        tolerances[block] += fabs((double)problem->a[i]);
    }
    for (unsigned block = 0; block < blocks; block++) {
        const bool whole = problem->input == INPUT_SIGNED ||
                           (problem->input == INPUT_DIGITS && tolerances[block] < 0x1p24);

        /* One more addition than `chain`: the reference rounds too, far less than that. */
        tolerances[block] = whole ? 0 : compare_sum_tolerance(chain + 2, tolerances[block]);
    }
}

/* Compare block by block; where all match, the verdict is about their total. */
static struct verdict compare(const float *sums, const double *references, const double *tolerances,
                              unsigned count)
{
    struct verdict verdict = compare_floats(sums, references, tolerances, count);
    double total = 0, reference = 0, tolerance = 0;

    if (!verdict.match)
        return verdict;
    for (unsigned i = 0; i < count; i++) {
        total += (double)sums[i];
        reference += references[i];
        tolerance += tolerances[i];
    }
    return compare_float(total, reference, tolerance);
}

/* Launch and compare. */
static struct measurement measure_launch(const struct problem *problem,
                                         const struct session *session)
{
    const struct reduction_launch *launch = &problem->launch;
    const unsigned asked = count_blocks(launch, problem->n);
    const size_t room = asked ? asked : launch->map == MAP_ONE ? 1 : (size_t)launch->max_blocks;
    double *references = memory_host(room * sizeof(double));
    double *tolerances = memory_host(room * sizeof(double));
    float *sums = memory_host(room * sizeof(float));
    struct measurement measurement = measurement_new(session);
    struct run *run = &measurement.run;
    char digest[COMPARE_DIGEST_SIZE] = "";
    unsigned blocks;

    run->blocks = asked;
    run->threads = (unsigned)launch->threads;
    memset(sums, MEMORY_POISON, room * sizeof(float));
    problem->gpu(problem->a, problem->n, run, sums);
    blocks = launch->map == MAP_ONE ? 1 : run->blocks;
    measurement.work.bytes = (double)problem->n * sizeof(float);
    if (session->options.check) {
        reference_sums(problem, blocks, references, tolerances);
        measurement.verdict = compare(sums, references, tolerances, blocks);
        compare_digest(sums, blocks * sizeof(float), digest);
    }
    measurement.own = json_pack("{s:i, s:i, s:s?}", "input", (int)problem->input, "sums",
                                (int)blocks, "digest", *digest ? digest : NULL);
    if (launch->wrong)
        json_object_set_new(measurement.own, "wrong", json_string(launch->wrong));
    free(references);
    free(tolerances);
    free(sums);
    return measurement;
}

/* A row of the sweep, into `trials` or, with text, onto stdout. */
static void add_trial(json_t *trials, const struct reduction_launch *launch, double ms, bool json)
{
    json_array_append_new(trials, json_pack("{s:I, s:f}", "blocks", launch->blocks, "ms", ms));
    if (!json)
        printf("%8" PRId64 "  %9.4f\n", launch->blocks, ms);
}

/* Every grid that the step offers. With text, a table on the way. Returns the fastest, which in
 * JSON holds all of them; one that is wrong ends the sweep, and is the one. */
static struct measurement measure_sweep(struct problem *problem, const struct session *session)
{
    struct reduction_launch *launch = &problem->launch;
    json_t *trials = json_array();
    struct measurement best = {.n = 0};
    double best_ms = INFINITY;
    bool right = true;

    if (!session->options.json)
        printf("  blocks         ms\n");
    for (launch->blocks = launch->min_blocks; right && launch->blocks <= launch->max_blocks;
         launch->blocks *= 2) {
        struct measurement trial = measure_launch(problem, session), slower = trial;
        const double ms = run_times(&trial.run).median;

        right = (trial.verdict.match || !session->options.check) && !trial.run.overrun;
        add_trial(trials, launch, ms, session->options.json);
        if (ms < best_ms || !right) {
            slower = best;
            best = trial;
            best_ms = ms;
        }
        if (slower.own)
            measurement_free(&slower);
    }
    if (session->options.json)
        json_object_set(best.own, "sweep", trials);
    json_decref(trials);
    return best;
}

static struct measurement measure(void *self, const struct session *session)
{
    struct problem *problem = self;
    struct measurement measurement;

    generate(problem, &session->options);
    measurement =
        problem->sweep ? measure_sweep(problem, session) : measure_launch(problem, session);
    free(problem->a);
    return measurement;
}

static int look(void *self, struct options *options)
{
    struct problem *problem = self;
    struct reduction_launch *launch = &problem->launch;

    if (problem->sweep && options->all_sizes)
        return options_refuse("--sweep does not go with --all-sizes");
    launch->block_elements = problem->thread_elements * launch->threads;
    return -1;
}

static int refuse(void *self, const struct session *session)
{
    (void)self;
    return memory_refuse(&session->device, (size_t)session->options.n * sizeof(float));
}

int reduction_main(int argc, char **argv, struct step step, reduction_function *gpu,
                   struct reduction_launch launch)
{
    struct problem problem = {.gpu = gpu, .launch = launch};
    const struct option_row rows[] = {
        {.name = "input",
         .value = &problem.input,
         .max = INPUT_COUNT - 1,
         .help = "0: integers 0 to 99, 1: integers -99 to 99, 2: floats between -1 and 1"},
        {.name = "threads",
         .value = &problem.launch.threads,
         .min = 32,
         .max = launch.max_threads,
         .help = "threads in a block",
         .power_of_two = true},
        {.name = "blocks",
         .value = &problem.launch.blocks,
         .min = launch.min_blocks,
         .max = launch.max_blocks,
         .help = "blocks in the grid",
         .power_of_two = true,
         .unset = "as many as the device holds at once"},
        {.name = "sweep",
         .value = &problem.sweep,
         .max = launch.max_blocks > 0,
         .help = "1: time every number of blocks"},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = REDUCTION_N,
                             .modelled = REDUCTION_EMULATED_N,
                             .max = OPTIONS_MAX_N},
                    .rows = rows,
                    .row_count = sizeof(rows) / sizeof(rows[0])},
        .sizes = awkward_sizes,
        .size_count = SIZES,
        .modelled_count = SIZES - 1,
        .each = &rows[0],
        .wrong = launch.wrong,
        .look = look,
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    if (launch.block_elements)
        problem.thread_elements = launch.block_elements / launch.threads;
    return chapter_run(argc, argv, step, &chapter);
}
