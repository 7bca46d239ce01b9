#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static uint32_t stir(uint32_t x)
{
    for (int k = 0; k < 12; k++)
        x = (x ^ x >> 7) * 2654435761u;
    return x;
}

static uint32_t shake(uint32_t x)
{
    for (int k = 0; k < 8; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -2000000000, 2000000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "both", shape_line(parts(count, 64), 64), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = (int)(i % 2 == 0 ? stir((uint32_t)in[i]) : shake((uint32_t)in[i]));
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Two kinds of work",
    .group = "warps",
    .read = "docs/start.md#a5",
    SIZES(1000, 1, 2, 33, 1021, 4096),
    .trial = try,
    .goals = {"divergent branches: divergent_branches == 0",
              "instructions per warp: warp_instructions / (n / 32) <= 85"},
    .prediction = "global_stores",
    .predict = look,
    .predict_n = 64,
    .given = "goal",
};
