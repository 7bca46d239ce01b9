#include <limits.h>

#include "puzzle.h"

enum { FEW = 4, PART = 1024 }; /* kept of each part; elements of a part */

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void insert(int *best, int x)
{
    for (int k = 0; k < FEW; k++)
        if (x > best[k]) {
            const int smaller = best[k];
            best[k] = x;
            x = smaller;
        }
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const unsigned blocks = parts((size_t)n, PART);
    const size_t kept = (size_t)blocks * FEW;
    int *in =
        trial_ints(trial, (size_t)n, -500, -1); /* equal numbers are common, and none is > 0 */
    const buffer d_in = trial_input(trial, "in", in, (size_t)n, sizeof(int));
    const buffer d_out = trial_output(trial, "out", kept, sizeof(int));

    LAUNCH(trial, "best", shape_line(blocks, 128), ARG(d_out), ARG(d_in), ARG(n));
    int *expected = trial_zeros(trial, kept, sizeof(int));
    for (size_t k = 0; k < kept; k++)
        expected[k] = INT_MIN;
    for (int i = 0; i < n; i++)
        insert(expected + i / PART * FEW, in[i]);
    expect_ints(trial, d_out, expected, kept);
}

const struct puzzle THIS_PUZZLE = {
    .title = "The best few",
    .group = "algorithms",
    .read = "docs/reduction.md#r3",
    SIZES(2500, 1, 3, 33, 257, 1021, 4096),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: (global_load_sectors + global_atomic_sectors) / "
              "(n / 8) <= 1",
              "requests to local memory: local_loads + local_stores == 0",
              "instructions per 32 elements: warp_instructions / (n / 32) <= 60"},
    .prediction = "global_stores",
    .predict = look,
    .predict_n = 32,
};
