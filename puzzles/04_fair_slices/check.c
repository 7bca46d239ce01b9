#include "puzzle.h"

enum { BLOCKS = 2, THREADS = 48, SLICES = BLOCKS * THREADS };

static void look(struct trial *trial)
{
    const int n = trial->n;
    const int *in = trial_ints(trial, (size_t)n, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, (size_t)n, sizeof(int));
    const buffer d_sums = trial_output(trial, "sums", 128, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, 128), ARG(d_sums), ARG(d_in), ARG(n));
}

/* Which slices are longer by one is the student's choice. */
static void try(struct trial *trial)
{
    const int n = trial->n;
    const buffer d_begin = trial_output(trial, "begin", SLICES, sizeof(int));
    const buffer d_end = trial_output(trial, "end", SLICES, sizeof(int));
    int begin[SLICES], end[SLICES];

    LAUNCH(trial, "slices", shape_line(BLOCKS, THREADS), ARG(d_begin), ARG(d_end), ARG(n));
    trial_read(trial, d_begin, begin, SLICES, sizeof(int));
    trial_read(trial, d_end, end, SLICES, sizeof(int));
    for (int t = 0; t < SLICES; t++) {
        const int due = t == 0 ? 0 : end[t - 1];
        if (begin[t] != due)
            trial_wrong(trial, d_begin, (size_t)t, "is %d, but the slices before it end at %d",
                        begin[t], due);
        const int64_t size = (int64_t)end[t] - begin[t];
        if (size < n / SLICES || size > (n + (int64_t)SLICES - 1) / SLICES)
            trial_wrong(trial, d_end, (size_t)t,
                        "makes a slice of %lld elements; a fair one has %d%s", (long long)size,
                        n / SLICES, n % SLICES ? " or one more" : "");
    }
    if (end[SLICES - 1] != n)
        trial_wrong(trial, d_end, SLICES - 1, "is %d, not %d: the end of the array is left over",
                    end[SLICES - 1], n);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Fair slices",
    .group = "threads",
    .read = "docs/sumsq.md#v2",
    SIZES(1000, 1, 95, 96, 97, 10007, 2147483647, 2000000000),
    .trial = try,
    .instructions = 400000,
    .goals = {"instructions per warp: warp_instructions / 4 <= 120"},
    .prediction = "global_loads",
    .predict = look,
    .predict_n = 180,
};
