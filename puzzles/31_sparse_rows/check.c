#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t count = 128;
    const buffer in = trial_input(trial, "in", trial_ints(trial, count, 0, 99), count, sizeof(int));
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out), ARG(in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t rows = (size_t)n;
    const size_t width = rows + 128;
    int *begin = trial_zeros(trial, rows + 1, sizeof(int));
    int *column = trial_zeros(trial, 64 * rows, sizeof(int));
    int *expected = trial_zeros(trial, rows, sizeof(int));

    for (int row = 0, length = 0; row < n; row++) {
        if (row % 2 == 1)
            length = 64 - length; /* two rows have 64 elements: 32 per row in an even number */
        else
            length = row % 16 == 0 ? 0 : (int)trial_random(trial, 65);
        begin[row + 1] = begin[row] + length;
        for (int k = begin[row], c = row; k < begin[row + 1]; k++) {
            column[k] = c;
            c += 1 + (int)trial_random(trial, 2);
        }
    }
    const size_t count = (size_t)begin[n];
    const int *value = trial_ints(trial, count + 1, 1, 9); /* room for one: no array is empty */
    const int *x = trial_ints(trial, width, -1000, 1000);
    const buffer d_y = trial_output(trial, "y", rows, sizeof(int));
    const buffer d_begin = trial_input(trial, "begin", begin, rows + 1, sizeof(int));
    const buffer d_column = trial_input(trial, "column", column, count + 1, sizeof(int));
    const buffer d_value = trial_input(trial, "value", value, count + 1, sizeof(int));
    const buffer d_x = trial_input(trial, "x", x, width, sizeof(int));

    LAUNCH(trial, "multiply", shape_line(parts(rows, 4), 128), ARG(d_y), ARG(d_begin),
           ARG(d_column), ARG(d_value), ARG(d_x), ARG(n));
    for (int row = 0; row < n; row++)
        for (int k = begin[row]; k < begin[row + 1]; k++)
            expected[row] += value[k] * x[column[k]];
    expect_ints(trial, d_y, expected, rows);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Sparse rows",
    .group = "algorithms",
    .read = "docs/reduction.md#r8",
    SIZES(50, 1, 2, 31, 33, 67, 128),
    .trial = try,
    .goals = {"sectors loaded per element: global_load_sectors / (32 * n) <= 0.75"},
    .prediction = "global_loads",
    .predict = look,
    .predict_n = 64,
    .given = "goal",
};
