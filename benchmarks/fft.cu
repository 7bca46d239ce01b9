/* The fft chapter's fast steps against cuFFT and against a plain copy, in one process.
 *
 *   fft [--n N] [--bytes B] [--runs N] [--device N] [--json]
 *
 * For each length the copy, cuFFT and the steps that take it take turns, out of place, on B bytes
 * of input: 1 GiB and 256 MiB without --bytes. Before that, each result is held against the CPU's,
 * signal by signal for some of them, and against cuFFT's as a whole. --json prints an object a
 * line: the record that fft_report draws.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda/atomic>
#include <cufft.h>

#include "benchmark.h"
#include "cluster.cuh"
#include "fft.h"
#include "lines.cuh"
#include "one_block.cuh"

/* The steps as they stand, each in a namespace of its own. */
#define STEP                                         \
    {                                                \
        "benchmarks", "fft", "FFT against cuFFT", 90 \
    }
namespace f1
{
int f1_main(int argc, char **argv);
#define main f1_main
#include "../fft/f1_16_registers.cu"
#undef main
} // namespace f1
namespace f5
{
int f5_main(int argc, char **argv);
#define main f5_main
#include "../fft/f5_any_power.cu"
#undef main
} // namespace f5
namespace f6
{
int f6_main(int argc, char **argv);
#define main f6_main
#include "../fft/f6_two_kernels.cu"
#undef main
} // namespace f6
namespace f7
{
int f7_main(int argc, char **argv);
#define main f7_main
#include "../fft/f7_one_pass.cu"
#undef main
} // namespace f7
namespace f8
{
int f8_main(int argc, char **argv);
#define main f8_main
#include "../fft/f8_cluster.cu"
#undef main
} // namespace f8
namespace f9
{
int f9_main(int argc, char **argv);
#define main f9_main
#include "../fft/f9_pairs.cu"
#undef main
} // namespace f9
namespace f10
{
int f10_main(int argc, char **argv);
#define main f10_main
#include "../fft/f10_ring.cu"
#undef main
} // namespace f10

enum { RUNS = 15, MAX_CONTESTANTS = 8, SAMPLE_POINTS = 1 << 20, COPY = 0, CUFFT = 1 };

/* All that take part at one length; the first two are the copy and cuFFT. */
struct contestant {
    const char *name;
    fft_function *launch;
    int min, max;
    bool interleaved;
    bool in_a_row; /* all its launches behind everybody's turns: it allocates much, and the driver
                    * clears what is freed while the next ones run */
    struct run run;
    double error; /* the CPU's measure, of a sample */
};

static cufftHandle plan;

static void check(cufftResult result)
{
    if (result == CUFFT_SUCCESS)
        return;
    check_say("cuFFT: error %d", (int)result);
    exit(EXIT_CUDA);
}

static void copy(const struct fft *p, struct run *run)
{
    const size_t bytes = (size_t)p->n * p->batch * sizeof(float2);

    TIMED(run)
        CHECK(cudaMemcpyAsync(p->out, p->in, bytes, cudaMemcpyDeviceToDevice));
}

static void cufft(const struct fft *p, struct run *run)
{
    TIMED(run)
        check(cufftExecC2C(plan, (cufftComplex *)p->in, p->out, CUFFT_FORWARD));
}

static const struct contestant everyone[] = {
    {"copy", copy, 8, FFT_MAX_N, false},
    {"cuFFT", cufft, 8, FFT_MAX_N, false},
    {"f5_any_power", f5::fft_gpu, f5::MIN, f5::MAX, false},
    {"f6_two_kernels", f6::fft_gpu, f6::MIN, f6::MAX, false, true},
    {"f7_one_pass", f7::fft_gpu, 8192, 16384, false},
    {"f8_cluster", f8::fft_gpu, 32768, 32768, false},
    {"f9_pairs", f9::fft_gpu, 65536, 65536, false},
    {"f10_ring", f10::fft_gpu, f10::N, f10::N, false},
};
static const struct contestant interleaved_ones[] = {
    {"copy", copy, 16, 16, true},
    {"cuFFT", cufft, 16, 16, true},
    {"f1_16_registers", f1::fft_gpu, 16, 16, true},
};

/* Uniform in [-1, 1), by position. */
__global__ void fill(float *m, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u ^ (unsigned)(i >> 32);

        x = (x ^ x >> 15) * 0x2c1b3c6du;
        x = (x ^ x >> 12) * 0x297a2d39u;
        m[i] = (float)((x ^ x >> 15) >> 8) * 0x1p-23f - 1;
    }
}

/* Adds the squares of the differences to sums[0], and those of b to sums[1]; a NaN stays one. */
__global__ void differ(const float *a, const float *b, size_t count, double *sums)
{
    double difference = 0, size = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const double d = (double)a[i] - b[i];

        difference += d * d;
        size += (double)b[i] * b[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        difference += __shfl_down_sync(~0u, difference, offset);
        size += __shfl_down_sync(~0u, size, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sums[0], difference);
        atomicAdd(&sums[1], size);
    }
}

/* How far a transform is from cuFFT's, in the 2-norm. */
static double distance(const float2 *a, const float2 *b, size_t points)
{
    double *d_sums, sums[2];

    CHECK(cudaMalloc(&d_sums, sizeof(sums)));
    CHECK(cudaMemset(d_sums, 0, sizeof(sums)));
    differ<<<1024, 256>>>((const float *)a, (const float *)b, 2 * points, d_sums);
    CHECK(cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_sums));
    return sqrt(sums[0] / sums[1]);
}

/* The error of the first signals in the CPU's measure. */
static double sample_error(const struct fft *p, bool interleaved)
{
    const int most = SAMPLE_POINTS / p->n > 0 ? SAMPLE_POINTS / p->n : 1;
    const int count = p->batch < most ? p->batch : most;
    const size_t bytes = (size_t)count * p->n * sizeof(float2);
    float2 *in = (float2 *)memory_host(bytes), *out = (float2 *)memory_host(bytes);
    const struct fft_host host = {{p->n, count, false, in, out}, interleaved, 0};
    const size_t width = interleaved ? count * sizeof(float2) : bytes;
    const size_t pitch = interleaved ? p->batch * sizeof(float2) : bytes;
    const size_t rows = interleaved ? p->n : 1;
    double l2, peak;

    CHECK(cudaMemcpy2D(in, width, p->in, pitch, width, rows, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy2D(out, width, p->out, pitch, width, rows, cudaMemcpyDeviceToHost));
    fft_check(&host, &l2, &peak);
    free(in);
    free(out);
    return l2;
}

/* One launch, timed, behind another one that is not: its time goes where it belongs in who->run. */
static void take_turn(struct contestant *who, const struct fft *p, bool counts)
{
    struct run once = who->run;
    float ms;

    once.ms = &ms;
    once.done = once.warmed = 0;
    once.warmups = once.runs = 1;
    who->launch(p, &once);
    if (counts)
        who->run.ms[who->run.done++] = ms;
}

static void print_result(const struct contestant *who, const struct contestant *list,
                         const struct fft *p, bool json)
{
    const double us = run_times(&who->run).median * 1000;
    const double copy_us = run_times(&list[COPY].run).median * 1000;
    const double cufft_us = run_times(&list[CUFFT].run).median * 1000;
    const long long bytes = (long long)p->n * p->batch * (long long)sizeof(float2);

    printf(json
               ? "{\"n\": %d, \"bytes\": %lld, \"interleaved\": %s, \"way\": \"%s\", \"us\": %.1f, "
                 "\"of_copy\": %.3f, \"of_cufft\": %.3f, \"error\": %.2e}\n"
               : "%8d %11lld  %-5s  %-16s %9.1f  %6.3f  %6.3f  %.2e\n",
           p->n, bytes, who->interleaved ? "true" : "false", who->name, us, copy_us / us,
           cufft_us / us, who->error);
    fflush(stdout);
}

/* One length. `second` is where cuFFT's transform is kept. Returns the exit code. */
static int compete(const struct contestant *among, size_t among_count, struct fft p, float2 *second,
                   const struct options *options, const struct device *device)
{
    const size_t points = (size_t)p.n * p.batch;
    struct contestant list[MAX_CONTESTANTS];
    const bool interleaved = among[0].interleaved;
    const int stride = interleaved ? p.batch : 1, apart = interleaved ? 1 : p.n;
    int count = 0, n = p.n, code = EXIT_MATCH;

    for (size_t i = 0; i < among_count; i++)
        if (p.n >= among[i].min && p.n <= among[i].max)
            list[count++] = among[i];
    check(cufftPlanMany(&plan, 1, &n, &n, stride, apart, &n, stride, apart, CUFFT_C2C, p.batch));
    for (int i = 0; i < count; i++) {
        list[i].run = run_new(options, device);
        list[i].run.poison = list[i].run.guard = false;
        CHECK(cudaMemset(p.out, MEMORY_POISON, points * sizeof(float2)));
        take_turn(&list[i], &p, false);
        if (i == COPY)
            continue;
        list[i].error = sample_error(&p, interleaved);
        if (i == CUFFT)
            CHECK(cudaMemcpy(second, p.out, points * sizeof(float2), cudaMemcpyDeviceToDevice));
        else if (!(distance(p.out, second, points) <= 2 * fft_bound(p.n, 0))) {
            check_say("%d points: %s and cuFFT differ", p.n, list[i].name);
            code = EXIT_MISMATCH;
        }
    }
    for (int turn = -2; turn < list[0].run.runs; turn++)
        for (int i = 0; i < count; i++)
            if (!list[i].in_a_row)
                take_turn(&list[i], &p, turn >= 0);
    for (int i = 0; i < count; i++)
        if (list[i].in_a_row)
            list[i].launch(&p, &list[i].run);
    for (int i = 0; i < count; i++)
        print_result(&list[i], list, &p, options->json);
    for (int i = 0; i < count; i++)
        run_free(&list[i].run);
    check(cufftDestroy(plan));
    return code;
}

/* All lengths, or one. Returns the worst exit code. */
static int compete_all(size_t bytes, const struct options *options, const struct device *device)
{
    const size_t points = bytes / sizeof(float2);
    float2 *in, *out, *second;
    int worst = EXIT_MATCH;

    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMalloc(&second, bytes));
    fill<<<1024, 256>>>((float *)in, 2 * points);
    for (int n = 8; n <= FFT_MAX_N; n *= 2) {
        const struct fft p = {n, (int)(points / n), false, in, out};
        int code;

        if ((options->n_given && n != options->n) || p.batch == 0)
            continue;
        code =
            compete(everyone, sizeof(everyone) / sizeof(everyone[0]), p, second, options, device);
        if (code == EXIT_MATCH && n == 16)
            code = compete(interleaved_ones, 3, p, second, options, device);
        worst = code > worst ? code : worst;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(second));
    return worst;
}

int main(int argc, char **argv)
{
    static int64_t bytes;
    const struct option_row row = {.name = "bytes",
                                   .value = &bytes,
                                   .max = INT64_C(1) << 32,
                                   .help = "of input",
                                   .power_of_two = true,
                                   .unset = "1 GiB, then 256 MiB"};
    const struct option_list list = {
        .size = {.usual = 0, .min = 8, .max = FFT_MAX_N, .help = "points of a signal"},
        .rows = &row,
        .row_count = 1};
    const size_t sizes[] = {(size_t)1 << 30, (size_t)1 << 28};
    struct options options;
    struct device device;
    int code = options_parse(argc, argv, &list, &options), worst = EXIT_MATCH;

    if (code >= 0)
        return code;
    if (options.all_sizes)
        return options_refuse("this program has no --all-sizes: without --n it takes them all");
    if (options.runs == OPTIONS_RUNS_UNSET)
        options.runs = RUNS;
    code = InitCUDA((int)options.device, 90, &device);
    if (code)
        return code;
    if (device.modelled) {
        check_say("needs a GPU: cuFFT is machine code");
        return EXIT_SKIP;
    }
    if (options.json)
        printf(
            "{\"device\": \"%s\", \"driver\": \"%d.%d\", \"toolkit\": \"%d.%d\", \"runs\": %d}\n",
            device.name, device.driver / 1000, device.driver % 1000 / 10, device.runtime / 1000,
            device.runtime % 1000 / 10, (int)options.runs);
    else
        printf("%s, driver %d.%d, toolkit %d.%d; us, medians of %d runs\n"
               "       n       bytes  inter  way                     us    copy   cuFFT  error\n",
               device.name, device.driver / 1000, device.driver % 1000 / 10, device.runtime / 1000,
               device.runtime % 1000 / 10, (int)options.runs);
    for (int i = 0; i < 2; i++) {
        const size_t size = bytes ? (size_t)bytes : sizes[i];

        code = compete_all(size, &options, &device);
        worst = code > worst ? code : worst;
        if (bytes)
            break;
    }
    return worst;
}
