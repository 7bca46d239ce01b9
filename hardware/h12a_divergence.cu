/* h12a: a branch costs what its warp has to execute.
 *
 * Claim:  the warps of a block may do different things at little cost. A branch that divides the
 *         threads of one warp makes the warp walk both ways.
 * Today:  the same. The compiler does not branch around a few instructions but predicates them, so
 *         the two ways here are loops.
 * Pinned: both loops stay rolled.
 * See:    docs/hardware.md#h12a
 */
#include "hardware.h"

enum { THREADS = 128, ROUNDS = 64 };

__device__ static unsigned left(unsigned x)
{
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++)
        x = x * 5 + k;
    return x;
}

__device__ static unsigned right(unsigned x)
{
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++)
        x = (x ^ k) * 3;
    return x;
}

/* Groups of GROUP threads take turns to go left and right; none: all go left. */
template <int GROUP> __global__ void branches(const int *in, int n, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned x = in[i < n ? i : 0];

    if (GROUP == 0 || threadIdx.x / (GROUP ? GROUP : 1) % 2 == 0)
        x = left(x);
    else
        x = right(x);
    if (i < n)
        out[i] = x;
}

template <int GROUP> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = t->n;
    TIMED(t->run)
        branches<GROUP><<<t->run->blocks, THREADS>>>(t->in, t->n, t->out);
}

static void cpu(const struct trial *t, int *out)
{
    const int group = t->variant->value;

    for (int i = 0; i < t->n; i++) {
        unsigned x = t->host[i];

        for (int k = 0; k < ROUNDS; k++)
            x = group == 0 || i % THREADS / group % 2 == 0 ? x * 5 + k : (x ^ k) * 3;
        out[i] = (int)x;
    }
}

static const struct variant variants[] = {
    {"together", "all threads go left", launch<0>, 0},
    {"by_warp", "every other warp goes right", launch<32>, 32, 0, "no cost to speak of"},
    {"by_half_warp", "every other half-warp", launch<16>, 16, 0, "one side after the other"},
    {"by_lane", "every other lane", launch<1>, 1, 0, "one side after the other"},
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
