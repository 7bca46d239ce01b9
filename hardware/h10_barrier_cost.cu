/* h10: what a barrier costs, and who works meanwhile.
 *
 * Claim:  the paper asks how fast a loop is that has a barrier after so many multiply-adds, with
 *         one block on an SM and with two. A lone block idles while its warps gather; of two, one
 *         works while the other waits. (The numbers of its table 1 are lost.)
 * Today:  the same, with 512 threads per SM either way.
 * Pinned: the outer loop stays rolled, its body is unrolled.
 * See:    docs/hardware.md#h10
 */
#include <math.h>

#include "hardware.h"

enum { THREADS = 512, STARTS = 64 };

/* From -1 to 0, where the numbers stay. */
__host__ __device__ static float start_of(int number)
{
    return -(float)(number + 1) / (HARDWARE_BELOW + 1);
}

/* A round has FMAS multiply-adds that wait for each other, and at its end all threads do. */
template <int FMAS, bool BARRIER> __global__ void gather(const int *in, int rounds, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = start_of(in[i % STARTS]), b = start_of(in[(i + 1) % STARTS]);

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
    for (int i = 0; i < t->outputs; i++) {
        float a = start_of(t->host[i % STARTS]), b = start_of(t->host[(i + 1) % STARTS]);

        for (int f = 0; f < rounds_of(t) * t->variant->value && i < STARTS; f += 2) {
            a = fmaf(b, a, b);
            b = fmaf(a, b, a);
        }
        out[i] = i < STARTS ? (double)(a + b) : out[i % STARTS];
        tolerance[i] = 0; /* every operation is rounded once, on both */
    }
}

static const struct variant variants[] = {
    {"none", "256 multiply-adds, no barrier", launch<256, false>, 256, 1},
    {"each_256", "256 multiply-adds, a barrier", launch<256, true>, 256, 1},
    {"each_256_two", "the same in two blocks", launch<256, true>, 256, 2},
    {"each_64", "64 multiply-adds, a barrier", launch<64, true>, 64, 1},
    {"each_64_two", "the same in two blocks", launch<64, true>, 64, 2},
    {"each_16", "16 multiply-adds, a barrier", launch<16, true>, 16, 1},
    {"each_16_two", "the same in two blocks", launch<16, true>, 16, 2},
    {"each_4", "4 multiply-adds, a barrier", launch<4, true>, 4, 1},
    {"each_4_two", "the same in two blocks", launch<4, true>, 4, 2},
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
