#include "puzzle.h"

static void look(struct trial *trial)
{
    const buffer out = trial_output(trial, "out", 96, sizeof(float));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out));
}

static void expect_every_third(struct trial *trial, buffer found, const float *points, size_t count)
{
    float *expected = trial_zeros(trial, count, sizeof(float));

    for (size_t i = 0; i < count; i++)
        expected[i] = points[3 * i];
    expect_floats(trial, found, expected, count, 0);
}

static void try(struct trial *trial)
{
    const int n = trial->n;
    const size_t count = (size_t)n;
    const float *points = trial_floats(trial, 3 * count, -1000, 1000);
    const buffer d_points = trial_input(trial, "points", points, 3 * count, sizeof(float));
    const buffer d_x = trial_output(trial, "x", count, sizeof(float));
    const buffer d_y = trial_output(trial, "y", count, sizeof(float));
    const buffer d_z = trial_output(trial, "z", count, sizeof(float));

    LAUNCH(trial, "split", shape_line(parts(count, 96), 96), ARG(d_x), ARG(d_y), ARG(d_z),
           ARG(d_points), ARG(n));
    expect_every_third(trial, d_x, points, count);
    expect_every_third(trial, d_y, points + 1, count);
    expect_every_third(trial, d_z, points + 2, count);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Three in a row",
    .group = "memory",
    .read = "docs/sumsq.md#v3",
    SIZES(200, 1, 31, 33, 95, 97, 1536),
    .trial = try,
    .goals = {"sectors loaded per 8 numbers: (global_load_sectors + global_atomic_sectors) / (3 * "
              "n / 8) <= 1",
              "sectors stored per 8 numbers: global_store_sectors / (3 * n / 8) <= 2"},
    .prediction = "global_store_sectors",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
};
