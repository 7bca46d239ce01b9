#include "puzzle.h"

enum { ROWS = 16, PIECES = 8, WORDS = 4, PITCH = PIECES * WORDS }; /* a tile; words of a piece */

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

/* Word `i` of a tile's fragments: for each two pieces four registers of 32 lanes. */
static int place_of(int i)
{
    const int lane = i % 32, matrix = i / 32 % 4, pair = i / 128;
    const int row = matrix % 2 * 8 + lane / 4, piece = 2 * pair + matrix / 2;

    return row * PITCH + piece * WORDS + lane % 4;
}

/* n tiles. A block has room for one, and for nothing else. */
static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t words = ROWS * PITCH, count = words * (size_t)n;
    const int *in = trial_ints(trial, count, -1000000, 1000000);
    const buffer d_in = trial_input(trial, "in", in, count / WORDS, WORDS * sizeof(int));
    const buffer d_out = trial_output(trial, "out", count, sizeof(int));
    int *expected = trial_zeros(trial, count, sizeof(int));
    struct shape shape = shape_line((unsigned)n, 32);

    shape.shared = words * sizeof(int);
    LAUNCH(trial, "fragments", shape, ARG(d_out), ARG(d_in));
    for (size_t i = 0; i < count; i++)
        expected[i] = in[i / words * words + (size_t)place_of((int)(i % words))];
    expect_ints(trial, d_out, expected, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "The same piece of eight rows",
    .group = "algorithms",
    .read = "docs/hgemm.md#h4",
    SIZES(1, 2, 9),
    .trial = try,
    .goals = {"bank conflicts: shared_bank_conflicts == 0",
              "sectors loaded per tile: global_load_sectors / n <= 64"},
    .prediction = "shared_load_wavefronts",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
