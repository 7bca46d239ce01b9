#include "puzzle.h"

#include <string.h>

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16 };

/* The upper half of a float; exact for small whole numbers. */
static uint16_t to_bfloat16(int number)
{
    const float value = (float)number;
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static buffer factors(struct trial *trial, const char *name, const int *numbers, size_t count)
{
    uint16_t *halves = trial_zeros(trial, count, sizeof(uint16_t));

    for (size_t i = 0; i < count; i++)
        halves[i] = to_bfloat16(numbers[i]);
    return trial_input(trial, name, halves, count / 2, 2 * sizeof(uint16_t));
}

static void look(struct trial *trial)
{
    const int *pairs = trial_ints(trial, ROWS * DEPTH / 2, 0, 9);
    const buffer a = trial_input(trial, "a", pairs, ROWS * DEPTH / 2, sizeof(int));
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));

    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out), ARG(a));
}

/* n steps of 16 down the rows of a and b. */
static void try(struct trial *trial)
{
    const int n = trial->n, depth = DEPTH * n;
    const int *a = trial_ints(trial, (size_t)ROWS * depth, -20, 20);
    const int *b = trial_ints(trial, (size_t)COLUMNS * depth, -20, 20);
    const buffer d_a = factors(trial, "a", a, (size_t)ROWS * depth);
    const buffer d_b = factors(trial, "b", b, (size_t)COLUMNS * depth);
    const buffer d_c = trial_output(trial, "c", ROWS * COLUMNS, sizeof(float));
    float *expected = trial_zeros(trial, ROWS * COLUMNS, sizeof(float));

    LAUNCH(trial, "multiply", shape_line(1, 32), ARG(d_c), ARG(d_a), ARG(d_b), ARG(n));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        for (int k = 0; k < depth; k++)
            expected[i] += (float)(a[i / COLUMNS * depth + k] * b[i % COLUMNS * depth + k]);
    trial_rows(trial, d_c, COLUMNS);
    expect_floats(trial, d_c, expected, ROWS * COLUMNS, 0); /* whole numbers below 2^24 */
}

const struct puzzle THIS_PUZZLE = {
    .title = "Fill a fragment",
    .group = "algorithms",
    .read = "docs/hgemm.md#h3",
    SIZES(1, 2, 3, 7, 16),
    .trial = try,
    .goals = {"load requests per step: global_loads / n <= 6"},
    .prediction = "global_load_sectors",
    .predict = look,
    .predict_n = 32,
    .capability = 80,
};
