#include "puzzle.h"

enum { THREADS = 256 };

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", 1, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const unsigned blocks = parts(count, THREADS);
    const int *in = trial_ints(trial, count, -100000, 100000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_sums = trial_output(trial, "sums", blocks, sizeof(int));
    int *expected = trial_zeros(trial, blocks, sizeof(int));

    LAUNCH(trial, "block_sums", shape_line(blocks, THREADS), ARG(d_sums), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i / THREADS] += in[i];
    expect_ints(trial, d_sums, expected, blocks);
}

const struct puzzle THIS_PUZZLE = {
    .title = "The last warp",
    .group = "shared",
    .read = "docs/reduction.md#r5a",
    SIZES(1000, 1, 31, 33, 256, 257, 2048),
    .trial = try,
    .goals = {"barriers per warp: barriers / (n / 32) <= 4",
              "atomics in shared memory: shared_atomics == 0",
              "load requests per 32 elements: (global_loads + global_atomics) / (n / 32) <= 1"},
    .prediction = "shared_loads",
    .predict = look,
    .predict_n = 64,
    .given = "race",
    .instructions = 400000,
};
