/* SPDX-License-Identifier: MIT */
/* The last step of a chapter of matrix products against cuBLAS, in one process, taking turns.
 *
 *   PROGRAM [--m M] [--n N] [--k K] [--runs N] [--device N] [--json] [--markdown]
 *
 * Three times each, all between CUDA events: many launches in a row on the same input; single
 * launches, each waited for; and launches in a row on inputs that take turns and together exceed
 * the L2 cache several times. Before that the whole products are compared. Without --n: the sizes
 * and shapes of the table on the chapter's page.
 *
 * A program gives products_main() a class `side`:
 *   element, problem       types: of a matrix's elements, and the chapter's struct of a product
 *   step(), RATE           the step's name; its order of magnitude in FLOP/s
 *   MINIMUM                compute capability, as in InitCUDA()
 *   start(p), end()        prepare for products like p, and release that
 *   launch(p), name()      the step's kernel; what the step calls it
 *   LAYOUTS, MATH          how many layouts cuBLAS may choose from, ours first; its mode
 *   library(handle, p, i)  cuBLAS with layout i
 *   allowed(p)             how much the two products may differ
 */
#ifndef BENCHMARK_PRODUCTS_CUH
#define BENCHMARK_PRODUCTS_CUH

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cublas_v2.h>

#include "benchmark.h"

enum { MAX_INPUTS = 64, RUNS = 21, WARM_UP = 3, MAX_ROW = 50, MAX_N = 65536 };

enum format { TEXT, JSON, MARKDOWN };

/* One shape: A, B and C of each input. */
template <class side> struct contest {
    typename side::problem p[MAX_INPUTS];
    int inputs;
    int turn; /* which input is next */
    bool rotate; /* take turns */
    int layout; /* the one that cuBLAS likes best */
    side ours;
    cublasHandle_t handle;
};

static inline void check(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    check_say("cuBLAS: %s", cublasGetStatusString(status));
    exit(EXIT_CUDA);
}

template <class side>
static void launch(struct contest<side> *contest, bool ours, const typename side::problem &p)
{
    if (ours)
        contest->ours.launch(p);
    else
        check(side::library(contest->handle, p, contest->layout));
}

/* Uniform in [-1/2, 1/2), by position and seed. */
template <typename element> __global__ void fill(element *m, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u ^ seed;

        x = (x ^ x >> 15) * 0x2c1b3c6du;
        x = (x ^ x >> 12) * 0x297a2d39u;
        m[i] = (element)((float)((x ^ x >> 15) >> 8) * 0x1p-24f - 0.5f);
    }
}

/* The largest difference, infinity if there is a NaN. */
template <typename element>
__global__ void differ(const element *c, const element *d, size_t count, unsigned *largest)
{
    float mine = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const float difference = fabsf((float)c[i] - (float)d[i]);

        if (!(difference <= mine))
            mine = isnan(difference) ? INFINITY : difference;
    }
    atomicMax(largest, __float_as_uint(mine));
}

template <typename element> static element *new_matrix(size_t count, unsigned seed)
{
    element *m;

    CHECK(cudaMalloc(&m, count * sizeof(element)));
    fill<<<1024, 256>>>(m, count, seed);
    return m;
}

/* As many inputs as exceed the L2 cache four times over, two at least. */
template <class side>
static void contest_start(struct contest<side> *contest, int m, int n, int k,
                          const struct device *device)
{
    typedef typename side::element element;
    const size_t a = (size_t)m * k, b = (size_t)k * n, c = (size_t)m * n;
    size_t most;
    int l2_bytes;

    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device->index));
    most = 4 * (size_t)l2_bytes / ((a + b + c) * sizeof(element)) + 2;
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
                         new_matrix<element>(a, 2 * i + 1),
                         new_matrix<element>(b, 2 * i + 2),
                         new_matrix<element>(c, 0)};
    contest->ours.start(contest->p[0]);
    check(cublasCreate(&contest->handle));
    check(cublasSetMathMode(contest->handle, side::MATH));
}

template <class side> static void contest_end(struct contest<side> *contest)
{
    for (int i = 0; i < contest->inputs; i++) {
        CHECK(cudaFree((void *)contest->p[i].a));
        CHECK(cudaFree((void *)contest->p[i].b));
        CHECK(cudaFree(contest->p[i].c));
    }
    contest->ours.end();
    check(cublasDestroy(contest->handle));
}

/* Whether the products agree. */
template <class side> static bool agree(struct contest<side> *contest)
{
    typename side::problem p = contest->p[0], q = p;
    const size_t count = (size_t)p.m * p.n;
    unsigned *largest, bits;
    float difference;

    CHECK(cudaMalloc(&q.c, count * sizeof(*p.c)));
    CHECK(cudaMalloc(&largest, sizeof(*largest)));
    CHECK(cudaMemset(largest, 0, sizeof(*largest)));
    CHECK(cudaMemset(p.c, MEMORY_POISON, count * sizeof(*p.c)));
    CHECK(cudaMemset(q.c, MEMORY_POISON, count * sizeof(*p.c)));
    launch(contest, true, p);
    launch(contest, false, q);
    differ<<<1024, 256>>>(p.c, q.c, count, largest);
    CHECK(cudaMemcpy(&bits, largest, sizeof(bits), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(q.c));
    CHECK(cudaFree(largest));
    memcpy(&difference, &bits, sizeof(difference));
    return difference <= side::allowed(p);
}

/* The time of one launch of `row` of them, in ms. */
template <class side>
static float time_row(struct contest<side> *contest, bool ours, int row, const struct run *run)
{
    float ms;

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(run->begin));
    for (int i = 0; i < row; i++)
        launch(contest, ours, contest->p[contest->rotate ? contest->turn++ % contest->inputs : 0]);
    CHECK(cudaEventRecord(run->end));
    CHECK(cudaEventSynchronize(run->end));
    CHECK(cudaEventElapsedTime(&ms, run->begin, run->end));
    return ms / row;
}

struct result {
    double ours, cublas; /* ms */
};

/* Medians of both, taking turns. */
template <class side>
static struct result compete(struct contest<side> *contest, int row, bool rotate,
                             const struct options *options, const struct device *device)
{
    struct run ours = run_new(options, device), cublas = run_new(options, device);
    struct result result;

    contest->rotate = rotate;
    for (int i = -WARM_UP; i < ours.runs; i++) {
        const float ours_ms = time_row(contest, true, row, &ours);
        const float cublas_ms = time_row(contest, false, row, &cublas);

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

/* The layout that cuBLAS likes best, of rows of `row` launches. */
template <class side>
static void choose_layout(struct contest<side> *contest, int row, const struct options *options,
                          const struct device *device)
{
    struct run run = run_new(options, device);
    float best = INFINITY;

    for (int round = 0; round < WARM_UP && side::LAYOUTS > 1; round++)
        for (int i = 0, chosen = contest->layout; i < side::LAYOUTS; i++) {
            const float ms = (contest->layout = i, time_row(contest, false, row, &run));

            chosen = ms < best ? i : chosen;
            best = min(ms, best);
            contest->layout = chosen;
        }
    run_free(&run);
}

/* One line of the table; of a Markdown table, the cells of this way. */
template <class side>
static void print_result(const struct contest<side> *contest, const char *way, struct result result,
                         enum format format)
{
    static const char *const lines[] = {
        "%6d %6d %6d  %-10s %8.2f %8.2f  %6.3f  %s\n",
        "{\"m\": %d, \"n\": %d, \"k\": %d, \"way\": \"%s\", \"ours_tflops\": %.2f, "
        "\"cublas_tflops\": %.2f, \"ratio\": %.3f, \"kernel\": \"%s\"}\n"};
    const typename side::problem *p = &contest->p[0];
    const double work = 2e-9 * p->m * p->n * p->k, ours = work / result.ours;
    const double cublas = work / result.cublas;

    if (format == MARKDOWN)
        printf(" %.2f / %.2f | %.3f × |", ours, cublas, ours / cublas);
    else
        printf(lines[format], p->m, p->n, p->k, way, ours, cublas, ours / cublas,
               contest->ours.name());
    fflush(stdout);
}

/* All ways of one shape. Returns the exit code. */
template <class side>
static int compete_all(int m, int n, int k, enum format format, const struct options *options,
                       const struct device *device)
{
    const double work = 2.0 * m * n * k, in_4_ms = 4e-3 * side::RATE / work;
    const int row = in_4_ms > MAX_ROW ? MAX_ROW : in_4_ms < 2 ? 2 : (int)in_4_ms;
    struct contest<side> contest = {
    };
    const bool same = (contest_start(&contest, m, n, k, device), agree(&contest));

    if (same) {
        choose_layout(&contest, row, options, device);
        if (format == MARKDOWN)
            printf("| %d x %d x %d |", m, n, k);
        print_result(&contest, "in a row", compete(&contest, row, false, options, device), format);
        print_result(&contest, "single", compete(&contest, 1, false, options, device), format);
        print_result(&contest, "rotated", compete(&contest, row, true, options, device), format);
        if (format == MARKDOWN)
            printf(" %s |\n", contest.ours.name());
    } else {
        check_say("%d x %d x %d: %s and cuBLAS differ", m, n, k, side::step());
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

/* main() of a program, with `count` shapes m, n, k of its own. Returns the exit code. */
template <class side>
static int products_main(int argc, char **argv, const int (*shapes)[3], size_t count)
{
    static int64_t m, k;
    bool markdown = false;
    const struct option_row rows[] = {
        {.name = "m", .value = &m, .max = MAX_N, .help = "rows of C", .unset = "n"},
        {.name = "k", .value = &k, .max = MAX_N, .help = "columns of A", .unset = "n"}};
    const struct option_text text = {"markdown",    0,        NULL, "print a Markdown table",
                                     take_markdown, &markdown};
    const struct option_list list = {
        .size = {.usual = 0, .min = 1, .max = MAX_N, .help = "columns of C"},
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
    code = InitCUDA((int)options.device, side::MINIMUM, &device);
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
        return compete_all<side>(m ? m : options.n, options.n, k ? k : options.n, format, &options,
                                 &device);
    for (size_t i = 0; i < count && code == EXIT_MATCH; i++)
        code =
            compete_all<side>(shapes[i][0], shapes[i][1], shapes[i][2], format, &options, &device);
    return code;
}

#endif
