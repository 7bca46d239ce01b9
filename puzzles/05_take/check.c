#include "puzzle.h"

static void look(struct trial *trial)
{
    const size_t n = (size_t)trial->n;
    const int *in = trial_ints(trial, n + 2, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, n + 2, sizeof(int));
    const buffer d_out = trial_output(trial, "out", n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)n), ARG(d_out), ARG(d_in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -100000, 100000);
    int *expected = trial_zeros(trial, count, sizeof(int));
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_inout(trial, "out", expected, count, sizeof(int));

    LAUNCH(trial, "spread", shape_line(parts(count, 128), 128), ARG(d_out), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i < n - 1 ? in[i + 1] : 0);
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Take, do not hand out",
    .group = "threads",
    .read = "docs/emulator.md#checkers",
    SIZES(300, 1, 2, 32, 33, 128, 129, 4096),
    .trial = try,
    .goals = {"atomics per 32 elements: global_atomics / (n / 32) <= 0",
              "load requests per 32 elements: global_loads / (n / 32) <= 3",
              "store requests per 32 elements: global_stores / (n / 32) <= 1"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 32,
    .given = "race",
};
