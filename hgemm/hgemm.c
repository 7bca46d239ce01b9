#include "hgemm.h"

#include "product.h"

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
static double tensor_cores(const struct device *device)
{
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
