#include "hgemm.h"

#include "product.h"

#include <math.h>

/* Around a product of tensor cores, and around tiles; 72: rows begin at multiples of 16 bytes. */
static const int sizes[PRODUCT_SIZES] = {0, 1, 15, 17, 63, 65, 72, 129, 1009, 1023};

/* Of 8 bits, as many as bfloat16 has. */
static float element(struct rng *rng)
{
    return (float)rng_below(rng, 256) * 0x1p-8f;
}

/* Tensor cores cut sums where ordinary additions round them, which at most doubles their error; C
 * is rounded to 8 bits. */
static double rounding(const void *step, int k)
{
    (void)step;
    return 0x1p-8 + 2 * (k + 2) * 0x1p-24;
}

/* How many products of tensor cores, of bfloat16 with sums in single precision, a device has for
 * each multiply-add of floats: the whitepapers of A100, H100 and GA102. */
static double tensor_cores(const void *step, const struct device *device)
{
    (void)step;
    return device->minor == 0 ? 16 : 4;
}

static void call(const void *step, const struct sgemm *p, struct run *run)
{
    hgemm_function *const *gpu = step;
    const struct hgemm matrices = {p->m,
                                   p->n,
                                   p->k,
                                   p->lda,
                                   p->ldb,
                                   p->ldc,
                                   p->alpha,
                                   p->beta,
                                   (const void *)p->a,
                                   (const void *)p->b,
                                   (void *)p->c};

    (*gpu)(&matrices, run);
}

int hgemm_main(int argc, char **argv, struct step step, hgemm_function *gpu)
{
    return product_main(argc, argv, step,
                        &(struct product){.element_size = sizeof(bf16),
                                          .element = element,
                                          .faster = tensor_cores,
                                          .sizes = sizes,
                                          .step = &gpu,
                                          .call = call,
                                          .rounding = rounding});
}

/* --- Other formats than bfloat16 -------------------------------------------------------------- */

struct formats {
    formats_function *gpu;
    int64_t format; /* --format */
};

/* Significant bits of each; of bytes, which have one step for all numbers, those that the least of
 * our elements has. And how many products there are for one of bfloat16. */
static const struct {
    int bits;
    double faster;
} formats[FORMATS] = {
    [TF32] = {11, 0.5}, [F16] = {11, 1}, [BF16] = {8, 1}, [E4M3] = {4, 2}, [S8] = {4, 2}};

/* From 1/16 to 1. */
static float element_of_formats(struct rng *rng)
{
    return 0.0625f + 0.9375f * rng_float(rng);
}

/* Both factors are rounded, and sums cut: those of e4m3 have 13 bits behind the point, and are cut
 * once for each of 32 products that are added at once, the sum before, and the sum after. */
static double rounding_of_formats(const void *step, int k)
{
    const int64_t format = ((const struct formats *)step)->format;
    const double factor = pow(2, -formats[format].bits);

    return factor * (2 + factor) + 2 * (k + 2) * 0x1p-24 +
           (format == E4M3 ? 34 * (k / 32 + 1) * 0x1p-13 : 0);
}

static double peak_of_formats(const void *step, const struct device *device)
{
    return tensor_cores(step, device) * formats[((const struct formats *)step)->format].faster;
}

static void call_formats(const void *step, const struct sgemm *p, struct run *run)
{
    const struct formats *how = step;

    how->gpu(p, (int)how->format, run);
}

int formats_main(int argc, char **argv, struct step step, formats_function *gpu)
{
    struct formats how = {gpu, E4M3};
    const struct option_row options[SGEMM_OPTIONS] = {
        {.name = "format",
         .value = &how.format,
         .max = FORMATS - 1,
         .help = "of the factors; 0: tf32; 1: f16; 2: bf16; 3: e4m3; 4: s8"}};

    return product_main(argc, argv, step,
                        &(struct product){.element_size = sizeof(float),
                                          .element = element_of_formats,
                                          .faster = peak_of_formats,
                                          .sizes = sizes,
                                          .step = &how,
                                          .call = call_formats,
                                          .rounding = rounding_of_formats,
                                          .options = options});
}
