#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    const float *in = trial_floats(trial, 4 * n, -1, 1);
    const buffer d_in = trial_input(trial, "in", in, 4 * n, sizeof(float));
    const buffer d_out = trial_output(trial, "out", n, sizeof(float));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(d_out), ARG(d_in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const float *in = trial_floats(trial, count, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(float));
    const buffer d_out = trial_output(trial, "out", count, sizeof(float));
    float *expected = trial_zeros(trial, count, sizeof(float));

    LAUNCH(trial, "halve", shape_line(parts(count, 4 * 128), 128), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = 0.5F * in[i];
    expect_floats(trial, d_out, expected, count, 0); /* halving is exact */
}

const struct puzzle THIS_PUZZLE = {
    .title = "Neighbours read neighbours",
    .group = "memory",
    .read = "docs/sumsq.md#v3",
    SIZES(1, 33, 511, 513, 1000, 4096),
    .trial = try,
    .goals = {"sectors loaded per 8 floats: global_load_sectors / (n / 8) <= 1",
              "sectors stored per 8 floats: global_store_sectors / (n / 8) <= 1"},
    .prediction = "global_load_sectors / global_loads",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
