/* h12b: warps that take turns.
 *
 * Claim:  a block needs half the shared memory for an exchange if half of its warps go first and
 *         the others follow. The paper's FFT loses 10 to 30 % to the extra steps, and may win more
 *         by a second block on the SM.
 * Today:  the same. No warp is divided, but each part of an exchange needs two barriers.
 * Pinned: all loops stay rolled.
 * See:    docs/hardware.md#h12b
 */
#include "hardware.h"

enum { THREADS = 128, TURNS = 16, WORK = 16 };

/* The block turns its numbers round, TURNS times: through shared memory for all of them at once, or
 * in PARTS, each when it is its warps' turn. */
template <int PARTS> __global__ void exchange(const int *in, int n, int *out)
{
    __shared__ unsigned words[THREADS / PARTS];
    const int t = threadIdx.x, from = THREADS - 1 - t, size = THREADS / PARTS;
    const int i = blockIdx.x * THREADS + t;
    unsigned x = in[i < n ? i : 0];

#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned next = 0;

#pragma unroll 1
        for (int k = 0; k < WORK; k++)
            x = x * 5 + k;
#pragma unroll 1
        for (int part = 0; part < PARTS; part++) {
            if (t / size == part)
                words[t % size] = x;
            __syncthreads();
            if (from / size == part)
                next = words[from % size];
            __syncthreads();
        }
        x = next;
    }
    if (i < n)
        out[i] = x;
}

template <int PARTS> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = t->n;
    TIMED(t->run)
        exchange<PARTS><<<t->run->blocks, THREADS>>>(t->in, t->n, t->out);
}

/* After an even number of turns every number is back, and has been multiplied on the way. */
static void cpu(const struct trial *t, int *out)
{
    for (int i = 0; i < t->n; i++) {
        unsigned x = t->host[i];

        for (int k = 0; k < TURNS * WORK; k++)
            x = x * 5 + k % WORK;
        out[i] = (int)x;
    }
}

static const struct variant variants[] = {
    {"exchange", "all warps exchange at once", launch<1>, 0, 0, "no figure"},
    {"roles", "half of the warps, then the others", launch<2>, 0, 0, "10 to 30 % slower"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 24, .modelled = 1 << 16, .min = 1, .max = 1 << 28},
    .unit = "Gnumber/s",
    .counters = {{"divergent branches", "divergent_branches"},
                 {"active lanes", "thread_instructions", "warp_instructions"}},
    .cpu = cpu,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
