#include "puzzle.h"

enum { COLUMNS = 32 };

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void share(float *shares, const float *row)
{
    double sum = 0;

    for (int k = 0; k < COLUMNS; k++)
        sum += (double)row[k];
    for (int k = 0; k < COLUMNS; k++)
        shares[k] = sum > 0 ? (float)((double)row[k] / sum) : 0;
}

/* n rows, of which one is all zeros. */
static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n * COLUMNS;
    float *in = trial_floats(trial, count, 0, 10);
    float *expected = trial_zeros(trial, count, sizeof(float));
    const uint32_t empty = trial_random(trial, (uint32_t)n);

    for (int k = 0; k < COLUMNS; k++)
        in[empty * COLUMNS + (uint32_t)k] = 0;
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(float));
    const buffer d_out = trial_output(trial, "out", count, sizeof(float));
    LAUNCH(trial, "shares", shape_line(parts((size_t)n, 32), 32), ARG(d_out), ARG(d_in), ARG(n));
    for (int r = 0; r < n; r++)
        share(expected + (ptrdiff_t)r * COLUMNS, in + (ptrdiff_t)r * COLUMNS);
    trial_rows(trial, d_out, COLUMNS);
    expect_floats(trial, d_out, expected, count, 1e-5);
}

const struct puzzle THIS_PUZZLE = {
    .title = "A bank for each lane",
    .group = "shared",
    .read = "docs/reduction.md#banks",
    SIZES(50, 1, 2, 31, 33, 64),
    .trial = try,
    .goals =
        {"bank conflicts: shared_bank_conflicts == 0",
         "sectors loaded per row: (global_load_sectors + global_atomic_sectors) / (4 * n) <= 1",
         "sectors stored per row: global_store_sectors / (4 * n) <= 1"},
    .prediction = "shared_load_wavefronts",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
