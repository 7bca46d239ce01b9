#include "puzzle.h"

enum { ROWS = 16 };

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    const int *in = trial_ints(trial, 6 * n, 0, 1000);
    const buffer d_in = trial_input(trial, "in", in, 6 * n, sizeof(int));
    const buffer d_out = trial_output(trial, "out", n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(d_out), ARG(d_in));
}

static float mean(const float *in, int n, int row, int column)
{
    double sum = 0;
    int count = 0;

    for (int r = row; r >= 0 && r > row - 4; r--, count++)
        sum += (double)in[r * n + column];
    return (float)(sum / count);
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = ROWS * (size_t)n;
    const float *in = trial_floats(trial, count, -100, 100);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(float));
    const buffer d_out = trial_output(trial, "out", count, sizeof(float));
    float *expected = trial_zeros(trial, count, sizeof(float));

    LAUNCH(trial, "smooth", shape_line(parts((size_t)n, 64), 64), ARG(d_out), ARG(d_in), ARG(n));
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < n; column++)
            expected[row * n + column] = mean(in, n, row, column);
    expect_floats(trial, d_out, expected, count, 1e-3);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Memory nobody asked for",
    .group = "memory",
    .read = "docs/reduction.md#memory",
    SIZES(70, 1, 31, 33, 64, 128),
    .trial = try,
    .goals = {"requests to local memory: local_loads + local_stores == 0",
              "load requests per 32 numbers: (global_loads + global_atomics) / (n * 16 / 32) <= 1",
              "store requests per 32 numbers: global_stores / (n * 16 / 32) <= 1"},
    .prediction = "local_loads",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
