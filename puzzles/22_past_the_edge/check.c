#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t count = (size_t)trial->n * 8;
    const buffer out = trial_output(trial, "out", count, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));

    LAUNCH(trial, "smooth", shape_line(parts(count, 128), 128), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++) {
        const int left = i % 16 > 0 ? in[i - 1] : in[i];
        const int right = i % 16 < 15 && i + 1 < n ? in[i + 1] : in[i];
        expected[i] = left + in[i] + right;
    }
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Past the edge",
    .group = "warps",
    .read = "docs/reduction.md#r8",
    SIZES(1000, 1, 16, 31, 33, 257, 4096),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1",
              "shared memory requests: shared_loads + shared_stores + shared_atomics == 0"},
    .prediction = "global_store_sectors",
    .predict = look,
    .predict_n = 32,
};
