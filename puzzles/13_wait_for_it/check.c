#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "difference", shape_line(parts(count, 256), 256), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = in[i] - (i > 0 ? in[i - 1] : 0);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Wait for it",
    .group = "shared",
    .read = "docs/start.md#a6",
    SIZES(1, 32, 33, 256, 257, 1000, 4096),
    .trial = try,
    .goals = {"load requests per 32 elements: global_loads / (n / 32) <= 1.125",
              "bank conflicts: shared_bank_conflicts == 0",
              "barriers per warp: barriers / (n / 32) <= 1"},
    .prediction = "shared_load_wavefronts",
    .predict = look,
    .predict_n = 32,
    .given = "race",
};
