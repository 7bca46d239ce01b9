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
    int *in = trial_ints(trial, count, 0, 2);
    int *expected = trial_zeros(trial, count, sizeof(int));

    for (int i = 1; i < n; i++) /* some long runs, too */
        if (i / 32 % 2 == 1 && trial_random(trial, 8) > 0)
            in[i] = in[i - 1];
    in[n - 1] = 0; /* what a thread past the end may well think it has */
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_length = trial_output(trial, "length", count, sizeof(int));
    LAUNCH(trial, "runs", shape_line(parts(count, 128), 128), ARG(d_length), ARG(d_in), ARG(n));
    for (int i = 0, head = 0; i < n; i++) {
        if (i % 32 == 0 || in[i] != in[i - 1])
            head = i;
        expected[head]++;
    }
    expect_ints(trial, d_length, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "How long a run",
    .group = "algorithms",
    .read = "docs/prime.md#p4",
    SIZES(1000, 1, 31, 33, 257, 4096),
    .trial = try,
    .goals = {"sectors loaded per 8 elements: global_load_sectors / (n / 8) <= 1",
              "shared memory requests: shared_loads + shared_stores + shared_atomics == 0",
              "instructions per warp: warp_instructions / (n / 32) <= 70"},
    .prediction = "global_stores",
    .predict = look,
    .predict_n = 128,
};
