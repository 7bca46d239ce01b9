#include <stdbool.h>

#include "puzzle.h"

enum { LABELS = 256, SOUGHT = 1023 };

static void look(struct trial *trial)
{
    int *in = trial_zeros(trial, SOUGHT, sizeof(int));

    for (int i = 0; i < SOUGHT; i++)
        in[i] = i;
    const buffer d_in = trial_input(trial, "in", in, SOUGHT, sizeof(int));
    const buffer out = trial_output(trial, "out", (size_t)trial->n, sizeof(int));
    LAUNCH(trial, "look", shape_line(1, (unsigned)trial->n), ARG(out), ARG(d_in));
}

/* Numbers whose keys ascend, many of them equal, and whose labels tell them apart. */
static int *ascending(struct trial *trial, int count, int label)
{
    int *items = trial_zeros(trial, (size_t)count, sizeof(int));

    for (int i = 0, key = 0; i < count; i++) {
        key += trial_random(trial, 3) == 0 ? (int)trial_random(trial, 4) : 0;
        items[i] = key * LABELS + (2 * i + label) % LABELS;
    }
    return items;
}

static void try(struct trial *trial)
{
    const int n = trial->n, a_count = (int)trial_random(trial, (uint32_t)n + 1);
    const int b_count = n - a_count;
    const int *a = ascending(trial, a_count, 0), *b = ascending(trial, b_count, 1);
    int *expected = trial_zeros(trial, (size_t)n, sizeof(int));

    const buffer d_a = trial_input(trial, "a", a, (size_t)a_count, sizeof(int));
    const buffer d_b = trial_input(trial, "b", b, (size_t)b_count, sizeof(int));
    const buffer out = trial_output(trial, "out", (size_t)n, sizeof(int));
    LAUNCH(trial, "merge", shape_line(parts((size_t)n, 128), 128), ARG(out), ARG(d_a), ARG(a_count),
           ARG(d_b), ARG(b_count));
    for (int i = 0, j = 0; i + j < n;) {
        const bool from_a = j == b_count || (i < a_count && a[i] / LABELS <= b[j] / LABELS);
        expected[i + j] = from_a ? a[i] : b[j];
        i += from_a;
        j += !from_a;
    }
    expect_ints(trial, out, expected, (size_t)n);
}

const struct puzzle THIS_PUZZLE = {
    .title = "Two into one",
    .group = "algorithms",
    .read = "docs/sort.md#k13",
    SIZES(3000, 1, 31, 1025, 4096),
    .trial = try,
    .goals = {"sectors stored per 8 elements: global_store_sectors / (n / 8) <= 1",
              "instructions per warp: warp_instructions / (n / 32) <= 400"},
    .prediction = "global_loads",
    .predict = look,
    .predict_n = 32,
    .given = "goal",
    .instructions = 20000000,
};
