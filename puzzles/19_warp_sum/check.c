#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n, warps = count / 32;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_sums = trial_output(trial, "sums", warps, sizeof(int));
    int *expected = trial_zeros(trial, warps, sizeof(int));

    LAUNCH(trial, "warp_sums", shape_line(parts(count, 128), 128), ARG(d_sums), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i / 32] += in[i];
    expect_ints(trial, d_sums, expected, warps);
}

const struct puzzle THIS_PUZZLE = {
    .title = "A warp adds up",
    .group = "warps",
    .read = "docs/reduction.md#r8",
    SIZES(992, 32, 96, 160, 4096),
    .trial = try,
    .goals = {"load requests per warp: global_loads / (n / 32) <= 1",
              "shared memory requests: shared_loads + shared_stores + shared_atomics == 0",
              "atomics: global_atomics == 0",
              "instructions per warp: warp_instructions / (n / 32) <= 60"},
    .prediction = "divergent_branches",
    .predict = look,
    .predict_n = 128,
};
