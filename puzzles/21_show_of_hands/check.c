#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const int *in = trial_ints(trial, count, -3, 3);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_place = trial_output(trial, "place", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));
    int seated = 0;

    LAUNCH(trial, "places", shape_line(parts(count, 128), 128), ARG(d_place), ARG(d_in), ARG(n));
    for (int i = 0; i < n; i++) {
        if (i % 32 == 0)
            seated = 0;
        expected[i] = in[i] > 0 ? seated++ : -1;
    }
    expect_ints(trial, d_place, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "A show of hands",
    .group = "warps",
    .read = "docs/prime.md#p4",
    SIZES(1000, 1, 31, 33, 257, 4096),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1",
              "shared memory requests: shared_loads + shared_stores + shared_atomics == 0",
              "instructions per warp: warp_instructions / (n / 32) <= 48"},
    .prediction = "global_stores",
    .predict = look,
    .predict_n = 128,
};
