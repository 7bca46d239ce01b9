/* h09: how many threads hide the pipeline.
 *
 * Claim:  an instruction waits for the result of the one before it, some 24 clocks on the first
 *         CUDA cards, and other warps fill the wait. The guide says that 192 threads per SM are
 *         enough. The paper measures 256 on a GTX 280, in however many blocks.
 * Today:  the wait is 4 clocks, but each of four schedulers issues for a whole warp every clock. It
 *         takes four warps per scheduler: 512 threads.
 * Pinned: both loops stay rolled; the body of the first is unrolled.
 * See:    docs/hardware.md#h09
 */
#include "multiply_adds.h"

enum { UNROLL = 256 };

__global__ void multiply_add(const int *in, int rounds, float *out, long long *clocks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long start = clock64();
    float a = start_of(in[i % STARTS], 1), b = start_of(in[(i + 1) % STARTS], 1);

#pragma unroll 1
    for (int round = UNROLL; round <= rounds; round += UNROLL)
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            a = fmaf(b, a, b);
            b = fmaf(a, b, a);
        }
#pragma unroll 1
    for (int round = 0; round < rounds % UNROLL; round++) {
        a = fmaf(b, a, b);
        b = fmaf(a, b, a);
    }
    out[i] = __fadd_rn(a, b);
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = clock64() - start;
}

/* Blocks of variant->value threads, variant->other of them on each SM. */
static void launch(struct trial *t)
{
    const unsigned blocks = t->variant->other * t->device->multiprocessors;
    const double fmas = 2.0 * t->n * t->outputs;
    long long *d_clocks = device_output(long long, t->run, blocks);

    t->run->blocks = blocks;
    t->run->threads = t->variant->value;
    t->work = 2 * fmas;
    TIMED(t->run)
        multiply_add<<<blocks, t->run->threads>>>(t->in, t->n, (float *)t->out, d_clocks);
    t->figure = fmas / t->device->multiprocessors / hardware_clocks(t, d_clocks, blocks);
    device_free(t->run, d_clocks);
}

static int outputs(const struct trial *t)
{
    return t->variant->value * t->variant->other * t->device->multiprocessors;
}

static void cpu(const struct trial *t, double *out, double *tolerance)
{
    multiply_adds_cpu(t, t->n, out, tolerance);
}

static const struct variant variants[] = {
    {"threads_32", "32 threads per SM", launch, 32, 1},
    {"threads_64", "64", launch, 64, 1},
    {"threads_128", "128", launch, 128, 1},
    {"threads_192", "192", launch, 192, 1, "enough, says the guide"},
    {"threads_256", "256", launch, 256, 1, "620 GFLOP/s, says the paper"},
    {"threads_2x128", "256, in two blocks", launch, 128, 2, "the same"},
    {"threads_4x64", "256, in four blocks", launch, 64, 4, "the same"},
    {"threads_384", "384", launch, 384, 1, "the same"},
    {"threads_512", "512", launch, 512, 1, "the same"},
    {"threads_3x256", "768, in three blocks", launch, 256, 3, "the same"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 16384, .modelled = 8192, .max = 1 << 20, .help = "rounds of the loop"},
    .unit = "GFLOP/s",
    .figure = "FMA/clock/SM",
    .counters = {{"warp instructions", "warp_instructions"}, {"occupancy", "occupancy"}},
    .inputs_more = STARTS,
    .outputs = outputs,
    .cpu_float = cpu,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
