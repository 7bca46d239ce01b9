#include "puzzle.h"

static void look(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n + 64;
    const buffer in = trial_input(trial, "in", trial_ints(trial, count, 0, 99), count, sizeof(int));
    const buffer out = trial_output(trial, "out", (size_t)n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(out), ARG(in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "blur", shape_line(parts(count, 256), 256), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        for (int k = i < 3 ? 0 : i - 3; k <= i + 3 && k < n; k++)
            expected[i] += in[k];
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Neighbours count",
    .group = "algorithms",
    .read = "docs/start.md#a6",
    SIZES(600, 1, 5, 257, 258, 1021, 2048),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1.4"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
