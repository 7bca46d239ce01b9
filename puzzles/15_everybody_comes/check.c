#include "puzzle.h"

enum { TILE = 128 };

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

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

    LAUNCH(trial, "mirror_difference", shape_line(2, TILE), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++) {
        const int first = i / TILE * TILE, length = n - first < TILE ? n - first : TILE;
        expected[i] = in[i] - in[first + length - 1 - i % TILE];
    }
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Everybody comes",
    .group = "shared",
    .read = "docs/reduction.md#r0",
    SIZES(1000, 1, 31, 33, 128, 129, 257, 2048),
    .trial = try,
    .goals = {"load requests per 32 elements: (global_loads + global_atomics) / (n / 32) <= 1",
              "barriers per warp and tile: barriers / (n / 32) <= 2",
              "bank conflicts: shared_bank_conflicts == 0"},
    .prediction = "shared_load_wavefronts",
    .predict = look,
    .predict_n = 32,
    .given = "sync",
};
