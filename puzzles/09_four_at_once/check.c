#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    const int *in = trial_ints(trial, 2 * (n + 1), -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, n + 1, 2 * sizeof(int));
    const buffer d_out = trial_output(trial, "out", n, 2 * sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(d_out), ARG(d_in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *x = trial_ints(trial, count, -1000000, 1000000);
    const int *y = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_x = trial_input(trial, "x", x, count, sizeof(int));
    const buffer d_y = trial_inout(trial, "y", y, count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "add_to", shape_line(parts(count, 4 * 128), 128), ARG(d_y), ARG(d_x), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = x[i] + y[i];
    expect_ints(trial, d_y, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Four at once",
    .group = "memory",
    .read = "docs/reduction.md#r8b",
    SIZES(1003, 1, 2, 4, 513, 2046, 4096),
    .trial = try,
    .goals = {"load requests per 128 elements: (global_loads + global_atomics) / (n / 128) <= 2",
              "store requests per 128 elements: global_stores / (n / 128) <= 1",
              "sectors loaded per 8 elements: (global_load_sectors + global_atomic_sectors) / (n / "
              "8) <= 2"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
