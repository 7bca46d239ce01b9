#include "product.h"

/* Around a half, one and two warps and tiles of 64 and 128. */
static const int sizes[PRODUCT_SIZES] = {0, 1, 15, 17, 63, 65, 127, 129, 1000, 1023};

/* What a product of two TF32 numbers may be off by: each is cut to 11 bits. */
static const double TF32_ROUNDING = 0x1p-9;

struct sgemm_call {
    sgemm_function *gpu;
    struct sgemm_step how;
};

static void call(const void *step, const struct sgemm *p, struct run *run)
{
    ((const struct sgemm_call *)step)->gpu(p, run);
}

static double rounding(const void *step, int k)
{
    const int64_t *tf32 = ((const struct sgemm_call *)step)->how.tf32;

    (void)k;
    return tf32 && *tf32 ? TF32_ROUNDING : 0;
}

int sgemm_main(int argc, char **argv, struct step step, sgemm_function *gpu, struct sgemm_step how)
{
    const struct sgemm_call itself = {gpu, how};

    return product_main(argc, argv, step,
                        &(struct product){.element_size = sizeof(float),
                                          .element = rng_float,
                                          .sizes = sizes,
                                          .step = &itself,
                                          .call = call,
                                          .rounding = rounding,
                                          .gpu_only = how.gpu_only,
                                          .options = how.options});
}
