/* h14: lanes read each other's registers.
 *
 * Claim:  a shuffle needs no shared memory and no barrier. A lane reads the register of a lane
 *         above it (__shfl_down_sync), below it (up), across from it (xor), or of any lane
 *         (__shfl_sync). Past the edge it gets its own number back.
 * Today:  the same. A width of 8 divides the warp into four groups, each with edges of its own.
 * Pinned: the loop stays rolled, its body is unrolled.
 * See:    docs/hardware.md#h14
 */
#include "reference.cuh"

enum { THREADS = 256, ROUNDS = 256, UNROLL = 16 };

template <int KIND, int BY, int WIDTH> __device__ static int shuffle(int x)
{
    switch (KIND) {
    case DOWN:
        return __shfl_down_sync(~0u, x, BY, WIDTH);
    case UP:
        return __shfl_up_sync(~0u, x, BY, WIDTH);
    case XOR:
        return __shfl_xor_sync(~0u, x, BY, WIDTH);
    default:
        return __shfl_sync(~0u, x, BY, WIDTH);
    }
}

/* Lanes past the end take part, with the first number. */
template <int KIND, int BY, int WIDTH> __global__ void shuffles(const int *in, int n, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int x = in[i < n ? i : 0];

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round += UNROLL)
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            x = shuffle<KIND, BY, WIDTH>(x) + (int)threadIdx.x;
    if (i < n)
        out[i] = x;
}

template <int KIND, int BY, int WIDTH> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = (double)t->run->blocks * THREADS * ROUNDS;
    TIMED(t->run)
        shuffles<KIND, BY, WIDTH><<<t->run->blocks, THREADS>>>(t->in, t->n, t->out);
}

/* The last number is the distance, plus 100 times the width if that is not 32. */
static const struct variant variants[] = {
    {"down_1", "from the next lane", launch<DOWN, 1, 32>, DOWN, 1, "no figure"},
    {"down_20", "past the edge for 20 lanes", launch<DOWN, 20, 32>, DOWN, 20, "its own value"},
    {"up_1", "from the lane before", launch<UP, 1, 32>, UP, 1, "no figure"},
    {"xor_16", "from the other half", launch<XOR, 16, 32>, XOR, 16, "no figure"},
    {"index_5", "all from lane 5", launch<INDEX, 5, 32>, INDEX, 5, "no figure"},
    {"down_1_of_8", "groups of 8 lanes", launch<DOWN, 1, 8>, DOWN, 801},
    {"index_5_of_8", "from lane 5 of each 8", launch<INDEX, 5, 8>, INDEX, 805},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .unit = "Gshuffle/s",
    .counters = {{"warp instructions", "warp_instructions"}, {"shared requests", "shared_loads"}},
    .cpu = reference_shuffles<THREADS, ROUNDS>,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
