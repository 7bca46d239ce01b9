#include "puzzle.h"

#include <stdlib.h>

static void look(struct trial *trial)
{
    const int n = trial->n;
    const int *in = trial_ints(trial, (size_t)n, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, (size_t)n, sizeof(int));
    const buffer d_out = trial_output(trial, "out", (size_t)n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, 64), ARG(d_out), ARG(d_in), ARG(n));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "absolute", shape_line(4, 128), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = abs(in[i]);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "More elements than threads",
    .group = "threads",
    .read = "docs/start.md#a3",
    SIZES(1000, 1, 31, 511, 513, 1537, 4096),
    .trial = try,
    .goals = {"load requests per 32 elements: (global_loads + global_atomics) / (n / 32) <= 1",
              "store requests per 32 elements: global_stores / (n / 32) <= 1"},
    .prediction = "global_loads",
    .predict = look,
    .predict_n = 130,
    .instructions = 400000,
};
