#include <stdlib.h>

#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer count =
        trial_inout(trial, "count", trial_zeros(trial, 1, sizeof(int)), 1, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(count));
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* The same numbers, in any order. */
static void expect_same(struct trial *trial, buffer out, int *expected, size_t count)
{
    int *got = trial_zeros(trial, count, sizeof(int));

    trial_read(trial, out, got, count, sizeof(int));
    for (size_t i = 0; i < count; i++)
        if (got[i] <= 0)
            trial_wrong(trial, out, i, "is %d, which is not positive", got[i]);
    int *sorted = trial_zeros(trial, count, sizeof(int));
    for (size_t i = 0; i < count; i++)
        sorted[i] = got[i];
    qsort(sorted, count, sizeof(int), by_value);
    qsort(expected, count, sizeof(int), by_value);
    for (size_t i = 0; i < count; i++)
        if (sorted[i] != expected[i])
            trial_wrong(trial, out, i,
                        "or another is wrong: number %zu in order of size is %d, not %d", i + 1,
                        sorted[i], expected[i]);
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    int *in = trial_ints(trial, (size_t)n, -1000000, 1000000);
    int kept = 0;

    in[trial_random(trial, (uint32_t)n)] = 7; /* one at least */
    for (int i = 0; i < n; i++)
        kept += in[i] > 0;
    const buffer d_in = trial_input(trial, "in", in, (size_t)n, sizeof(int));
    const buffer d_out = trial_output(trial, "out", (size_t)kept, sizeof(int));
    const buffer d_count =
        trial_inout(trial, "count", trial_zeros(trial, 1, sizeof(int)), 1, sizeof(int));
    LAUNCH(trial, "keep_positive", shape_line(parts((size_t)n, 128), 128), ARG(d_out), ARG(d_count),
           ARG(d_in), ARG(n));
    int *expected = trial_zeros(trial, (size_t)kept, sizeof(int));
    for (int i = 0, k = 0; i < n; i++)
        if (in[i] > 0)
            expected[k++] = in[i];
    expect_ints(trial, d_count, &kept, 1);
    expect_same(trial, d_out, expected, (size_t)kept);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Close ranks",
    .group = "algorithms",
    .read = "docs/prime.md#p5b",
    SIZES(600, 1, 33, 257, 1021, 2048),
    .trial = try,
    .goals = {"global atomic requests per block: global_atomics / (n / 128) <= 1",
              "sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1"},
    .prediction = "global_atomics",
    .predict = look,
    .predict_n = 128,
    .given = "goal",
};
