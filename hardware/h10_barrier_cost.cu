/* h10: what a barrier costs, and who works meanwhile.
 *
 * Claim:  a lone block on an SM idles while its warps gather at a barrier; of two blocks, one works
 *         while the other waits. How much that is, for several ratios of multiply-adds to
 *         barriers, the paper says in its table 1, whose numbers are lost.
 * Today:  the same question, measured with 512 threads per SM, in one block or in two.
 * Pinned: the outer loop stays rolled, its body is unrolled.
 * See:    docs/hardware.md#h10
 */
#include "multiply_adds.h"

enum { THREADS = 512 };

/* A round has FMAS multiply-adds that wait for each other, and at its end all threads do. */
template <int FMAS, bool BARRIER> __global__ void gather(const int *in, int rounds, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = start_of(in[i % STARTS], 1), b = start_of(in[(i + 1) % STARTS], 1);

#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int f = 0; f < FMAS; f += 2) {
            a = fmaf(b, a, b);
            b = fmaf(a, b, a);
        }
        if (BARRIER)
            __syncthreads();
    }
    out[i] = __fadd_rn(a, b);
}

static int rounds_of(const struct trial *t)
{
    return (t->n + t->variant->value - 1) / t->variant->value;
}

/* variant->other blocks on each SM. */
template <int FMAS, bool BARRIER> static void launch(struct trial *t)
{
    const double fmas = (double)FMAS * rounds_of(t) * t->outputs;

    t->run->blocks = t->variant->other * t->device->multiprocessors;
    t->run->threads = THREADS / t->variant->other;
    t->work = 2 * fmas;
    TIMED(t->run)
        gather<FMAS, BARRIER>
            <<<t->run->blocks, t->run->threads>>>(t->in, rounds_of(t), (float *)t->out);
    t->figure =
        fmas / t->device->multiprocessors / (run_times(t->run).median * 1e-3 * t->device->clock_hz);
}

static int outputs(const struct trial *t)
{
    return THREADS * t->device->multiprocessors;
}

static void cpu(const struct trial *t, double *out, double *tolerance)
{
    multiply_adds_cpu(t, rounds_of(t) * t->variant->value / 2, out, tolerance);
}

static const struct variant variants[] = {
    {"none", "256 multiply-adds, no barrier", launch<256, false>, 256, 1, "lost in our copy"},
    {"each_256", "256 multiply-adds, a barrier", launch<256, true>, 256, 1, "lost in our copy"},
    {"each_256_two", "the same in two blocks", launch<256, true>, 256, 2, "lost in our copy"},
    {"each_64", "64 multiply-adds, a barrier", launch<64, true>, 64, 1, "lost in our copy"},
    {"each_64_two", "the same in two blocks", launch<64, true>, 64, 2, "lost in our copy"},
    {"each_16", "16 multiply-adds, a barrier", launch<16, true>, 16, 1, "lost in our copy"},
    {"each_16_two", "the same in two blocks", launch<16, true>, 16, 2, "lost in our copy"},
    {"each_4", "4 multiply-adds, a barrier", launch<4, true>, 4, 1, "lost in our copy"},
    {"each_4_two", "the same in two blocks", launch<4, true>, 4, 2, "lost in our copy"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 65536, .modelled = 4096, .max = 1 << 20, .help = "multiply-adds per thread"},
    .unit = "GFLOP/s",
    .figure = "FMA/clock/SM",
    .counters = {{"barriers", "barriers"}, {"warp instructions", "warp_instructions"}},
    .inputs_more = STARTS,
    .outputs = outputs,
    .cpu_float = cpu,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
