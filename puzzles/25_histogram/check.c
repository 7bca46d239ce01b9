#include "puzzle.h"

enum { BINS = 16 };

static buffer random_bytes(struct trial *trial, size_t count, unsigned char **bytes)
{
    *bytes = trial_zeros(trial, count, 1);
    for (size_t i = 0; i < count; i++) /* the low bins more often */
        (*bytes)[i] = (unsigned char)trial_random(trial, 1 + trial_random(trial, 256));
    return trial_input(trial, "in", *bytes, count, 1);
}

static buffer empty_bins(struct trial *trial)
{
    return trial_inout(trial, "bins", trial_zeros(trial, BINS, sizeof(int)), BINS, sizeof(int));
}

static void look(struct trial *trial)
{
    unsigned char *in;
    const buffer d_in = random_bytes(trial, (size_t)trial->n, &in);
    const buffer bins = empty_bins(trial);

    LAUNCH(trial, "look", shape_line((unsigned)trial->n / 64, 64), ARG(bins), ARG(d_in));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    unsigned char *in;
    const buffer d_in = random_bytes(trial, (size_t)n, &in);
    const buffer bins = empty_bins(trial);
    int *expected = trial_zeros(trial, BINS, sizeof(int));

    LAUNCH(trial, "histogram", shape_line(8, 128), ARG(bins), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++)
        expected[in[i] / 16]++;
    expect_ints(trial, bins, expected, BINS);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Sixteen bins",
    .group = "algorithms",
    .read = "docs/histogram.md#b1",
    SIZES(1000, 1, 31, 1025, 4096),
    .trial = try,
    .goals = {"global atomic requests per block: global_atomics / 8 <= 1",
              "load requests per 32 elements: global_loads / (n / 32) <= 1"},
    .prediction = "global_atomics",
    .predict = look,
    .predict_n = 256,
    .given = "goal",
};
