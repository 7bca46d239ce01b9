#include "puzzle.h"

enum { THREADS = 128 };

static void look(struct trial *trial)
{
    const int zero = 0;
    const buffer count = trial_inout(trial, "count", &zero, 1, sizeof(int));

    LAUNCH(trial, "look", shape_line((unsigned)trial->n, 80), ARG(count));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const unsigned blocks = parts(count, THREADS), nobody = 0;
    const int *in = trial_ints(trial, count, -100000, 100000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_partial = trial_output(trial, "partial", blocks, sizeof(int));
    const buffer d_total = trial_output(trial, "total", 1, sizeof(int));
    const buffer d_finished = trial_inout(trial, "finished", &nobody, 1, sizeof(nobody));
    int expected = 0;

    LAUNCH(trial, "sum", shape_line(blocks, THREADS), ARG(d_total), ARG(d_partial), ARG(d_finished),
           ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected += in[i];
    expect_ints(trial, d_total, &expected, 1);
}

const struct puzzle THIS_PUZZLE = {
    .title = "The last one out",
    .group = "shared",
    .read = "docs/reduction.md#r9a",
    SIZES(1000, 1, 31, 128, 129, 257, 4096),
    .trial = try,
    .goals = {"atomics per block: global_atomics / (n / 128) == 1",
              "load requests per 32 elements: global_loads / (n / 32) <= 1.2"},
    .prediction = "global_atomics",
    .predict = look,
    .predict_n = 3,
    .given = "race",
};
