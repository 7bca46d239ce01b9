#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multiply_vector.h"

/* Nothing, one, fewer than there are GPUs, around a warp and a block, a prime. */
static const int awkward_sizes[] = {0, 1, 3, 31, 32, 33, 257, 1025, 16391, 131071};
enum { SQUARES = 7 }; /* of them, for matrices */
enum { PRODUCT_WHOLE = 256 }; /* rows of a product made as a whole; see compare_rows() */

struct problem {
    struct peers_step how;
    int64_t wanted; /* --devices; 0: all */
    int devices, n;
    size_t in_count, out_count; /* words of input and output */
    unsigned *in, *out, *reference; /* int, unsigned or float */
    long long sum, reference_sum;
};

static bool is_square(const struct problem *problem)
{
    return problem->how.heat || problem->how.product || problem->how.transpose;
}

/* How many vectors the devices have together. */
static int vectors(const struct problem *problem)
{
    if (!problem->how.all_reduce)
        return 1;
    return problem->how.ranks ? problem->how.ranks : problem->devices;
}

static void set_counts(struct problem *problem, int64_t n)
{
    const size_t words = (size_t)n * (is_square(problem) ? (size_t)n : 1);

    problem->n = (int)n;
    problem->in_count = words * (size_t)(problem->how.product ? 2 : vectors(problem));
    problem->out_count = problem->how.sum ? 0 : words * (size_t)vectors(problem);
}

static bool is_tested_by_rows(const struct problem *problem)
{
    return problem->how.product && problem->n > PRODUCT_WHOLE;
}

/* Whole numbers from -8 to 8 for a product, whose sums are then exact in any order. */
static void generate(struct problem *problem, uint64_t seed)
{
    struct rng rng = rng_seed(seed);
    float *floats;

    problem->in = memory_host(problem->in_count * sizeof(unsigned));
    problem->out = memory_host(problem->out_count * sizeof(unsigned));
    problem->reference =
        memory_host((is_tested_by_rows(problem) ? 0 : problem->out_count) * sizeof(unsigned));
    memset(problem->out, MEMORY_POISON, problem->out_count * sizeof(unsigned));
    floats = (float *)problem->in;
    for (size_t i = 0; i < problem->in_count; i++)
        if (problem->how.heat || problem->how.transpose)
            floats[i] = rng_float(&rng);
        else if (problem->how.product)
            floats[i] = (float)rng_below(&rng, 17) - 8;
        else
            problem->in[i] = (unsigned)rng_next(&rng);
}

/* --- The CPU's answer ------------------------------------------------------------------------- */

static void reference_all_reduce(struct problem *problem)
{
    const size_t n = (size_t)problem->n;

    memset(problem->reference, 0, problem->out_count * sizeof(unsigned));
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < problem->in_count / n; r++)
            problem->reference[i] += problem->in[r * n + i];
        for (size_t r = 1; r < problem->in_count / n; r++)
            problem->reference[r * n + i] = problem->reference[i];
    }
}

static void reference_heat(struct problem *problem)
{
    const size_t n = (size_t)problem->n, bytes = problem->in_count * sizeof(float);
    float *from = memory_host(bytes), *to = (float *)problem->reference;

    memcpy(to, problem->in, bytes);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        memcpy(from, to, bytes);
        for (size_t y = 1; y + 1 < n; y++)
            for (size_t x = 1; x + 1 < n; x++) {
                const float *cell = &from[y * n + x];
                to[y * n + x] = 0.25f * ((cell[-(long)n] + cell[n]) + (cell[-1] + cell[1]));
            }
    }
    free(from);
}

static void reference_product(struct problem *problem)
{
    const size_t n = (size_t)problem->n;
    const float *a = (float *)problem->in, *b = a + n * n;
    float *c = (float *)problem->reference;

    memset(c, 0, n * n * sizeof(float));
    for (size_t y = 0; y < n; y++)
        for (size_t k = 0; k < n; k++)
            for (size_t x = 0; x < n; x++)
                c[y * n + x] += a[y * n + k] * b[k * n + x];
}

static void reference_transpose(struct problem *problem)
{
    const size_t n = (size_t)problem->n;

    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++)
            problem->reference[x * n + y] = problem->in[y * n + x];
}

static void make_reference(struct problem *problem)
{
    if (problem->how.all_reduce)
        reference_all_reduce(problem);
    if (problem->how.heat)
        reference_heat(problem);
    if (problem->how.product && !is_tested_by_rows(problem))
        reference_product(problem);
    if (problem->how.transpose)
        reference_transpose(problem);
    problem->reference_sum = 0;
    for (size_t i = 0; i < problem->in_count && problem->how.sum; i++)
        problem->reference_sum += (int)problem->in[i];
}

static struct verdict compare_word(const struct problem *problem, size_t i)
{
    float result, reference;

    if (problem->how.all_reduce)
        return compare_integer(problem->out[i], problem->reference[i]);
    memcpy(&result, &problem->out[i], sizeof(result));
    memcpy(&reference, &problem->reference[i], sizeof(reference));
    return compare_float(result, reference, 0);
}

/* Freivalds' test, C x = A (B x) ("Probabilistic machines can use less running time", IFIP Congress
 * 1977): x has numbers below 2^16, so that a wrong row passes with a chance of 2^-16 at most, and
 * all sums are whole numbers below 2^53: exact. */
static struct verdict compare_rows(const struct problem *problem)
{
    const size_t n = (size_t)problem->n;
    const float *a = (float *)problem->in;
    double *x = memory_host(4 * n * sizeof(double)), *bx = x + n, *wanted = bx + n,
           *found = wanted + n;
    struct rng rng = rng_seed(n);
    struct verdict verdict = {.match = true};

    for (size_t i = 0; i < n; i++)
        x[i] = rng_below(&rng, 1 << 16);
    memset(bx, 0, 3 * n * sizeof(double));
    multiply_vector(a + n * n, n, n, n, 1, x, bx);
    multiply_vector(a, n, n, n, 1, bx, wanted);
    multiply_vector((float *)problem->out, n, n, n, 1, x, found);
    for (size_t i = 0; i < n && verdict.match; i++) {
        verdict = compare_float(found[i], wanted[i], 0);
        if (!verdict.match)
            snprintf(verdict.why, sizeof(verdict.why), "row %zu is not that of A B", i);
    }
    free(x);
    return verdict;
}

/* Every number is the CPU's, bit by bit, or the first that is not is named. */
static struct verdict compare(const struct problem *problem)
{
    const size_t n = (size_t)problem->n;
    const size_t begin = problem->how.ranks ? (size_t)problem->how.rank * n : 0;
    const size_t end = problem->how.ranks ? begin + n : problem->out_count;
    struct verdict verdict = compare_integer(problem->sum, problem->reference_sum);

    if (is_tested_by_rows(problem))
        return compare_rows(problem);
    for (size_t i = begin; i < end && verdict.match; i++) {
        verdict = compare_word(problem, i);
        if (!verdict.match)
            snprintf(verdict.why, sizeof(verdict.why), "number %zu differs", i);
    }
    return verdict;
}

/* --- The program ------------------------------------------------------------------------------ */

static void run_step(struct problem *problem, struct run *run)
{
    const struct peers_step *how = &problem->how;
    float *in = (float *)problem->in, *out = (float *)problem->out;
    const size_t square = (size_t)problem->n * (size_t)problem->n;

    problem->sum = 0;
    if (how->sum)
        problem->sum = how->sum((int *)problem->in, problem->n, problem->devices, run);
    else if (how->all_reduce)
        how->all_reduce(problem->in, problem->out, problem->n, problem->devices, run);
    else if (how->heat)
        how->heat(in, out, problem->n, problem->devices, run);
    else if (how->product)
        how->product(in, in + square, out, problem->n, problem->devices, run);
    else
        how->transpose(in, out, problem->n, problem->devices, run);
}

static struct measurement measure(void *self, const struct session *session)
{
    struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    const double cube = (double)problem->n * problem->n * problem->n;

    set_counts(problem, session->options.n);
    generate(problem, (uint64_t)session->options.seed);
    if (session->options.check)
        make_reference(problem);
    run_step(problem, &measurement.run);
    measurement.n = problem->n;
    measurement.work.bytes = (double)(problem->in_count + problem->out_count) * sizeof(unsigned);
    measurement.work.flops = problem->how.product ? 2 * cube : 0;
    measurement.problem = problem->how.sum          ? "a sum"
                          : problem->how.all_reduce ? "an all-reduce"
                          : problem->how.heat       ? "a stencil"
                          : problem->how.product    ? "a product"
                                                    : "a transposition";
    if (session->options.check)
        measurement.verdict = compare(problem);
    measurement.own = json_pack("{s:i}", "devices", problem->devices);
    free(problem->in);
    free(problem->out);
    free(problem->reference);
    return measurement;
}

/* Each device reaches the memory of every other. */
static int refuse_peers(int devices)
{
    for (int a = 0; a < devices; a++)
        for (int b = 0; b < devices; b++) {
            int can = 1;

            if (a != b)
                CHECK(cudaDeviceCanAccessPeer(&can, a, b));
            if (!can) {
                check_say("GPU %d cannot reach the memory of GPU %d", a, b);
                return EXIT_SKIP;
            }
        }
    return -1;
}

static int refuse(void *self, const struct session *session)
{
    struct problem *problem = self;
    const int most = problem->how.heat ? RUN_MAX_OUTPUTS / 2 : MAX_DEVICES; /* two plates each */
    int count, code;

    CHECK(cudaGetDeviceCount(&count));
    count = count < most ? count : most;
    if (problem->wanted > count)
        return options_refuse("--devices %d: there are %d", (int)problem->wanted, count);
    problem->devices = problem->how.alone || problem->how.ranks ? 1
                       : problem->wanted                        ? (int)problem->wanted
                                                                : count;
    if (!problem->how.ranks && session->device.index != 0)
        return options_refuse("--device %d: this chapter begins with device 0",
                              session->device.index);
    if (problem->devices == 1 && vectors(problem) == 1 && !problem->how.alone)
        check_say(
            "on one GPU nothing is shared out: more of them, as of emu --devices 4, show the idea");
    code = problem->how.peers ? refuse_peers(problem->devices) : -1;
    if (code >= 0)
        return code;
    set_counts(problem, session->options.n);
    return memory_refuse(&session->device,
                         3 * (problem->in_count + problem->out_count) * sizeof(unsigned));
}

/* The peaks are those of all GPUs together. */
static int report_all(void *self, const struct session *session,
                      const struct measurement *measurement)
{
    const struct problem *problem = self;
    struct session all = *session;

    all.device.peak_bytes *= problem->devices;
    all.device.peak_flops *= problem->devices;
    return report(&all, measurement);
}

int peers_main(int argc, char **argv, struct step step, struct peers_step how)
{
    struct problem problem = {.how = how};
    const bool square = is_square(&problem);
    const struct option_row rows[] = {
        {.name = "devices",
         .value = &problem.wanted,
         .max = how.alone || how.ranks ? 0 : MAX_DEVICES,
         .help = "how many GPUs take part; 0: all"},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = how.product ? 4096
                                      : square    ? 16384
                                                  : 64 * 1024 * 1024,
                             .modelled = how.product ? 256
                                         : square    ? 512
                                                     : 1024 * 1024,
                             .max = square ? 32768 : OPTIONS_MAX_N},
                    .rows = rows,
                    .row_count = 1},
        .sizes = awkward_sizes,
        .size_count = square ? SQUARES : sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .refuse = refuse,
        .measure = measure,
        .report = report_all,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}
