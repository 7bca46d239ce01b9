#include "matmul.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"

/* Sizes where kernels go wrong: nothing, one, around a tile of 16 and a warp, and some that are no
 * multiple of anything. The larger ones only where a GPU computes them. */
static const int awkward_sizes[] = {0, 1, 15, 16, 17, 31, 33, 100, 127, 1000, 1001, 1024};
enum { MODELLED_SIZES = 9 };

/* What a kernel's parameters may take of shared memory before compute capability 2.0 ("CUDA
 * Programming Guide 1.1", section 4.2.3: up to 256 bytes), and the sizes of grid and block. */
enum { PARAMETER_BYTES = 256 + 16 };

/* The gaps between rows differ, so a program that confuses two leading dimensions fails. */
enum { GAP_A = 1, GAP_B = 2, GAP_C = 3 };

double matmul_bound(struct matmul_step how, int n)
{
    const double u = 0x1p-24, reference = (double)n * 0x1p-53;
    const double kahan = 2 * u + 8 * (double)n * u * u;

    if (how.in_double && *how.in_double)
        return u + 2 * reference;
    switch (how.sum) {
    case SUM_PLAIN:
        return (double)n * u + reference;
    case SUM_KAHAN:
        return kahan + reference;
    default:
        return kahan + (double)(how.chunk < n ? how.chunk : n) * u + reference;
    }
}

/* Uniform numbers in [0, 1) in the matrix, and NaN between its rows, so that a read there shows. */
static void generate(float *m, size_t ld, int n, struct rng *rng)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        for (size_t j = 0; j < ld; j++)
            m[i * ld + j] = j < (size_t)n ? rng_float(rng) : NAN;
    }
}

static struct product new_product(int n, uint64_t seed)
{
    const size_t rows = (size_t)n;
    struct product p = {.lda = rows + GAP_A, .ldb = rows + GAP_B, .ldc = rows + GAP_C, .n = n};
    struct rng rng = rng_seed(seed);

    p.a = memory_host(rows * p.lda * sizeof(float));
    p.b = memory_host(rows * p.ldb * sizeof(float));
    p.c = memory_host(rows * p.ldc * sizeof(float));
    generate(p.a, p.lda, n, &rng);
    generate(p.b, p.ldb, n, &rng);
    memset(p.c, MEMORY_POISON, rows * p.ldc * sizeof(float));
    return p;
}

static void free_product(struct product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
}

/* Close the gaps between the rows of C. If something was written there, say so in `why`. */
static void pack(struct product *p, char *why, size_t size)
{
    const size_t n = (size_t)p->n;

    for (size_t i = 0; i < n; i++) {
        const float *row = p->c + i * p->ldc;
        unsigned char gap[GAP_C * sizeof(float)];

        memcpy(gap, row + n, sizeof(gap));
        for (size_t k = 0; k < sizeof(gap) && !*why; k++)
            if (gap[k] != MEMORY_POISON)
                snprintf(why, size, "C was written between its rows, after row %zu", i);
        memmove(p->c + i * n, row, n * sizeof(float));
    }
    p->ldc = n;
}

static json_t *own_fields(const struct product *p, bool checked,
                          const struct product_errors *errors, double bound)
{
    char digest[COMPARE_DIGEST_SIZE];

    if (checked)
        compare_digest(p->c, (size_t)p->n * (size_t)p->n * sizeof(float), digest);
    return json_pack("{s:o, s:o, s:f, s:I, s:s?}", "max_error",
                     isfinite(errors->max) ? json_real(errors->max) : json_null(), "average_error",
                     isfinite(errors->average) ? json_real(errors->average) : json_null(),
                     "error_bound", bound, "compared", (json_int_t)errors->compared, "digest",
                     checked ? digest : NULL);
}

/* What run_whole() repeats. */
struct call {
    matmul_function *gpu;
    const struct product *p;
};

static void make_call(struct run *run, void *context)
{
    const struct call *call = context;
    const struct product *p = call->p;

    call->gpu(p->a, p->lda, p->b, p->ldb, p->c, p->ldc, p->n, run);
}

/* A step: its device side, and what the host must know of it. */
struct problem {
    matmul_function *gpu;
    struct matmul_step how;
};

static struct measurement measure(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const int n = (int)session->options.n;
    const uint64_t seed = (uint64_t)session->options.seed;
    const double bound = matmul_bound(problem->how, n), rows = n;
    struct product p = new_product(n, seed);
    struct call call = {problem->gpu, &p};
    struct measurement measurement = measurement_new(session);
    struct product_errors errors = {.max = NAN, .average = NAN};
    char why[128] = "";

    if (n > 0) /* a grid has at least one block */
        run_whole(&measurement.run, make_call, &call);
    pack(&p, why, sizeof(why));
    measurement.work =
        (struct work){.bytes = 3 * rows * rows * sizeof(float), .flops = 2 * rows * rows * rows};
    if (session->options.check)
        measurement.verdict = product_check(&p, bound, seed, &errors);
    if (*why) {
        measurement.verdict.match = false;
        snprintf(measurement.verdict.why, sizeof(measurement.verdict.why), "%s", why);
    }
    measurement.own = own_fields(&p, session->options.check, &errors, bound);
    free_product(&p);
    return measurement;
}

/* Whether a block's registers fit the device: -1, or EXIT_SKIP after one line. */
static int refuse_registers(int most, const struct device *device)
{
    int registers;

    CHECK(cudaDeviceGetAttribute(&registers, cudaDevAttrMaxRegistersPerBlock, device->index));
    if (most <= registers)
        return -1;
    check_say("needs up to %d registers per block; %s has %d", most, device->name, registers);
    return EXIT_SKIP;
}

/* The device must be able to run the step's kernels, its shared memory must hold a row where the
 * step keeps one there, and its memory must hold the three matrices. */
static int refuse(void *self, const struct session *session)
{
    const struct matmul_step *how = &((const struct problem *)self)->how;
    const struct device *device = &session->device;
    const size_t shared = device->shared_per_block - (device->major < 2 ? PARAMETER_BYTES : 0);
    const size_t n = (size_t)session->options.n, row = n * how->row_bytes;
    int code;

    if (how->gpu_only && device->modelled) {
        check_say("needs a GPU: its kernels are machine code, of which %s runs none", device->name);
        return EXIT_SKIP;
    }
    code = refuse_registers(how->registers, device);
    if (code >= 0)
        return code;
    if (row > shared)
        return options_refuse(
            "--n %zu: a block keeps a row of %zu bytes in shared memory, and it has only %zu", n,
            row, shared);
    return memory_refuse(device, 3 * n * n * sizeof(float));
}

int matmul_main(int argc, char **argv, struct step step, matmul_function *gpu,
                struct matmul_step how)
{
    struct problem problem = {gpu, how};
    const struct chapter chapter = {
        .options = {.size = {.usual = MATMUL_N,
                             .max = MATMUL_MAX_N,
                             .why_max = "a matrix then has 2^30 elements",
                             .help = "rows and columns of a matrix"},
                    .rows = &how.option,
                    .row_count = 1},
        .sizes = awkward_sizes,
        .size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .modelled_count = MODELLED_SIZES,
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}
