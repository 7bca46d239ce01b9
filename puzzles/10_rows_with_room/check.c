#include "puzzle.h"

enum { ROWS = 16, ROOM = -1 };

static void look(struct trial *trial)
{
    const int pitch = 48;
    const size_t count = 4 * (size_t)pitch / sizeof(int);
    const int *in = trial_ints(trial, count, -1000, 1000);
    const buffer d_in = trial_input(trial, "in", in, count, sizeof(int));
    const buffer d_out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(d_out), ARG(d_in), ARG(pitch));
}

/* The room behind a row is 4 to 35 bytes, and is compared with the rest. */
static void try(struct trial *trial)
{
    const int columns = trial->n, rows = ROWS, wide = (columns + 8) / 8 * 8;
    const size_t pitch = (size_t)wide * sizeof(int), count = (size_t)rows * (size_t)wide;
    int *picture = trial_ints(trial, count, 0, 255);

    for (int row = 0; row < rows; row++)
        for (int column = columns; column < wide; column++)
            picture[row * wide + column] = ROOM;
    const buffer d_picture = trial_inout(trial, "picture", picture, count, sizeof(int));
    LAUNCH(trial, "brighten", shape_plane(parts((size_t)columns, 32), parts(ROWS, 4), 32, 4),
           ARG(d_picture), ARG(pitch), ARG(rows), ARG(columns));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            picture[row * wide + column] += 100;
    trial_rows(trial, d_picture, (size_t)wide);
    expect_ints(trial, d_picture, picture, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Rows with room",
    .group = "memory",
    .read = "docs/matmul.md#m4",
    SIZES(50, 1, 31, 32, 33, 100, 128),
    .trial = try,
    .goals = {"sectors loaded per 8 numbers: global_load_sectors / (n * 16 / 8) <= 1",
              "sectors stored per 8 numbers: global_store_sectors / (n * 16 / 8) <= 1",
              "atomics: global_atomics == 0"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 32,
};
