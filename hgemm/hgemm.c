#include "hgemm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sgemm.h"

/* Sizes where kernels go wrong: nothing, one, around a product of tensor cores and around tiles;
 * the larger ones only where a GPU computes them. */
static const int awkward_sizes[] = {0, 1, 15, 17, 63, 65, 129, 131, 1009, 1023};
enum { MODELLED_SIZES = 8 };

/* What an element may be off by, as a share of the magnitudes summed: tensor cores cut sums where
 * ordinary additions round them, which at most doubles their error; C is rounded to 8 bits. */
static double rounding(int k)
{
    return 0x1p-8 + 2 * (k + 2) * 0x1p-24;
}

/* How many products of tensor cores, of bfloat16 with sums in single precision, a device has for
 * each multiply-add of floats: the whitepapers of A100, H100 and GA102. */
static double tensor_cores(const struct device *device)
{
    return device->minor == 0 ? 16 : 4;
}

/* A step and what the command line said. */
struct problem {
    hgemm_function *gpu;
    int64_t m, k, pad; /* m and k: -1 is n */
    float alpha, beta;
};

static size_t count_of(int rows, int ld)
{
    return (size_t)rows * (size_t)ld;
}

/* Uniform numbers in [0, 1), of 8 bits, in the matrix, NaN between its rows: who reads there is
 * found out. */
static float *generate(int rows, int columns, int ld, struct rng *rng)
{
    float *m = memory_host(count_of(rows, ld) * sizeof(float));

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < ld; j++)
            m[count_of(i, ld) + (size_t)j] =
                j < columns ? (float)rng_below(rng, 256) * 0x1p-8f : NAN;
    return m;
}

/* bfloat16 is the upper half of a float, whose lower half must be 0. */
static bf16 *narrow(const float *from, size_t count)
{
    bf16 *to = memory_host(count * sizeof(bf16));
    uint32_t bits;

    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, &from[i], sizeof(bits));
        to[i] = (bf16)(bits >> 16);
    }
    return to;
}

static void widen(float *to, const bf16 *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;

        memcpy(&to[i], &bits, sizeof(bits));
    }
}

/* The problem in floats, which the CPU computes. The gaps between rows differ, so that a leading
 * dimension taken for another is seen. */
static struct sgemm_host new_host(const struct problem *problem, const struct options *options)
{
    const int n = (int)options->n, pad = (int)problem->pad;
    const int m = problem->m < 0 ? n : (int)problem->m, k = problem->k < 0 ? n : (int)problem->k;
    struct rng rng = rng_seed((uint64_t)options->seed);
    struct sgemm_host host = {.p = {.m = m,
                                    .n = n,
                                    .k = k,
                                    .lda = k + pad,
                                    .ldb = n + 2 * pad,
                                    .ldc = n + 3 * pad,
                                    .alpha = problem->alpha,
                                    .beta = problem->beta}};
    const size_t count = count_of(m, host.p.ldc);

    host.p.a = generate(m, k, host.p.lda, &rng);
    host.p.b = generate(k, n, host.p.ldb, &rng);
    host.p.c = generate(m, n, host.p.ldc, &rng);
    host.result = memory_host(count * sizeof(float));
    for (size_t i = 0; problem->beta == 0 && i < count; i++) /* who reads C is found out */
        host.p.c[i] = NAN;
    memcpy(host.result, host.p.c, count * sizeof(float));
    return host;
}

static void free_host(struct sgemm_host *host)
{
    free((void *)host->p.a);
    free((void *)host->p.b);
    free(host->p.c);
    free(host->result);
}

/* Time the step, then fetch C. With beta not 0 each run changes what the next one reads: C is then
 * neither poisoned nor what was timed, but what one more call makes of it. */
static void compute(const struct problem *problem, struct sgemm_host *host, struct run *run)
{
    const struct sgemm *s = &host->p;
    const size_t count = count_of(s->m, s->ldc);
    bf16 *host_a = narrow(s->a, count_of(s->m, s->lda));
    bf16 *host_b = narrow(s->b, count_of(s->k, s->ldb));
    bf16 *host_c = narrow(s->c, count);
    bf16 *a = device_input(bf16, host_a, count_of(s->m, s->lda));
    bf16 *b = device_input(bf16, host_b, count_of(s->k, s->ldb));
    struct hgemm p = {s->m,
                      s->n,
                      s->k,
                      s->lda,
                      s->ldb,
                      s->ldc,
                      s->alpha,
                      s->beta,
                      a,
                      b,
                      device_output(bf16, run, count)};

    if (p.beta != 0)
        run->poison = false;
    CHECK(cudaMemcpy(p.c, host_c, count * sizeof(bf16), cudaMemcpyHostToDevice));
    problem->gpu(&p, run);
    if (p.beta != 0) {
        struct run once = *run;

        once.ms = memory_host(sizeof(float));
        once.warmups = once.done = once.warmed = 0;
        once.runs = 1;
        CHECK(cudaMemcpy(p.c, host_c, count * sizeof(bf16), cudaMemcpyHostToDevice));
        problem->gpu(&p, &once);
        run->overrun = once.overrun;
        free(once.ms);
    }
    device_fetch(bf16, host_c, p.c, count);
    widen(host->result, host_c, count);
    device_free(run, a);
    device_free(run, b);
    device_free(run, p.c);
    free(host_a);
    free(host_b);
    free(host_c);
}

static struct measurement measure(void *self, const struct session *session)
{
    const struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    struct sgemm_host host = new_host(problem, &session->options);
    const double m = host.p.m, n = host.p.n, k = host.p.k;
    double error;

    if (host.p.m > 0 && host.p.n > 0) /* a grid has at least one block */
        compute(problem, &host, &measurement.run);
    measurement.work = (struct work){.bytes = (m * k + k * n + m * n) * sizeof(bf16),
                                     .flops = 2 * m * n * k,
                                     .faster = tensor_cores(&session->device)};
    measurement.verdict =
        sgemm_check(&host, rounding(host.p.k), (uint64_t)session->options.seed, &error);
    measurement.own = json_pack("{s:i, s:i, s:f, s:f, s:o}", "m", host.p.m, "k", host.p.k, "alpha",
                                (double)host.p.alpha, "beta", (double)host.p.beta, "max_error",
                                isfinite(error) ? json_real(error) : json_null());
    free_host(&host);
    return measurement;
}

static int refuse(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const size_t n = (size_t)session->options.n, pad = (size_t)problem->pad;
    const size_t m = problem->m < 0 ? n : (size_t)problem->m;
    const size_t k = problem->k < 0 ? n : (size_t)problem->k;

    return memory_refuse(&session->device,
                         (m * (k + pad) + k * (n + 2 * pad) + 2 * m * (n + 3 * pad)) *
                             sizeof(bf16));
}

static int take_factor(void *factor, char *const *values)
{
    char *end;

    errno = 0;
    *(float *)factor = strtof(values[0], &end);
    if (end == values[0] || *end || errno || !isfinite(*(float *)factor))
        return options_refuse("--alpha or --beta '%s': not a finite number", values[0]);
    return -1;
}

int hgemm_main(int argc, char **argv, struct step step, hgemm_function *gpu)
{
    struct problem problem = {.gpu = gpu, .m = -1, .k = -1, .alpha = 1};
    struct option_row rows[] = {
        {.name = "m",
         .value = &problem.m,
         .max = HGEMM_MAX_N,
         .help = "rows of A and C",
         .unset = "n"},
        {.name = "k",
         .value = &problem.k,
         .max = HGEMM_MAX_N,
         .help = "columns of A, rows of B",
         .unset = "n"},
        {.name = "pad",
         .value = &problem.pad,
         .max = HGEMM_MAX_PAD,
         .help = "elements between the rows of A; twice as many in B, thrice in C"},
    };
    const struct option_text texts[] = {
        {"alpha", 1, "X", "factor of A B, 1 unless given", take_factor, &problem.alpha},
        {"beta", 1, "X", "factor of the old C, 0 unless given", take_factor, &problem.beta},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = HGEMM_N,
                             .modelled = HGEMM_MODELLED_N,
                             .max = HGEMM_MAX_N,
                             .why_max = "a matrix then has 2^30 elements",
                             .help = "columns of B and C"},
                    .rows = rows,
                    .row_count = sizeof(rows) / sizeof(rows[0]),
                    .texts = texts,
                    .text_count = sizeof(texts) / sizeof(texts[0])},
        .sizes = awkward_sizes,
        .size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .modelled_count = MODELLED_SIZES,
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}
