#include "hardware.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The profiler's switch, whose header not every toolkit comes with. Each call begins a range: what
 * was counted is told apart by variant. */
cudaError_t cudaProfilerStart(void);

/* How half the rate of a copy is found: so many tries at each size, from so many bytes on. */
enum { TRIES = 5, LEAST = 1 << 10 };

/* Sizes where kernels go wrong: one, around a warp and a block, a prime, more than one block. A
 * model has the first ones. */
static const int awkward_sizes[] = {1, 31, 257, 1023, 2003, 33, 255, 1025};
enum { MODELLED_SIZES = 5 };

/* A program and what the command line said. */
struct laboratory {
    const struct experiment *experiment;
    struct chapter_variants variants;
    bool failed; /* some variant was wrong */
    int *host, *in, inputs; /* the input on host and device, as long as no variant wants another */
};

static const struct variant *variant_now(const struct laboratory *laboratory)
{
    return &laboratory->experiment->variants[laboratory->variants.now];
}

static void free_input(struct laboratory *laboratory)
{
    free(laboratory->host);
    CHECK(cudaFree(laboratory->in));
    laboratory->host = laboratory->in = NULL;
}

/* Have `count` seeded numbers on the host and on the device. */
static void make_input(struct laboratory *laboratory, int count, uint64_t seed)
{
    struct rng rng = rng_seed(seed);

    if (laboratory->host && laboratory->inputs == count)
        return;
    free_input(laboratory);
    laboratory->inputs = count;
    laboratory->host = memory_host((size_t)count * sizeof(int));
    for (int i = 0; i < count; i++)
        laboratory->host[i] = (int)rng_below(&rng, HARDWARE_BELOW);
    laboratory->in = device_input(int, laboratory->host, count);
}

/* --- Comparison ------------------------------------------------------------------------------- */

static struct verdict compare_ints(const struct experiment *experiment, const struct trial *trial,
                                   const int *out)
{
    int *wanted = memory_host((size_t)trial->outputs * sizeof(int));
    int64_t sum = 0;
    struct verdict verdict;

    experiment->cpu(trial, wanted);
    for (int i = 0; i < trial->outputs; i++) {
        if (out[i] != wanted[i]) {
            verdict = compare_integer(out[i], wanted[i]);
            snprintf(verdict.why, sizeof(verdict.why), "%s: out[%d] is %d and should be %d%s",
                     trial->variant->name, i, out[i], wanted[i],
                     out[i] == -1 ? ": nobody wrote it" : "");
            free(wanted);
            return verdict;
        }
        sum += wanted[i];
    }
    free(wanted);
    return compare_integer(sum, sum);
}

/* In units of the last place of the float next to the right answer. */
static double largest_error(const float *out, const double *wanted, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        const float right = fabsf((float)wanted[i]);
        const double error = fabs(out[i] - wanted[i]) / (nextafterf(right, INFINITY) - right);

        most = error > most ? error : most;
    }
    return most;
}

static struct verdict compare_numbers(const struct experiment *experiment, struct trial *trial,
                                      const int *out)
{
    const size_t count = (size_t)trial->outputs;
    double *wanted = memory_host(count * sizeof(double));
    double *tolerance = memory_host(count * sizeof(double));
    struct verdict verdict;

    experiment->cpu_float(trial, wanted, tolerance);
    if (experiment->ulps)
        trial->figure = largest_error((const float *)out, wanted, count);
    verdict = compare_floats((const float *)out, wanted, tolerance, count);
    free(wanted);
    free(tolerance);
    return verdict;
}

static struct verdict compare(const struct experiment *experiment, struct trial *trial,
                              const int *out)
{
    if (experiment->cpu_float && (!experiment->cpu || trial->variant->other))
        return compare_numbers(experiment, trial, out);
    return experiment->cpu ? compare_ints(experiment, trial, out) : trial->verdict;
}

/* --- One variant ------------------------------------------------------------------------------ */

static int threads_of_device(const struct device *device)
{
    int threads;

    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device->index));
    return threads * device->multiprocessors;
}

double hardware_clocks(const struct trial *trial, const long long *d_clocks, unsigned blocks)
{
    long long *clocks = memory_host(blocks * sizeof(*clocks));
    struct run *run = trial->run;

    device_fetch(long long, clocks, d_clocks, blocks);
    run->cycles = 0;
    for (unsigned b = 0; b < blocks; b++)
        run->cycles = clocks[b] > run->cycles ? clocks[b] : run->cycles;
    free(clocks);
    if (trial->device->modelled)
        return run_times(run).median * 1e-3 * trial->device->clock_hz;
    if (blocks * run->threads > (unsigned)threads_of_device(trial->device))
        return NAN;
    return (double)run->cycles;
}

/* The rate of `copy`, in bytes a second, at best of a few times. */
static double copy_rate(const struct trial *trial, hardware_copy *copy, void *context, size_t bytes)
{
    const struct run *run = trial->run;
    float best = INFINITY, ms;

    for (int i = 0; i < TRIES; i++) {
        CHECK(cudaEventRecord(run->begin, NULL));
        copy(context, bytes);
        CHECK(cudaEventRecord(run->end, NULL));
        CHECK(cudaEventSynchronize(run->end));
        CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
        best = ms < best ? ms : best;
    }
    return bytes / (best * 1e-3);
}

double hardware_half_size(const struct trial *trial, hardware_copy *copy, void *context,
                          size_t bytes)
{
    const double half = copy_rate(trial, copy, context, bytes) / 2;
    size_t size = LEAST;

    while (size < bytes && copy_rate(trial, copy, context, size) < half)
        size *= 2;
    return size / 1024.0;
}

int hardware_attribute(const struct trial *trial, int which)
{
    int value;

    CHECK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)which, trial->device->index));
    return value;
}

struct cudaDeviceProp hardware_properties(const struct trial *trial)
{
    struct cudaDeviceProp properties;

    CHECK(cudaGetDeviceProperties(&properties, trial->device->index));
    return properties;
}

static json_t *counters_of(const struct experiment *experiment)
{
    json_t *counters = json_array();

    for (int i = 0; i < HARDWARE_COUNTERS && experiment->counters[i].name; i++) {
        const struct hardware_counter *counter = &experiment->counters[i];

        json_array_append_new(counters, json_pack("{s:s, s:s, s:s?}", "name", counter->name, "over",
                                                  counter->over, "under", counter->under));
    }
    return counters;
}

/* `work` in a median run, in 10^9 a second; NaN where there is none. */
static double rate_of(const struct trial *trial)
{
    const double ms = run_times(trial->run).median;

    return trial->work > 0 && ms > 0 ? trial->work / ms * 1e-6 : NAN;
}

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *own_fields(const struct experiment *experiment, const struct trial *trial,
                          const int *out)
{
    const struct variant *variant = trial->variant;
    char digest[COMPARE_DIGEST_SIZE];

    compare_digest(out, (size_t)trial->outputs * sizeof(int), digest);
    return json_pack("{s:s, s:s, s:s?, s:o, s:s?, s:s?, s:o, s:o, s:s}", "variant", variant->name,
                     "what", variant->what, "source", variant->source, "rate",
                     number_or_null(rate_of(trial)), "unit", experiment->unit, "figure_name",
                     experiment->figure, "figure",
                     *trial->text ? json_string(trial->text) : number_or_null(trial->figure),
                     "counters", counters_of(experiment), "digest", digest);
}

/* The rate's share of a peak is known where it counts what the problem needs. */
static struct work work_of(const struct experiment *experiment, const struct trial *trial)
{
    struct work work = {0};

    if (experiment->unit && !strcmp(experiment->unit, "GB/s") && !experiment->over_bus)
        work.bytes = trial->work;
    if (experiment->unit && !strcmp(experiment->unit, "GFLOP/s"))
        work.flops = trial->work;
    return work;
}

/* Has it an answer to compare results with, and so results? */
static bool has_results(const struct experiment *experiment)
{
    return experiment->cpu || experiment->cpu_float;
}

static size_t inputs_of(const struct experiment *experiment, int64_t n)
{
    if (!has_results(experiment))
        return 0;
    if (!experiment->inputs_each && !experiment->inputs_more)
        return (size_t)n;
    return (size_t)experiment->inputs_each * (size_t)n + (size_t)experiment->inputs_more;
}

static size_t outputs_of(const struct experiment *experiment, const struct trial *trial)
{
    if (!has_results(experiment))
        return 0;
    return experiment->outputs ? (size_t)experiment->outputs(trial) : (size_t)trial->n;
}

static struct measurement measure(void *self, const struct session *session)
{
    struct laboratory *laboratory = self;
    const struct experiment *experiment = laboratory->experiment;
    struct measurement measurement = measurement_new(session);
    struct trial trial = {.variant = variant_now(laboratory),
                          .device = &session->device,
                          .run = &measurement.run,
                          .figure = NAN};
    int *out;

    if (experiment->fills_device && !session->options.n_given && !session->options.all_sizes)
        measurement.n = threads_of_device(&session->device);
    trial.n = (int)measurement.n;
    trial.inputs = (int)inputs_of(experiment, trial.n);
    trial.outputs = (int)outputs_of(experiment, &trial);
    make_input(laboratory, trial.inputs, (uint64_t)session->options.seed);
    trial.host = laboratory->host;
    trial.in = laboratory->in;
    trial.out = device_output(int, trial.run, trial.outputs);
    out = memory_host((size_t)trial.outputs * sizeof(int));
    CHECK(cudaProfilerStart());
    trial.variant->gpu(&trial);
    device_fetch(int, out, trial.out, trial.outputs);
    device_free(trial.run, trial.out);
    measurement.work = work_of(experiment, &trial);
    measurement.verdict = compare(experiment, &trial, out);
    measurement.own = own_fields(experiment, &trial, out);
    if (laboratory->variants.now == laboratory->variants.end - 1)
        free_input(laboratory);
    free(out);
    return measurement;
}

/* --- The table -------------------------------------------------------------------------------- */

enum { RATE_WIDTH = 18, FIGURE_WIDTH = 16 };

static const char *text_at(const struct measurement *measurement, const char *key)
{
    const char *text = json_string_value(json_object_get(measurement->own, key));

    return text ? text : "";
}

static void print_head(const struct experiment *experiment, const struct session *session,
                       int64_t n)
{
    printf("%s %s: %s\n", session->step.chapter, session->step.name, session->step.title);
    report_device_line(&session->device);
    if (experiment->listing)
        return;
    if (!experiment->no_size)
        printf("  n = %lld\n", (long long)n);
    puts(session->device.modelled ? "  times from its model\n" : "");
    printf("  %-16s %12s", "variant", "time");
    if (experiment->unit)
        printf(" %*s", RATE_WIDTH, "rate");
    if (experiment->figure)
        printf(" %*s", FIGURE_WIDTH, experiment->figure);
    printf("  %s\n", "in the article");
}

static void print_figure(const struct measurement *measurement)
{
    const json_t *figure = json_object_get(measurement->own, "figure");

    if (json_is_number(figure))
        printf(" %*.4g", FIGURE_WIDTH, json_number_value(figure));
    else
        printf(" %*s", FIGURE_WIDTH, text_at(measurement, "figure"));
}

static void print_row(const struct experiment *experiment, const struct measurement *measurement)
{
    const json_t *rate = json_object_get(measurement->own, "rate");

    printf("  %-16s", text_at(measurement, "variant"));
    if (measurement->run.done)
        printf(" %9.4g ms", run_times(&measurement->run).median);
    else
        printf(" %12s", "-");
    if (experiment->unit)
        printf(" %*.4g %s", RATE_WIDTH - 1 - (int)strlen(experiment->unit), json_number_value(rate),
               experiment->unit);
    if (experiment->figure)
        print_figure(measurement);
    printf("  %s\n", text_at(measurement, "source"));
}

static void print_line(const struct measurement *measurement)
{
    printf("  %-46s %s\n", text_at(measurement, "what"), text_at(measurement, "figure"));
}

/* A row of the table, below its head, or an object. */
static int show(void *self, const struct session *session, const struct measurement *measurement)
{
    struct laboratory *laboratory = self;
    const struct verdict verdict = report_verdict(measurement);

    if (session->options.json)
        return report(session, measurement);
    if (laboratory->variants.now == laboratory->variants.first)
        print_head(laboratory->experiment, session, measurement->n);
    if (laboratory->experiment->listing)
        print_line(measurement);
    else
        print_row(laboratory->experiment, measurement);
    const bool wrong = !verdict.match && !verdict.unchecked;

    if (wrong)
        printf("  MISMATCH: result %s, reference %s: %s\n", verdict.result, verdict.reference,
               verdict.why);
    laboratory->failed = laboratory->failed || wrong;
    if (laboratory->experiment->listing && !verdict.unchecked &&
        laboratory->variants.now == laboratory->variants.end - 1)
        printf("Test %s\n", laboratory->failed ? "FAILED" : "PASSED");
    return report_delivered() || wrong ? EXIT_MISMATCH : EXIT_MATCH;
}

/* --- The program ------------------------------------------------------------------------------ */

static int refuse(void *self, const struct session *session)
{
    const struct laboratory *laboratory = self;
    const struct experiment *experiment = laboratory->experiment;
    struct trial trial = {.variant = variant_now(laboratory),
                          .device = &session->device,
                          .n = (int)session->options.n};

    return memory_refuse(&session->device,
                         (inputs_of(experiment, trial.n) + 3 * outputs_of(experiment, &trial)) *
                             sizeof(int));
}

static int take_variant(void *self, char *const *values)
{
    struct laboratory *laboratory = self;
    const struct experiment *experiment = laboratory->experiment;

    for (int i = 0; i < experiment->variant_count; i++) {
        if (!strcmp(values[0], experiment->variants[i].name)) {
            laboratory->variants.first = i;
            laboratory->variants.end = i + 1;
            return -1;
        }
    }
    return options_refuse("--variant '%s': there are %s to %s; without it all run", values[0],
                          experiment->variants[0].name,
                          experiment->variants[experiment->variant_count - 1].name);
}

int hardware_main(int argc, char **argv, struct step step, const struct experiment *experiment)
{
    struct laboratory laboratory = {.experiment = experiment,
                                    .variants = {.end = experiment->variant_count}};
    const struct option_text variant = {
        "variant", 1, "NAME", "measure only this row of the table", take_variant, &laboratory};
    const struct option_size usual = {
        .usual = HARDWARE_N, .modelled = HARDWARE_MODELLED_N, .min = 1, .max = 1 << 28};
    const struct chapter chapter = {
        .options = {.size = experiment->size.max || experiment->no_size ? experiment->size : usual,
                    .texts = &variant,
                    .text_count = 1},
        .sizes = awkward_sizes,
        .size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .modelled_count = MODELLED_SIZES,
        .variants = &laboratory.variants,
        .refuse = refuse,
        .measure = measure,
        .report = show,
        .self = &laboratory,
    };

    return chapter_run(argc, argv, step, &chapter);
}
