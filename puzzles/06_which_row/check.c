#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    int *start = trial_zeros(trial, n + 1, sizeof(int));

    for (size_t r = 0; r <= n; r++)
        start[r] = 4 * (int)r;
    const buffer d_start = trial_input(trial, "start", start, n + 1, sizeof(int));
    const buffer d_row = trial_output(trial, "row", n, sizeof(int));
    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(d_row), ARG(d_start));
}

/* Rows of 0 to 16 elements; the last has what remains, and may be empty as well. */
static void try(struct trial *trial)
{
    const int n = trial->n, rows = (n + 7) / 8;
    int *start = trial_zeros(trial, (size_t)rows + 1, sizeof(int));
    int *expected = trial_zeros(trial, (size_t)n, sizeof(int));

    for (int r = 1; r < rows; r++) {
        const int length = trial_random(trial, 3) ? (int)trial_random(trial, 17) : 0;
        start[r] = start[r - 1] + length < n ? start[r - 1] + length : n;
    }
    start[rows] = n;
    const buffer d_start = trial_input(trial, "start", start, (size_t)rows + 1, sizeof(int));
    const buffer d_row = trial_output(trial, "row", (size_t)n, sizeof(int));
    LAUNCH(trial, "find_rows", shape_line(parts((size_t)n, 128), 128), ARG(d_row), ARG(d_start),
           ARG(rows), ARG(n));
    for (int r = 0; r < rows; r++)
        for (int i = start[r]; i < start[r + 1]; i++)
            expected[i] = r;
    expect_ints(trial, d_row, expected, (size_t)n);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Which row is mine?",
    .group = "threads",
    .read = "docs/prime.md#p5b",
    SIZES(300, 1, 7, 33, 257, 1009, 2048),
    .trial = try,
    .goals = {"load requests per 32 elements: (global_loads + global_atomics) / (n / 32) <= 14",
              "store requests per 32 elements: global_stores / (n / 32) <= 1"},
    .prediction = "global_loads",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
    .instructions = 400000,
};
