#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_plane(1, 1, 8, 8), ARG(out));
}

/* n rows; as many columns where that is a multiple of 32, else a few more. */
static void try(struct trial *trial)
{
    const int n = trial->n, columns = n % 32 == 0 ? n : n + 5;
    const size_t count = (size_t)n * (size_t)columns;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "transpose", shape_plane(parts((size_t)columns, 32), parts((size_t)n, 32), 32, 8),
           ARG(d_out), ARG(d_in), ARG(n), ARG(columns));
    for (int r = 0; r < n; r++)
        for (int c = 0; c < columns; c++)
            expected[c * n + r] = in[r * columns + c];
    trial_rows(trial, d_out, (size_t)n);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Rows to columns",
    .group = "algorithms",
    .read = "docs/reduction.md#banks",
    SIZES(40, 1, 30, 33, 64),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: global_load_sectors / (n * n / 8) <= 1",
              "sectors stored per 8 elements: global_store_sectors / (n * n / 8) <= 1",
              "bank conflicts: shared_bank_conflicts == 0"},
    .prediction = "global_store_sectors",
    .predict = look,
    .predict_n = 64,
    .given = "goal",
};
