#include "puzzle.h"

static void look(struct trial *trial)
{
    const int n = trial->n;
    const buffer out = trial_output(trial, "out", (size_t)n, sizeof(int));

    LAUNCH(trial, "look", shape_line(parts((size_t)n, 256), 256), ARG(out), ARG(n));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const int *in = trial_ints(trial, (size_t)n, -100000, 100000);
    const buffer d_in = trial_input(trial, "in", in, (size_t)n, sizeof(int));
    const buffer d_out = trial_output(trial, "out", (size_t)n, sizeof(int));
    int *expected = trial_zeros(trial, (size_t)n, sizeof(int));

    LAUNCH(trial, "affine", shape_line(parts((size_t)n, 256), 256), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = 3 * in[i] + 1;
    expect_ints(trial, d_out, expected, (size_t)n);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Every element once",
    .group = "threads",
    .read = "docs/start.md#a2",
    SIZES(1000, 1, 31, 256, 257, 5000),
    .trial = try,
    .goals = {"load requests per warp of elements: global_loads / (n / 32) <= 1.01",
              "instructions per warp of elements: warp_instructions / (n / 32) <= 25"},
    .prediction = "global_stores",
    .predict = look,
    .predict_n = 1000,
};
