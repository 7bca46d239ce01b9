/* s16_by_shape against cuBLAS, in one process, taking turns.
 *
 *   sgemm [--m M] [--n N] [--k K] [--runs N] [--device N] [--json] [--markdown]
 *
 * Both compute the same products, in plain FP32 (cuBLAS in pedantic mode). Three times each, all
 * between CUDA events: many launches in a row on the same input; single launches, each waited for;
 * and launches in a row on inputs that take turns and together exceed the L2 cache several times.
 * Before that the whole products are compared. Without --n: the sizes and shapes of the table in
 * docs/sgemm.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cublas_v2.h>

#include "benchmark.h"

/* The kernels and their launch as they stand in the step, and nothing else of it. */
#define STEP                                            \
    {                                                   \
        "benchmarks", "sgemm", "s16 against cuBLAS", 90 \
    }
int s16_main(int argc, char **argv);
#define main s16_main
#include "../sgemm/s16_by_shape.cu"
#undef main

enum { MAX_INPUTS = 64, RUNS = 21, WARM_UP = 3, MAX_ROW = 50 };

enum format { TEXT, JSON, MARKDOWN };

/* One shape: A, B and C of each input, and both results. */
struct contest {
    struct sgemm p[MAX_INPUTS];
    int inputs;
    int turn; /* which input is next */
    bool rotate; /* take turns */
    struct kernel kernel;
    struct cut cut;
    struct shared_work shared_work;
    float *work;
    cublasHandle_t handle;
};

typedef void launch_function(struct contest *contest, const struct sgemm *p);

static void check(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    check_say("cuBLAS: %s", cublasGetStatusString(status));
    exit(EXIT_CUDA);
}

static void launch_ours(struct contest *contest, const struct sgemm *p)
{
    const bool row = p->m == 1; /* needs no padding */

    contest->kernel.launch(row ? *p : pad_rows(*p, contest->work), contest->cut,
                           contest->shared_work);
}

static void launch_cublas(struct contest *contest, const struct sgemm *p)
{
    check(cublasSgemm(contest->handle, CUBLAS_OP_N, CUBLAS_OP_N, p->n, p->m, p->k, &p->alpha, p->b,
                      p->ldb, p->a, p->lda, &p->beta, p->c, p->ldc));
}

/* Uniform in [-1/2, 1/2), by position and seed. */
__global__ void fill(float *m, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u ^ seed;

        x = (x ^ x >> 15) * 0x2c1b3c6du;
        x = (x ^ x >> 12) * 0x297a2d39u;
        m[i] = (float)((x ^ x >> 15) >> 8) * 0x1p-24f - 0.5f;
    }
}

/* The largest difference, infinity if there is a NaN. */
__global__ void differ(const float *c, const float *d, size_t count, unsigned *largest)
{
    float mine = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const float difference = fabsf(c[i] - d[i]);

        if (!(difference <= mine))
            mine = isnan(difference) ? INFINITY : difference;
    }
    atomicMax(largest, __float_as_uint(mine));
}

static float *new_matrix(size_t count, unsigned seed)
{
    float *m;

    CHECK(cudaMalloc(&m, count * sizeof(float)));
    fill<<<1024, 256>>>(m, count, seed);
    return m;
}

/* As many inputs as exceed the L2 cache four times over, two at least. */
static void contest_start(struct contest *contest, int m, int n, int k, const struct device *device)
{
    const size_t a = (size_t)m * k, b = (size_t)k * n, c = (size_t)m * n;
    size_t most;
    int l2_bytes;

    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device->index));
    most = 4 * (size_t)l2_bytes / ((a + b + c) * sizeof(float)) + 2;
    contest->inputs = most < MAX_INPUTS ? (int)most : MAX_INPUTS;
    for (int i = 0; i < contest->inputs; i++)
        contest->p[i] = {m,
                         n,
                         k,
                         k,
                         n,
                         n,
                         1,
                         0,
                         new_matrix(a, 2 * i + 1),
                         new_matrix(b, 2 * i + 2),
                         new_matrix(c, 0)};
    contest->kernel = choose(contest->p[0]);
    contest->cut = cut_of(contest->kernel, contest->p[0]);
    contest->shared_work =
        new_shared_work(tiles_of(contest->kernel, contest->p[0]) - contest->cut.whole,
                        contest->cut.pieces, contest->kernel.high, contest->kernel.wide);
    contest->work = new_work(contest->p[0]);
    check(cublasCreate(&contest->handle));
    check(cublasSetMathMode(contest->handle, CUBLAS_PEDANTIC_MATH));
}

static void contest_end(struct contest *contest)
{
    for (int i = 0; i < contest->inputs; i++) {
        CHECK(cudaFree((void *)contest->p[i].a));
        CHECK(cudaFree((void *)contest->p[i].b));
        CHECK(cudaFree(contest->p[i].c));
    }
    CHECK(cudaFree(contest->work));
    CHECK(cudaFree(contest->shared_work.sums));
    check(cublasDestroy(contest->handle));
}

/* Whether the products agree: sums of k products below 1/4, of either sign. */
static bool agree(struct contest *contest)
{
    struct sgemm p = contest->p[0], q = p;
    const size_t count = (size_t)p.m * p.n;
    unsigned *largest, bits;
    float difference;

    CHECK(cudaMalloc(&q.c, count * sizeof(float)));
    CHECK(cudaMalloc(&largest, sizeof(*largest)));
    CHECK(cudaMemset(largest, 0, sizeof(*largest)));
    CHECK(cudaMemset(p.c, MEMORY_POISON, count * sizeof(float)));
    CHECK(cudaMemset(q.c, MEMORY_POISON, count * sizeof(float)));
    launch_ours(contest, &p);
    launch_cublas(contest, &q);
    differ<<<1024, 256>>>(p.c, q.c, count, largest);
    CHECK(cudaMemcpy(&bits, largest, sizeof(bits), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(q.c));
    CHECK(cudaFree(largest));
    memcpy(&difference, &bits, sizeof(difference));
    return difference <= 0x1p-22f * 0.25f * p.k;
}

/* The time of one launch of `row` of them, in ms. */
static float time_row(struct contest *contest, launch_function *launch, int row,
                      const struct run *run)
{
    float ms;

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(run->begin));
    for (int i = 0; i < row; i++)
        launch(contest, &contest->p[contest->rotate ? contest->turn++ % contest->inputs : 0]);
    CHECK(cudaEventRecord(run->end));
    CHECK(cudaEventSynchronize(run->end));
    CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
    return ms / row;
}

struct result {
    double ours, cublas; /* ms */
};

/* Medians of both, taking turns. */
static struct result compete(struct contest *contest, int row, bool rotate,
                             const struct options *options, const struct device *device)
{
    struct run ours = run_new(options, device), cublas = run_new(options, device);
    struct result result;

    contest->rotate = rotate;
    for (int i = -WARM_UP; i < ours.runs; i++) {
        const float ours_ms = time_row(contest, launch_ours, row, &ours);
        const float cublas_ms = time_row(contest, launch_cublas, row, &cublas);

        if (i >= 0) {
            ours.ms[ours.done++] = ours_ms;
            cublas.ms[cublas.done++] = cublas_ms;
        }
    }
    result = {run_times(&ours).median, run_times(&cublas).median};
    run_free(&ours);
    run_free(&cublas);
    return result;
}

/* One line of the table; of a Markdown table, the cells of this way. */
static void print_result(const struct contest *contest, const char *way, struct result result,
                         enum format format)
{
    static const char *const lines[] = {
        "%6d %6d %6d  %-10s %8.2f %8.2f  %6.3f  %s\n",
        "{\"m\": %d, \"n\": %d, \"k\": %d, \"way\": \"%s\", \"ours_tflops\": %.2f, "
        "\"cublas_tflops\": %.2f, \"ratio\": %.3f, \"kernel\": \"%s\"}\n"};
    const struct sgemm *p = &contest->p[0];
    const double work = 2e-9 * p->m * p->n * p->k, ours = work / result.ours;
    const double cublas = work / result.cublas;

    if (format == MARKDOWN)
        printf(" %.2f / %.2f | %.3f × |", ours, cublas, ours / cublas);
    else
        printf(lines[format], p->m, p->n, p->k, way, ours, cublas, ours / cublas,
               contest->kernel.name);
    fflush(stdout);
}

/* All ways of one shape. Returns the exit code. */
static int compete_all(int m, int n, int k, enum format format, const struct options *options,
                       const struct device *device)
{
    const double work = 2.0 * m * n * k, in_4_ms = 4e-3 * 45e12 / work;
    const int row = in_4_ms > MAX_ROW ? MAX_ROW : in_4_ms < 2 ? 2 : (int)in_4_ms;
    struct contest contest = {};
    const bool same = (contest_start(&contest, m, n, k, device), agree(&contest));

    if (same) {
        if (format == MARKDOWN)
            printf("| %d x %d x %d |", m, n, k);
        print_result(&contest, "in a row", compete(&contest, row, false, options, device), format);
        print_result(&contest, "single", compete(&contest, 1, false, options, device), format);
        print_result(&contest, "rotated", compete(&contest, row, true, options, device), format);
        if (format == MARKDOWN)
            printf(" %s |\n", contest.kernel.name);
    } else {
        check_say("%d x %d x %d: s16 and cuBLAS differ", m, n, k);
    }
    contest_end(&contest);
    return same ? EXIT_MATCH : EXIT_MISMATCH;
}

static int take_markdown(void *markdown, char *const *values)
{
    (void)values;
    *(bool *)markdown = true;
    return -1;
}

int main(int argc, char **argv)
{
    static const int shapes[][3] = {
        {512, 512, 512},    {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
        {3000, 3000, 3000}, {4096, 4096, 4096}, {8192, 8192, 8192}, {16384, 16384, 16384},
        {8192, 8192, 64},   {64, 4096, 4096},   {1, 4096, 4096},    {4097, 4095, 1023},
    };
    static int64_t m, k;
    bool markdown = false;
    const struct option_row rows[] = {
        {.name = "m", .value = &m, .max = SGEMM_MAX_N, .help = "rows of C", .unset = "n"},
        {.name = "k", .value = &k, .max = SGEMM_MAX_N, .help = "columns of A", .unset = "n"}};
    const struct option_text text = {"markdown",    0,        NULL, "print a Markdown table",
                                     take_markdown, &markdown};
    const struct option_list list = {
        .size = {.usual = 0, .min = 1, .max = SGEMM_MAX_N, .help = "columns of C"},
        .rows = rows,
        .row_count = 2,
        .texts = &text,
        .text_count = 1};
    struct options options;
    struct device device;
    enum format format;
    int code = options_parse(argc, argv, &list, &options);

    if (code >= 0)
        return code;
    if (options.all_sizes)
        return options_refuse("this program has no --all-sizes: without --n it has its own");
    if (options.runs == OPTIONS_RUNS_UNSET)
        options.runs = RUNS;
    code = InitCUDA((int)options.device, 90, &device);
    if (code)
        return code;
    if (device.modelled) {
        check_say("needs a GPU: cuBLAS is machine code");
        return EXIT_SKIP;
    }
    format = options.json ? JSON : markdown ? MARKDOWN : TEXT;
    if (format != JSON)
        printf("%s, driver %d.%d, toolkit %d.%d; TFLOP/s, medians of %d runs\n", device.name,
               device.driver / 1000, device.driver % 1000 / 10, device.runtime / 1000,
               device.runtime % 1000 / 10, (int)options.runs);
    if (format == TEXT)
        printf("     m      n      k  launches       ours   cuBLAS   ratio  kernel\n");
    if (format == MARKDOWN)
        printf(
            "\n| m x n x k | in a row: ours / cuBLAS | ratio | single | ratio | rotated | ratio | "
            "kernel |\n|---|---:|---:|---:|---:|---:|---:|---|\n");
    if (options.n_given)
        return compete_all(m ? m : options.n, options.n, k ? k : options.n, format, &options,
                           &device);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) && code == EXIT_MATCH; i++)
        code = compete_all(shapes[i][0], shapes[i][1], shapes[i][2], format, &options, &device);
    return code;
}
