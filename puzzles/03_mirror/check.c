#include "puzzle.h"

static void look(struct trial *trial)
{
    const int columns = trial->n;
    const buffer out = trial_output(trial, "out", 2 * (size_t)columns, sizeof(int));

    LAUNCH(trial, "look", shape_plane(1, 1, 16, 2), ARG(out), ARG(columns));
}

/* n columns, and half as many rows. */
static void try(struct trial *trial)
{
    const int columns = trial->n, rows = (columns + 1) / 2;
    const size_t count = (size_t)rows * (size_t)columns;
    const int *in = trial_ints(trial, count, 0, 1 << 24);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "mirror", shape_plane(parts((size_t)columns, 32), parts((size_t)rows, 8), 32, 8),
           ARG(d_out), ARG(d_in), ARG(rows), ARG(columns));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            expected[row * columns + column] = in[row * columns + columns - 1 - column];
    trial_rows(trial, d_out, (size_t)columns);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Left is right",
    .group = "threads",
    .read = "docs/start.md#a4",
    SIZES(40, 1, 2, 31, 33, 65, 64),
    .trial = try,
    .goals =
        {"load requests per 32 pixels: (global_loads + global_atomics) / (n * n / 2 / 32) <= 1",
         "store requests per 32 pixels: global_stores / (n * n / 2 / 32) <= 1"},
    .prediction = "global_store_sectors",
    .predict = look,
    .predict_n = 100,
};
