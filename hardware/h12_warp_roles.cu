/* h12: a branch costs what its warp has to execute.
 *
 * Claim:  the warps of a block may do different things at little cost, 10 to 30 % for the paper's
 *         warp roles. A branch that divides the threads of a warp makes it walk both ways.
 * Today:  the same. Bodies of a few instructions are not branched around at all but predicated, so
 *         those here are loops.
 * Pinned: all loops stay rolled.
 * See:    docs/hardware.md#h12
 */
#include "hardware.h"

enum { THREADS = 128, ROUNDS = 64, TURNS = 16, WORK = 16 };

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

/* The block turns its numbers round, in shared memory for all, or for half: warps take turns. */
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

template <void (*KERNEL)(const int *, int, int *)> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = t->n;
    TIMED(t->run)
        KERNEL<<<t->run->blocks, THREADS>>>(t->in, t->n, t->out);
}

/* After an even number of turns every number is back, and has been multiplied on the way. */
static void cpu(const struct trial *t, int *out)
{
    const int group = t->variant->value, rounds = t->variant->other ? TURNS * WORK : ROUNDS;
    const int cycle = t->variant->other ? WORK : ROUNDS;

    for (int i = 0; i < t->n; i++) {
        unsigned x = t->host[i];

        for (int k = 0; k < rounds; k++)
            x = group == 0 || i % THREADS / group % 2 == 0 ? x * 5 + k % cycle : (x ^ k) * 3;
        out[i] = (int)x;
    }
}

static const struct variant variants[] = {
    {"together", "all threads go left", launch<branches<0>>, 0},
    {"by_warp", "every other warp goes right", launch<branches<32>>, 32, 0, "no cost to speak of"},
    {"by_half_warp", "every other half-warp", launch<branches<16>>, 16},
    {"by_lane", "every other lane", launch<branches<1>>, 1},
    {"exchange", "all warps exchange at once", launch<exchange<1>>, 0, 1},
    {"roles", "half of the warps, then the others", launch<exchange<2>>, 0, 1, "10 to 30 % slower"},
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
