#include "reduction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, a block and two blocks, a million and
 * a bit, which is no multiple of anything, and the source's own, which a model is spared. */
static const int awkward_sizes[] = {0,   1,   31,   32,   33,      255,
                                    256, 257, 1023, 1025, 1000003, REDUCTION_N};

/* The numbers to add up, and how. */
struct problem {
    float *a;
    int n;
    enum reduction_input input;
    struct reduction_launch launch;
};

/* What all sizes and launches of one program share. */
struct context {
    struct step step;
    reduction_function *gpu;
    struct options options;
    struct device device;
};

/* What one launch gave. */
struct measurement {
    struct run run;
    struct verdict verdict;
    json_t *own; /* the chapter's fields of the report */
};

static void generate(struct problem *problem, uint64_t seed)
{
    struct rng rng = rng_seed(seed);

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

static unsigned count_blocks(const struct reduction_launch *launch, int n)
{
    if (launch->map == MAP_ONE)
        return 1;
    if (launch->block_elements == 0)
        return launch->blocks;
    return n == 0 ? 1 : ((unsigned)n + launch->block_elements - 1) / launch->block_elements;
}

/* Which of `blocks` sums element i belongs to; there is but one with MAP_ONE. */
static unsigned block_of(const struct reduction_launch *launch, unsigned i, unsigned blocks)
{
    if (launch->map == MAP_STRIDES)
        return i / launch->threads % blocks;
    return launch->block_elements ? i / launch->block_elements : 0;
}

/* A bound on how often one element is added to something: in its thread, then in a tree over at
 * most 2^10 threads. */
static int64_t longest_chain(const struct problem *problem, unsigned blocks)
{
    const struct reduction_launch *launch = &problem->launch;

    if (launch->map == MAP_ONE)
        return (int)launch->chain < problem->n ? (int)launch->chain : problem->n;
    return problem->n / ((int64_t)blocks * launch->threads) + 1 + 10;
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
static struct measurement measure(const struct context *context, const struct problem *problem)
{
    const unsigned blocks = count_blocks(&problem->launch, problem->n);
    double *references = memory_host(blocks * sizeof(double));
    double *tolerances = memory_host(blocks * sizeof(double));
    float *sums = memory_host(blocks * sizeof(float));
    struct measurement measurement = {.run = run_new(&context->options, &context->device)};
    struct run *run = &measurement.run;
    char digest[COMPARE_DIGEST_SIZE];

    if (problem->launch.map != MAP_ONE)
        run->blocks = blocks;
    run->threads = problem->launch.threads;
    run->elements = problem->launch.elements;
    memset(sums, MEMORY_POISON, blocks * sizeof(float));
    context->gpu(problem->a, problem->n, run, sums);
    reference_sums(problem, blocks, references, tolerances);
    measurement.verdict = compare(sums, references, tolerances, blocks);
    compare_digest(sums, blocks * sizeof(float), digest);
    measurement.own = json_pack("{s:i, s:i, s:s}", "input", (int)problem->input, "sums",
                                (int)blocks, "digest", digest);
    if (run->elements)
        json_object_set_new(measurement.own, "elements", json_integer(run->elements));
    if (problem->launch.wrong)
        json_object_set_new(measurement.own, "wrong", json_string(problem->launch.wrong));
    free(references);
    free(tolerances);
    free(sums);
    return measurement;
}

/* Print a measurement and free it. Returns the exit code. */
static int tell(const struct context *context, const struct problem *problem,
                struct measurement measurement)
{
    const struct work work = {.bytes = (double)problem->n * sizeof(float)};
    const int code = report(&context->step, &context->options, &context->device, &measurement.run,
                            problem->n, work, &measurement.verdict, measurement.own);

    run_free(&measurement.run);
    return code;
}

/* One size and input. Returns the exit code. */
static int reduction_size(const struct context *context, struct problem *problem)
{
    int code;

    generate(problem, (uint64_t)context->options.seed);
    code = tell(context, problem, measure(context, problem));
    free(problem->a);
    return code;
}

/* Every awkward size with every input, each run once. Returns the worst exit code. */
static int reduction_all_sizes(struct context *context, struct problem *problem)
{
    const int count = (int)(sizeof(awkward_sizes) / sizeof(awkward_sizes[0]));
    int worst = EXIT_MATCH;

    if (context->options.runs == OPTIONS_RUNS_UNSET)
        context->options.runs = 1;
    for (int i = 0; i < count - context->device.modelled; i++) {
        for (int input = 0; input < INPUT_COUNT; input++) {
            int code;

            problem->n = awkward_sizes[i];
            problem->input = (enum reduction_input)input;
            code = reduction_size(context, problem);
            if (code > worst)
                worst = code;
        }
    }
    return worst;
}

/* Every grid and every number of elements a thread that the step offers. With text, a table on the
 * way; then the report of the fastest, which in JSON holds all of them. One that is wrong ends the
 * sweep: its report is the last. Returns the exit code. */
static int reduction_sweep(const struct context *context, struct problem *problem)
{
    const struct reduction_launch limits = problem->launch;
    json_t *trials = json_array();
    struct measurement best = {.own = NULL};
    double best_ms = INFINITY;
    bool right = true;
    int code;

    generate(problem, (uint64_t)context->options.seed);
    if (!context->options.json)
        printf("  blocks  elements         ms\n");
    for (unsigned blocks = limits.min_blocks; right && blocks <= limits.max_blocks; blocks *= 2) {
        for (unsigned elements = 1; right && elements <= limits.max_elements; elements *= 2) {
            struct measurement trial;
            double ms;

            problem->launch.blocks = blocks;
            problem->launch.elements = elements;
            trial = measure(context, problem);
            ms = run_times(&trial.run).median;
            right = trial.verdict.match && !trial.run.overrun;
            json_array_append_new(trials, json_pack("{s:i, s:i, s:f}", "blocks", (int)blocks,
                                                    "elements", (int)elements, "ms", ms));
            if (!context->options.json)
                printf("%8u  %8u  %9.4f\n", blocks, elements, ms);
            if (ms < best_ms || !right) {
                if (best.own) {
                    json_decref(best.own);
                    run_free(&best.run);
                }
                best_ms = ms;
                best = trial;
            } else {
                json_decref(trial.own);
                run_free(&trial.run);
            }
        }
    }
    if (context->options.json)
        json_object_set(best.own, "sweep", trials);
    json_decref(trials);
    code = tell(context, problem, best);
    free(problem->a);
    return code;
}

int reduction_main(int argc, char **argv, struct step step, reduction_function *gpu,
                   struct reduction_launch launch)
{
    int64_t input = INPUT_DIGITS, threads = launch.threads, blocks = launch.blocks;
    int64_t elements = launch.elements, sweep = 0;
    struct context context = {.step = step, .gpu = gpu, .options = options_default(REDUCTION_N)};
    struct problem problem;
    struct option_row own[5] = {
        {.name = "input",
         .value = &input,
         .min = 0,
         .max = INPUT_COUNT - 1,
         .help = "0: integers 0 to 99, 1: integers -99 to 99, 2: floats between -1 and 1"},
    };
    size_t count = 1;
    int code;

    if (launch.max_threads > launch.threads)
        own[count++] = (struct option_row){.name = "threads",
                                           .value = &threads,
                                           .min = 32,
                                           .max = launch.max_threads,
                                           .help = "threads in a block",
                                           .power_of_two = true};
    if (launch.max_blocks > launch.blocks)
        own[count++] = (struct option_row){.name = "blocks",
                                           .value = &blocks,
                                           .min = launch.min_blocks,
                                           .max = launch.max_blocks,
                                           .help = "blocks in the grid",
                                           .power_of_two = true};
    if (launch.max_elements > launch.elements) {
        own[count++] = (struct option_row){.name = "elements",
                                           .value = &elements,
                                           .min = 1,
                                           .max = launch.max_elements,
                                           .help = "numbers a thread takes on each stride",
                                           .power_of_two = true};
        own[count++] = (struct option_row){.name = "sweep",
                                           .value = &sweep,
                                           .min = 0,
                                           .max = 1,
                                           .help = "1: time every grid and number of elements"};
    }
    context.options.n_modelled = REDUCTION_EMULATED_N;
    code = options_parse(argc, argv, &context.options, 0, OPTIONS_MAX_N, NULL, own, count);
    if (code >= 0)
        return code;
    if (sweep && context.options.all_sizes)
        return options_refuse("--sweep does not go with --all-sizes");
    if (launch.block_elements) /* as many a thread as before */
        launch.block_elements = launch.block_elements / launch.threads * (unsigned)threads;
    launch.threads = (unsigned)threads;
    launch.blocks = (unsigned)blocks;
    launch.elements = (unsigned)elements;

    code = InitCUDA((int)context.options.device, step.minimum, &context.device);
    if (code)
        return code;
    if (context.device.modelled && !context.options.n_given)
        context.options.n = REDUCTION_EMULATED_N;
    problem = (struct problem){
        .n = (int)context.options.n, .input = (enum reduction_input)input, .launch = launch};
    if (context.options.all_sizes) {
        code = reduction_all_sizes(&context, &problem);
    } else {
        code = memory_refuse(&context.device, (size_t)context.options.n * sizeof(float));
        if (code >= 0)
            return code;
        code = sweep ? reduction_sweep(&context, &problem) : reduction_size(&context, &problem);
    }
    if (launch.wrong && code <= EXIT_MISMATCH) {
        fprintf(stderr, "%s: wrong on purpose, whatever this run says: %s\n", step.name,
                launch.wrong);
        return EXIT_MATCH;
    }
    return code;
}
