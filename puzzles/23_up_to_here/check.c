#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    const buffer out = trial_output(trial, "out", n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(out));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "warp_totals", shape_line(parts(count, 128), 128), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = in[i] + (i % 32 ? expected[i - 1] : 0);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Up to here",
    .group = "warps",
    .read = "docs/reduction.md#r8",
    SIZES(1000, 1, 31, 33, 257, 4096),
    .trial = try,
    .goals = {"load requests per warp: global_loads / (n / 32) <= 1",
              "shared memory requests: shared_loads + shared_stores + shared_atomics == 0",
              "instructions per warp: warp_instructions / (n / 32) <= 70"},
    .prediction = "global_store_sectors",
    .predict = look,
    .predict_n = 64,
};
