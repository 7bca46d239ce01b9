#include <math.h>

#include "puzzle.h"

enum { COLUMNS = 64 };

static void look(struct trial *trial)
{
    const size_t count = (size_t)trial->n * 72;
    const buffer in =
        trial_input(trial, "in", trial_floats(trial, count, 0, 1), count, sizeof(float));
    const buffer out = trial_output(trial, "out", count, sizeof(float));

    LAUNCH(trial, "look", shape_line((unsigned)trial->n, 32), ARG(out), ARG(in));
}

static void softmax(float *out, const float *row)
{
    double largest = -INFINITY, sum = 0;

    for (int k = 0; k < COLUMNS; k++)
        largest = row[k] > largest ? row[k] : largest; /* fmax() ends GCC 12.2 for AArch64 */
    for (int k = 0; k < COLUMNS; k++)
        sum += exp((double)row[k] - largest);
    for (int k = 0; k < COLUMNS; k++)
        out[k] = (float)(exp((double)row[k] - largest) / sum);
}

/* n rows: ordinary ones, large ones and those far below zero. */
static void try(struct trial *trial)
{
    static const float offsets[] = {0, 200, -300};
    const int n = trial->n;
    const size_t count = (size_t)n * COLUMNS;
    float *in = trial_floats(trial, count, -60, 60);
    float *expected = trial_zeros(trial, count, sizeof(float));

    for (size_t i = 0; i < count; i++)
        in[i] += offsets[i / COLUMNS % 3];
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(float));
    const buffer d_out = trial_output(trial, "out", count, sizeof(float));
    LAUNCH(trial, "softmax", shape_line((unsigned)n, 32), ARG(d_out), ARG(d_in));
    for (int r = 0; r < n; r++)
        softmax(expected + (ptrdiff_t)r * COLUMNS, in + (ptrdiff_t)r * COLUMNS);
    trial_rows(trial, d_out, COLUMNS);
    expect_floats(trial, d_out, expected, count, 1e-5);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Parts of one",
    .group = "algorithms",
    .read = "docs/reduction.md#r8",
    SIZES(6, 1, 7, 20),
    .trial = try,
    .goals = {"sectors loaded per row: global_load_sectors / (8 * n) <= 1",
              "shared memory requests: shared_loads + shared_stores + shared_atomics == 0"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 4,
};
