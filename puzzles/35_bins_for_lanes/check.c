#include "puzzle.h"

enum { BINS = 64 };

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

/* Half of the samples are in two bins of one bank. */
static void try(struct trial *trial)
{
    const int n = trial->n;
    unsigned char *in = trial_zeros(trial, (size_t)n, 1);
    int *expected = trial_zeros(trial, BINS, sizeof(int));
    const uint32_t bank = trial_random(trial, BINS / 2);

    for (int i = 0; i < n; i++)
        in[i] = (unsigned char)(trial_random(trial, 2) ? bank + BINS / 2 * trial_random(trial, 2)
                                                       : trial_random(trial, BINS));
    const buffer d_in = trial_input(trial, "in", in, (size_t)n, 1);
    const buffer bins =
        trial_inout(trial, "bins", trial_zeros(trial, BINS, sizeof(int)), BINS, sizeof(int));
    LAUNCH(trial, "histogram", shape_line(4, 128), ARG(bins), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[in[i]]++;
    expect_ints(trial, bins, expected, BINS);
}

const struct puzzle THIS_PUZZLE = {
    .title = "A bin for each lane",
    .group = "algorithms",
    .read = "docs/histogram.md#b6",
    SIZES(2000, 1, 31, 1025, 4096),
    .trial = try,
    .goals = {"bank conflicts: shared_bank_conflicts == 0",
              "global atomic requests per block: global_atomics / 4 <= 2",
              "load requests per 32 elements: global_loads / (n / 32) <= 1"},
    .prediction = "shared_atomic_wavefronts",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
