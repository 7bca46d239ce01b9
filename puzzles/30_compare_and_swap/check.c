#include <stdlib.h>

#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "sort_64", shape_line(parts(count, 64), 64), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = in[i];
    for (int i = 0; i < n; i += 64)
        qsort(expected + i, (size_t)(n - i < 64 ? n - i : 64), sizeof(int), by_value);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Compare and swap",
    .group = "algorithms",
    .read = "docs/reduction.md#r3",
    SIZES(300, 1, 31, 65, 127, 512),
    .trial = try,
    .goals = {"shared memory requests per warp: (shared_loads + shared_stores + shared_atomics) / "
              "(n / 32) <= 90",
              "sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1"},
    .prediction = "barriers / (n / 32)",
    .predict = look,
    .predict_n = 128,
};
