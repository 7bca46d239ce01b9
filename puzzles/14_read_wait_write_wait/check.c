#include "puzzle.h"

#include <string.h>

enum { CELLS = 128 };

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void one_round(int *cells)
{
    int next[CELLS];

    for (int i = 0; i < CELLS; i++)
        next[i] =
            ((i > 0 ? cells[i - 1] : 0) + 2 * cells[i] + (i < CELLS - 1 ? cells[i + 1] : 0)) / 4;
    memcpy(cells, next, sizeof(next));
}

/* n rods, and n rounds. */
static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n * CELLS;
    const int *in = trial_ints(trial, count, 0, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "heat", shape_line((unsigned)n, CELLS), ARG(d_out), ARG(d_in), ARG(n));
    memcpy(expected, in, count * sizeof(int));
    for (int rod = 0; rod < n; rod++)
        for (int k = 0; k < n; k++)
            one_round(expected + (ptrdiff_t)rod * CELLS);
    trial_rows(trial, d_out, CELLS);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Read, wait, write, wait",
    .group = "shared",
    .read = "docs/matmul.md#m5",
    SIZES(4, 1, 2, 3, 10),
    .trial = try,
    .goals = {"barriers per warp and round: barriers / (4 * n * n) <= 2.2",
              "load requests per 32 cells: (global_loads + global_atomics) / (4 * n) <= 1"},
    .prediction = "barriers",
    .predict = look,
    .predict_n = 70,
    .given = "race",
    .instructions = 400000,
};
