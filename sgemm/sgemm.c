#include "sgemm.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a half, one and two warps and tiles of 64 and
 * 128. The larger ones only where a GPU computes them. */
static const int awkward_sizes[] = {0, 1, 15, 17, 63, 65, 127, 129, 1000, 1023};
enum { MODELLED_SIZES = 8 };

/* What a product of two TF32 numbers may be off by: each is cut to 11 bits. */
static const double TF32_ROUNDING = 0x1p-9;

/* A step and what the command line said. */
struct problem {
    sgemm_function *gpu;
    struct sgemm_step how;
    int64_t m, k, pad; /* m and k: -1 is n */
    float alpha, beta;
};

static size_t count_of(int rows, int ld)
{
    return (size_t)rows * (size_t)ld;
}

/* Uniform numbers in [0, 1) in the matrix, NaN between its rows: who reads there is found out. */
static float *generate(int rows, int columns, int ld, struct rng *rng)
{
    float *m = memory_host(count_of(rows, ld) * sizeof(float));

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < ld; j++)
            m[count_of(i, ld) + (size_t)j] = j < columns ? rng_float(rng) : NAN;
    return m;
}

/* The gaps between rows differ, so that a leading dimension taken for another is seen. */
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
    const size_t bytes = count_of(m, host.p.ldc) * sizeof(float);

    host.p.a = generate(m, k, host.p.lda, &rng);
    host.p.b = generate(k, n, host.p.ldb, &rng);
    host.p.c = generate(m, n, host.p.ldc, &rng);
    host.result = memory_host(bytes);
    if (problem->beta == 0) /* who reads C is found out: all of it is NaN */
        memset(host.p.c, MEMORY_POISON, bytes);
    memcpy(host.result, host.p.c, bytes);
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
    struct sgemm p = host->p;
    const size_t count = count_of(p.m, p.ldc);
    float *a = device_input(float, p.a, count_of(p.m, p.lda));
    float *b = device_input(float, p.b, count_of(p.k, p.ldb));

    p.a = a;
    p.b = b;
    p.c = device_output(float, run, count);
    if (p.beta != 0)
        run->poison = false;
    CHECK(cudaMemcpy(p.c, host->p.c, count * sizeof(float), cudaMemcpyHostToDevice));
    problem->gpu(&p, run);
    if (p.beta != 0) {
        struct run once = *run;

        once.ms = memory_host(sizeof(float));
        once.warmups = once.done = once.warmed = 0;
        once.runs = 1;
        CHECK(cudaMemcpy(p.c, host->p.c, count * sizeof(float), cudaMemcpyHostToDevice));
        problem->gpu(&p, &once);
        run->overrun = once.overrun;
        free(once.ms);
    }
    device_fetch(float, host->result, p.c, count);
    device_free(run, a);
    device_free(run, b);
    device_free(run, p.c);
}

static json_t *own_fields(const struct sgemm_host *host, double error)
{
    const struct sgemm *p = &host->p;
    char digest[COMPARE_DIGEST_SIZE];

    for (int i = 0; i < p->m; i++) /* close the gaps */
        memmove(host->result + count_of(i, p->n), host->result + count_of(i, p->ldc),
                (size_t)p->n * sizeof(float));
    compare_digest(host->result, count_of(p->m, p->n) * sizeof(float), digest);
    return json_pack("{s:i, s:i, s:f, s:f, s:o, s:s}", "m", p->m, "k", p->k, "alpha",
                     (double)p->alpha, "beta", (double)p->beta, "max_error",
                     isfinite(error) ? json_real(error) : json_null(), "digest", digest);
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
    measurement.work =
        (struct work){.bytes = (m * k + k * n + m * n) * sizeof(float), .flops = 2 * m * n * k};
    measurement.verdict =
        sgemm_check(&host, problem->how.tf32 && *problem->how.tf32 ? TF32_ROUNDING : 0,
                    (uint64_t)session->options.seed, &error);
    measurement.own = own_fields(&host, error);
    free_host(&host);
    return measurement;
}

static int refuse(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const size_t n = (size_t)session->options.n, pad = (size_t)problem->pad;
    const size_t m = problem->m < 0 ? n : (size_t)problem->m;
    const size_t k = problem->k < 0 ? n : (size_t)problem->k;

    if (problem->how.gpu_only && session->device.modelled) {
        check_say("needs a GPU: %s lacks what its kernel uses", session->device.name);
        return EXIT_SKIP;
    }
    return memory_refuse(&session->device,
                         (m * (k + pad) + k * (n + 2 * pad) + 2 * m * (n + 3 * pad)) *
                             sizeof(float));
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

int sgemm_main(int argc, char **argv, struct step step, sgemm_function *gpu, struct sgemm_step how)
{
    struct problem problem = {.gpu = gpu, .how = how, .m = -1, .k = -1, .alpha = 1};
    struct option_row rows[3 + SGEMM_OPTIONS] = {
        {.name = "m",
         .value = &problem.m,
         .max = SGEMM_MAX_N,
         .help = "rows of A and C",
         .unset = "n"},
        {.name = "k",
         .value = &problem.k,
         .max = SGEMM_MAX_N,
         .help = "columns of A, rows of B",
         .unset = "n"},
        {.name = "pad",
         .value = &problem.pad,
         .max = SGEMM_MAX_PAD,
         .help = "elements between the rows of A; twice as many in B, thrice in C"},
    };
    const struct option_text texts[] = {
        {"alpha", 1, "X", "factor of A B, 1 unless given", take_factor, &problem.alpha},
        {"beta", 1, "X", "factor of the old C, 0 unless given", take_factor, &problem.beta},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = SGEMM_N,
                             .modelled = SGEMM_MODELLED_N,
                             .max = SGEMM_MAX_N,
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

    memcpy(rows + 3, how.options, sizeof(how.options));
    return chapter_run(argc, argv, step, &chapter);
}
