/* h08: as many multiply-adds as the card can do.
 *
 * Claim:  a = b * a + b and b = a * b + a in registers reach 622 of the GTX 280's 933 GFLOP/s. That
 *         is every multiply-add it can do: 240 per clock at 1.296 GHz. The rest would be a product
 *         issued beside each of them.
 * Today:  the peak counts fused multiply-adds alone, and the loop reaches it.
 * Pinned: the outer loop stays rolled, its body is unrolled.
 * See:    docs/hardware.md#h08
 */
#include "multiply_adds.h"

enum { THREADS = 256, ROUNDS = 16384, UNROLL = 256, ROOM = 8 };

/* CHAINS pairs of numbers in a thread, each product waiting for the one before it in its pair. With
 * PRODUCTS also a number that is only multiplied. */
template <int CHAINS, bool PRODUCTS>
__global__ void multiply_add(const int *in, int n, int rounds, float *out, long long *clocks)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, number = in[i % STARTS];
    const long long start = clock64();
    const float one = n > 0; /* which the compiler does not know */
    float a[CHAINS], b[CHAINS], product = 1, sum = 0;

#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        a[c] = start_of(number + c, ROOM);
        b[c] = start_of(number / 2 + c, ROOM);
    }
#pragma unroll 1
    for (int round = 0; round < rounds; round += UNROLL / CHAINS)
#pragma unroll
        for (int u = 0; u < UNROLL / CHAINS; u++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                a[c] = fmaf(b[c], a[c], b[c]);
                if (PRODUCTS)
                    product = __fmul_rn(product, one);
                b[c] = fmaf(a[c], b[c], a[c]);
            }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum = __fadd_rn(sum, __fadd_rn(a[c], b[c]));
    if (i < n)
        out[i] = __fmul_rn(sum, product);
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = clock64() - start;
}

template <int CHAINS, bool PRODUCTS> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    const unsigned blocks = t->run->blocks;
    const int rounds = hardware_rounds(t, ROUNDS) / CHAINS;
    const double fmas = 2.0 * CHAINS * rounds * THREADS * blocks;
    long long *d_clocks = device_output(long long, t->run, blocks);

    t->work = fmas * (PRODUCTS ? 2.5 : 2);
    TIMED(t->run)
        multiply_add<CHAINS, PRODUCTS>
            <<<blocks, THREADS>>>(t->in, t->n, rounds, (float *)t->out, d_clocks);
    t->figure = fmas / t->device->multiprocessors / hardware_clocks(t, d_clocks, blocks);
    device_free(t->run, d_clocks);
}

static void cpu(const struct trial *t, double *out, double *tolerance)
{
    const int chains = t->variant->value, rounds = hardware_rounds(t, ROUNDS) / chains;

    for (int i = 0; i < t->n; i++) {
        float sum = 0;

        for (int c = 0; c < chains && i < STARTS; c++)
            sum += multiply_adds(start_of(t->host[i] + c, ROOM), start_of(t->host[i] / 2 + c, ROOM),
                                 rounds);
        out[i] = i < STARTS ? (double)sum : out[i % STARTS];
        tolerance[i] = 0;
    }
}

static const struct variant variants[] = {
    {"mad", "a = b * a + b, b = a * b + a", launch<1, false>, 1, 0, "GTX 280: 622 GFLOP/s"},
    {"mad_by_4", "four pairs in each thread", launch<4, false>, 4},
    {"mad_and_mul", "a multiplication beside each two", launch<1, true>, 1, 0,
     "GTX 280: 933 GFLOP/s"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants), .size = {.usual = 1 << 20, .min = 1, .max = 1 << 24},
    .fills_device = true,        .unit = "GFLOP/s",
    .figure = "FMA/clock/SM",    .counters = {{"warp instructions", "warp_instructions"}},
    .inputs_more = STARTS,       .cpu_float = cpu,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
