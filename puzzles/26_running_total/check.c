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

    LAUNCH(trial, "running_total", shape_line(parts(count, 256), 256), ARG(d_out), ARG(d_in),
           ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = in[i] + (i % 256 > 0 ? expected[i - 1] : 0);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "A running total",
    .group = "algorithms",
    .read = "docs/scan.md#c1",
    SIZES(600, 1, 31, 257, 1021, 2048),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1",
              "instructions per warp: warp_instructions / (n / 32) <= 260"},
    .prediction = "shared_stores",
    .predict = look,
    .predict_n = 128,
};
