#include "product.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step and what the command line said. */
struct problem {
    const struct product *product;
    int64_t m, k, pad; /* m and k: -1 is n */
    float alpha, beta;
};

static size_t count_of(int rows, int ld)
{
    return (size_t)rows * (size_t)ld;
}

/* Random numbers in the matrix, NaN between its rows: who reads there is found out. */
static float *generate(const struct product *product, int rows, int columns, int ld,
                       struct rng *rng)
{
    float *m = memory_host(count_of(rows, ld) * sizeof(float));

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < ld; j++)
            m[count_of(i, ld) + (size_t)j] = j < columns ? product->element(rng) : NAN;
    return m;
}

/* What device memory holds, as floats; to a caller who frees. */
static char *narrow(const float *from, size_t count, size_t size)
{
    char *to = memory_host(count * size);

    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, (const char *)(from + i + 1) - size, size);
    return to;
}

static void widen(float *to, const char *from, size_t count, size_t size)
{
    memset(to, 0, count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        memcpy((char *)(to + i + 1) - size, from + i * size, size);
}

/* The gaps between rows differ, so that a leading dimension taken for another is seen. */
static struct sgemm_host new_host(const struct problem *problem, const struct options *options)
{
    const struct product *product = problem->product;
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
    const size_t count = count_of(m, host.p.ldc), size = product->element_size;

    host.p.a = generate(product, m, k, host.p.lda, &rng);
    host.p.b = generate(product, k, n, host.p.ldb, &rng);
    host.p.c = generate(product, m, n, host.p.ldc, &rng);
    host.result = memory_host(count * sizeof(float));
    if (problem->beta == 0) { /* who reads C is found out: all of it is NaN */
        memset(host.result, MEMORY_POISON, count * size);
        widen(host.p.c, (const char *)host.result, count, size);
    }
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

/* The step once more, untimed, from the same C. */
static void call_again(const struct product *product, const struct sgemm *p, struct run *run)
{
    struct run once = *run;

    once.ms = memory_host(sizeof(float));
    once.warmups = once.done = once.warmed = 0;
    once.runs = 1;
    product->call(product->step, p, &once);
    run->overrun = once.overrun;
    free(once.ms);
}

/* Time the step, then fetch C. With beta not 0 each run changes what the next one reads: C is then
 * neither poisoned nor what was timed, but what one more call makes of it. */
static void compute(const struct product *product, struct sgemm_host *host, struct run *run)
{
    struct sgemm p = host->p;
    const size_t size = product->element_size, bytes = count_of(p.m, p.ldc) * size;
    char *host_a = narrow(p.a, count_of(p.m, p.lda), size);
    char *host_b = narrow(p.b, count_of(p.k, p.ldb), size);
    char *host_c = narrow(p.c, count_of(p.m, p.ldc), size);
    char *a = device_input(char, host_a, count_of(p.m, p.lda) * size);
    char *b = device_input(char, host_b, count_of(p.k, p.ldb) * size);
    char *c = device_output(char, run, bytes);

    p.a = (const float *)(const void *)a;
    p.b = (const float *)(const void *)b;
    p.c = (float *)(void *)c;
    if (p.beta != 0)
        run->poison = false;
    CHECK(cudaMemcpy(c, host_c, bytes, cudaMemcpyHostToDevice));
    product->call(product->step, &p, run);
    if (p.beta != 0) {
        CHECK(cudaMemcpy(c, host_c, bytes, cudaMemcpyHostToDevice));
        call_again(product, &p, run);
    }
    device_fetch(char, host_c, c, bytes);
    widen(host->result, host_c, count_of(p.m, p.ldc), size);
    device_free(run, a);
    device_free(run, b);
    device_free(run, c);
    free(host_a);
    free(host_b);
    free(host_c);
}

static json_t *own_fields(const struct sgemm_host *host, bool checked, double error)
{
    const struct sgemm *p = &host->p;
    char digest[COMPARE_DIGEST_SIZE];

    for (int i = 0; i < p->m && checked; i++) /* close the gaps */
        memmove(host->result + count_of(i, p->n), host->result + count_of(i, p->ldc),
                (size_t)p->n * sizeof(float));
    if (checked)
        compare_digest(host->result, count_of(p->m, p->n) * sizeof(float), digest);
    return json_pack("{s:i, s:i, s:f, s:f, s:o, s:s?}", "m", p->m, "k", p->k, "alpha",
                     (double)p->alpha, "beta", (double)p->beta, "max_error",
                     isfinite(error) ? json_real(error) : json_null(), "digest",
                     checked ? digest : NULL);
}

static struct measurement measure(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const struct product *product = problem->product;
    struct measurement measurement = measurement_new(session);
    struct sgemm_host host = new_host(problem, &session->options);
    const double m = host.p.m, n = host.p.n, k = host.p.k;
    const bool check = session->options.check;
    double error = NAN;

    if (host.p.m > 0 && host.p.n > 0) /* a grid has at least one block */
        compute(product, &host, &measurement.run);
    measurement.work = (struct work){
        .bytes = (m * k + k * n + m * n) * (double)product->element_size,
        .flops = 2 * m * n * k,
        .faster = product->faster ? product->faster(product->step, &session->device) : 0};
    if (check)
        measurement.verdict = sgemm_check(&host, product->rounding(product->step, host.p.k),
                                          (uint64_t)session->options.seed, &error);
    measurement.own = own_fields(&host, check, error);
    free_host(&host);
    return measurement;
}

static int refuse(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const size_t n = (size_t)session->options.n, pad = (size_t)problem->pad;
    const size_t m = problem->m < 0 ? n : (size_t)problem->m;
    const size_t k = problem->k < 0 ? n : (size_t)problem->k;

    if (problem->product->gpu_only && session->device.modelled) {
        check_say("needs a GPU: %s lacks what its kernel uses", session->device.name);
        return EXIT_SKIP;
    }
    return memory_refuse(&session->device,
                         (m * (k + pad) + k * (n + 2 * pad) + 2 * m * (n + 3 * pad)) *
                             problem->product->element_size);
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

int product_main(int argc, char **argv, struct step step, const struct product *product)
{
    struct problem problem = {.product = product, .m = -1, .k = -1, .alpha = 1};
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
        .sizes = product->sizes,
        .size_count = PRODUCT_SIZES,
        .modelled_count = PRODUCT_MODELLED_SIZES,
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    if (product->options)
        memcpy(rows + 3, product->options, SGEMM_OPTIONS * sizeof(rows[0]));
    return chapter_run(argc, argv, step, &chapter);
}
