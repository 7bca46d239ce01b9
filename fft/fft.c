#include "fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LENGTHS = 20, MODELLED_MAX_N = 65536, BATCHES = 4, BATCH_OF_BYTES = -1 };

/* What the signals are. Impulses and tones are at another point in each signal. */
static const char *const inputs[] = {"random", "impulses", "constant", "tones"};
enum input { RANDOM, IMPULSES, CONSTANT, TONES, INPUTS };

/* A step and what the command line said. */
struct problem {
    struct step step;
    fft_function *gpu;
    struct fft_step how;
    int64_t batch, inverse, back;
    int64_t batch_case; /* --all-sizes: which of BATCHES batches */
    bool all_sizes;
    enum input input;
};

static bool takes(const struct fft_step *how, int64_t n)
{
    return n >= how->min && n <= how->max && (n & (n - 1)) == 0;
}

static int64_t batch_of(const struct problem *problem, const struct session *session)
{
    const int n = (int)session->options.n;
    const bool small = session->device.modelled && session->options.check;
    const int bytes = small ? FFT_MODELLED_BYTES : FFT_BYTES;

    if (problem->all_sizes) {
        const int wave = problem->how.wave ? problem->how.wave(n) : 1;
        const int batches[BATCHES] = {0, 1, 3, wave + 1};

        return batches[problem->batch_case];
    }
    if (problem->batch != BATCH_OF_BYTES)
        return problem->batch;
    return bytes / (n * (int)sizeof(float2)) > 0 ? bytes / (n * (int)sizeof(float2)) : 1;
}

static bool is_interleaved(const struct fft_step *how)
{
    return how->interleaved || (how->choose_interleaved && *how->choose_interleaved);
}

/* Point j of signal s. */
static float2 point(enum input input, int n, int s, int j, struct rng *rng,
                    const struct fft_point *roots)
{
    const int at = s % n;
    struct fft_point root;

    switch (input) {
    case IMPULSES:
        return j == at ? (float2){1, -0.5f} : (float2){0, 0};
    case CONSTANT:
        return (float2){0.75f, 0.25f};
    case TONES: /* its transform is n at point `at` and 0 elsewhere */
        root = roots[(int64_t)j * at % n];
        return (float2){(float)root.x, (float)-root.y};
    default:
        return (float2){2 * rng_float(rng) - 1, 2 * rng_float(rng) - 1};
    }
}

static struct fft_host new_host(const struct problem *problem, const struct session *session)
{
    const int n = (int)session->options.n, batch = (int)batch_of(problem, session);
    const size_t count = (size_t)n * (size_t)batch;
    float2 *in = memory_host(count * sizeof(float2)), *out = memory_host(count * sizeof(float2));
    struct fft_host host = {
        .p = {.n = n, .batch = batch, .inverse = problem->inverse != 0, .in = in, .out = out},
        .interleaved = is_interleaved(&problem->how),
        .root_error = problem->how.root_error ? problem->how.root_error() : 0};
    struct fft_point *roots = fft_reference_roots(n);
    struct rng rng = rng_seed((uint64_t)session->options.seed);

    for (int s = 0; s < batch; s++)
        for (int j = 0; j < n; j++)
            in[host.interleaved ? (size_t)j * (size_t)batch + (size_t)s
                                : (size_t)s * (size_t)n + (size_t)j] =
                point(problem->input, n, s, j, &rng, roots);
    free(roots);
    return host;
}

/* Transform what is in the host's `in` into its `out`. */
static void compute(const struct problem *problem, struct fft_host *host, struct run *run)
{
    struct fft p = host->p;
    const size_t count = (size_t)p.n * (size_t)p.batch;
    float2 *in = device_input(float2, p.in, count);

    p.in = in;
    p.out = device_output(float2, run, count);
    problem->gpu(&p, run);
    device_fetch(float2, host->p.out, p.out, count);
    device_free(run, in);
    device_free(run, p.out);
}

/* With --back 1: once more in the other direction, from the result divided by n. That must be the
 * input again. */
static void go_back(const struct problem *problem, const struct fft_host *host,
                    const struct run *run, struct verdict *verdict)
{
    const size_t count = (size_t)host->p.n * (size_t)host->p.batch;
    float2 *middle = memory_host(count * sizeof(float2));
    struct fft_host back = *host;
    struct run once = *run;
    double error = 0, size = 0;

    for (size_t i = 0; i < count; i++)
        middle[i] =
            (float2){host->p.out[i].x / (float)host->p.n, host->p.out[i].y / (float)host->p.n};
    back.p.inverse = !host->p.inverse;
    back.p.in = middle;
    back.p.out = memory_host(count * sizeof(float2));
    once.ms = memory_host(sizeof(float));
    once.warmups = once.done = once.warmed = once.output_count = 0;
    once.runs = 1;
    compute(problem, &back, &once);
    for (size_t i = 0; i < count; i++) {
        const float2 was = host->p.in[i], is = back.p.out[i];
        const double x = (double)is.x - (double)was.x, y = (double)is.y - (double)was.y;

        error += x * x + y * y;
        size += (double)was.x * (double)was.x + (double)was.y * (double)was.y;
    }
    error = error == 0 ? 0 : sqrt(error / size);
    if (verdict->match && !(error <= 2 * fft_bound(host->p.n, host->root_error))) {
        verdict->match = false;
        verdict->error = error;
        snprintf(verdict->why, sizeof(verdict->why),
                 "transformed back, the result is not the input");
    }
    free(once.ms);
    free(back.p.out);
    free(middle);
}

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *own_fields(const struct fft_host *host, bool checked, double l2, double peak)
{
    const struct fft *p = &host->p;
    char digest[COMPARE_DIGEST_SIZE];

    if (checked)
        compare_digest(p->out, (size_t)p->n * (size_t)p->batch * sizeof(float2), digest);
    return json_pack("{s:i, s:b, s:b, s:o, s:o, s:s?}", "batch", p->batch, "inverse", p->inverse,
                     "interleaved", host->interleaved, "l2_error", real(l2), "max_error",
                     real(peak), "digest", checked ? digest : NULL);
}

static struct measurement measure(void *self, const struct session *session)
{
    const struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    struct fft_host host = new_host(problem, session);
    const double count = (double)host.p.n * host.p.batch;
    const bool check = session->options.check;
    double l2 = NAN, peak = NAN;

    if (host.p.batch > 0) /* a grid has at least one block */
        compute(problem, &host, &measurement.run);
    measurement.work =
        (struct work){.bytes = 2 * count * sizeof(float2), .flops = 5 * count * log2(host.p.n)};
    if (check)
        measurement.verdict = fft_check(&host, &l2, &peak);
    if (check && problem->back && host.p.batch > 0)
        go_back(problem, &host, &measurement.run, &measurement.verdict);
    measurement.own = own_fields(&host, check, l2, peak);
    free((void *)host.p.in);
    free(host.p.out);
    return measurement;
}

/* The lengths a step takes, in words. */
static void print_lengths(const struct fft_step *how, char text[48])
{
    if (how->min == how->max)
        snprintf(text, 48, "%d", how->min);
    else
        snprintf(text, 48, "powers of two from %d to %d", how->min, how->max);
}

static int look(void *self, struct options *options)
{
    struct problem *problem = self;
    char lengths[48];

    problem->all_sizes = options->all_sizes;
    if (options->all_sizes)
        return -1;
    print_lengths(&problem->how, lengths);
    if (!takes(&problem->how, options->n))
        return options_refuse("--n %lld: %s takes signals of %s points", (long long)options->n,
                              problem->step.name, lengths);
    if (problem->batch != BATCH_OF_BYTES && options->n * problem->batch > FFT_MAX_POINTS)
        return options_refuse("--batch %lld: too large. allowed are 2^30 points, %lld signals",
                              (long long)problem->batch, (long long)(FFT_MAX_POINTS / options->n));
    return -1;
}

static int refuse(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const size_t count = (size_t)session->options.n * (size_t)batch_of(problem, session);

    if (problem->how.gpu_only && session->device.modelled) {
        check_say("needs a GPU: %s lacks what its kernel uses", session->device.name);
        return EXIT_SKIP;
    }
    return memory_refuse(&session->device, 3 * count * sizeof(float2));
}

static int take_input(void *input, char *const *values)
{
    for (enum input i = RANDOM; i < INPUTS; i++)
        if (!strcmp(values[0], inputs[i])) {
            *(enum input *)input = i;
            return -1;
        }
    return options_refuse("--input '%s': allowed are random, impulses, constant, tones", values[0]);
}

int fft_main(int argc, char **argv, struct step step, fft_function *gpu, struct fft_step how)
{
    struct problem problem = {.step = step, .gpu = gpu, .how = how, .batch = BATCH_OF_BYTES};
    struct option_row rows[3 + FFT_OPTIONS] = {
        {.name = "batch",
         .value = &problem.batch,
         .max = FFT_MAX_POINTS,
         .help = "signals",
         .unset = "64 MB of them"},
        {.name = "inverse",
         .value = &problem.inverse,
         .max = 1,
         .help = "1: the inverse transform"},
        {.name = "back",
         .value = &problem.back,
         .max = 1,
         .help = "1: also transform back and compare with the input"},
    };
    const struct option_text text = {
        "input", 1, "KIND", "random, impulses, constant or tones", take_input, &problem.input};
    const struct option_row each = {.value = &problem.batch_case, .max = BATCHES - 1};
    int lengths[MAX_LENGTHS];
    struct chapter chapter = {
        .options = {.size = {.usual = how.usual ? how.usual : how.min,
                             .max = OPTIONS_MAX_N,
                             .help = "points of a signal"},
                    .rows = rows,
                    .row_count = sizeof(rows) / sizeof(rows[0]),
                    .texts = &text,
                    .text_count = 1},
        .sizes = lengths,
        .each = &each,
        .look = look,
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    for (int n = how.min; n <= how.max; n *= 2) {
        lengths[chapter.size_count++] = n;
        chapter.modelled_count += n <= MODELLED_MAX_N || n == how.min;
    }
    memcpy(rows + 3, how.options, sizeof(how.options));
    return chapter_run(argc, argv, step, &chapter);
}
