#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    const int *in = trial_ints(trial, 5 * n, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, 5 * n, sizeof(int));
    const buffer d_out = trial_output(trial, "out", n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(d_out), ARG(d_in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n * (size_t)n;
    const unsigned blocks = parts((size_t)n, 16);
    const int *in = trial_ints(trial, count, 0, 1 << 24);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "fade", shape_plane(blocks, blocks, 16, 16), ARG(d_out), ARG(d_in), ARG(n));
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            expected[row * n + column] = in[row * n + column] - row;
    trial_rows(trial, d_out, (size_t)n);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Along the row",
    .group = "memory",
    .read = "docs/start.md#a4",
    SIZES(50, 1, 15, 17, 33, 64),
    .trial = try,
    .goals = {"sectors loaded per 8 numbers: (global_load_sectors + global_atomic_sectors) / (n * "
              "n / 8) <= 1",
              "sectors stored per 8 numbers: global_store_sectors / (n * n / 8) <= 1"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
