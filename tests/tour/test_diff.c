/* SPDX-License-Identifier: MIT */
/* Why one step is faster than another, on one screen: for every two neighbours that there are, with
 * more figures than any two of them have. */
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "changes.h"
#include "diff.h"
#include "manifest.h"
#include "results.h"
#include "text.h"

enum { ROWS = 30, COLUMNS = 100 };

/* A result with every counter that a diff shows, all multiplied by `factor`. */
static json_t *result_of(const struct step *step, int factor)
{
    static const char *const counters[] = {"warp_instructions",
                                           "thread_instructions",
                                           "divergent_branches",
                                           "barriers",
                                           "warp_barriers",
                                           "global_loads",
                                           "global_load_sectors",
                                           "global_stores",
                                           "global_sectors",
                                           "global_store_sectors",
                                           "global_atomics",
                                           "global_transactions",
                                           "local_sectors",
                                           "shared_loads",
                                           "shared_stores",
                                           "shared_atomics",
                                           "shared_wavefronts",
                                           "shared_bank_conflicts",
                                           "texture_fetches",
                                           "texture_sectors",
                                           "constant_loads",
                                           "constant_passes",
                                           "launches",
                                           "global_bytes_moved"};
    json_t *kernel = json_pack("{s:s, s:f, s:s, s:f, s:[iii], s:[iii]}", "name", step->name,
                               "modelled_ms", 1.0, "bound_by", factor > 1 ? "load/store" : "memory",
                               "occupancy", 1.0 / factor, "grid", factor, 1, 1, "block", 256, 1, 1);

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        json_object_set_new(
            kernel, counters[i],
            json_integer((json_int_t)(1000 + i * i) * factor * (i % 2 ? factor : 1)));
    return json_pack(
        "{s:s, s:s, s:s, s:{s:s, s:i, s:{s:f}, s:f, s:f, s:i, s:{s:s, s:b, s:s, s:s}}, s:[o]}",
        "chapter", step->chapter, "step", step->name, "outcome", "match", "report", "n",
        factor > 1 ? "64" : "128", "runs", 1, "ms", "median", 1.0 * factor, "gbs", 100.0 / factor,
        "share", 0.5 / factor, "cycles", 123456 * factor, "device", "name",
        "A GPU with a name as long as they come, of 2009 (emulated)", "modelled", 1, "driver",
        "13.0", "toolkit", "13.0", "kernels", kernel);
}

static char *diff_of(const struct manifest *manifest, const struct step *from,
                     const struct step *to, int rows)
{
    json_t *results = json_pack("{s:[o, o]}", "steps", result_of(from, 3), result_of(to, 1));
    const struct style style = {.utf8 = true, .rows = rows, .width = COLUMNS};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_true(diff_print(CHECKOUT, manifest, from, to, results, true, file, &style));
    fclose(file);
    json_decref(results);
    return text;
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Of a text that it takes apart. */
static int widest(char *text)
{
    int width = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (text_width(line) > width)
            width = text_width(line);
    return width;
}

/* A line for the prompt is left on the screen; what does not fit is said to be missing; nothing is
 * missing where there is no screen. */
static void expect_screen(const struct manifest *manifest, const struct step *from,
                          const struct step *to, int rows, const char *all)
{
    char *text = diff_of(manifest, from, to, rows);
    const bool cut = strstr(text, "more changed line") || strstr(text, "more counters");

    if (count_lines(text) >= rows)
        fail_msg("%s %s: %d lines\n%s", from->name, to->name, count_lines(text), text);
    if (cut && !strstr(text, "./tour diff --all ") && !strstr(text, "more counters"))
        fail_msg("%s %s: where is the rest?\n%s", from->name, to->name, text);
    if (!cut && count_lines(text) != count_lines(all))
        fail_msg("%s %s: %d lines of %d\n%s", from->name, to->name, count_lines(text),
                 count_lines(all), text);
    if (strstr(all, "more changed line") || strstr(all, "more counters"))
        fail_msg("%s %s: not all\n%s", from->name, to->name, all);
    if (!strstr(text, "bound by") || !strstr(text, "time (modelled)"))
        fail_msg("%s %s: no time or limit\n%s", from->name, to->name, text);
    if (widest(text) > COLUMNS)
        fail_msg("%s %s: a line of %d columns", from->name, to->name, widest(text));
    free(text);
}

TEST(test_neighbours)
{
    struct manifest manifest;
    int pairs = 0;

    assert_true(manifest_read(&manifest, BUILD));
    for (int i = 1; i < manifest.step_count; i++) {
        const struct step *from = &manifest.steps[i - 1], *to = &manifest.steps[i];

        if (strcmp(from->chapter, to->chapter) != 0)
            continue;
        char *all = diff_of(&manifest, from, to, 0);
        expect_screen(&manifest, from, to, ROWS, all);
        expect_screen(&manifest, from, to, 26, all);
        expect_screen(&manifest, from, to, 50, all);
        free(all);
        pairs++;
    }
    assert_true(pairs > 70);
}

/* Of a step whose result is wrong nothing is compared. */
TEST(test_wrong_result)
{
    struct manifest manifest;

    assert_true(manifest_read(&manifest, BUILD));
    for (int wrong = 0; wrong < 2; wrong++) {
        const struct step *steps[] = {manifest_step(&manifest, "sumsq", "v3_coalesced"),
                                      manifest_step(&manifest, "sumsq", "v4_blocks")};
        json_t *results[] = {result_of(steps[0], 3), result_of(steps[1], 1)};
        const struct style style = {.width = COLUMNS};
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        json_object_set_new(results[wrong], "outcome", json_string("mismatch"));
        json_t *all = json_pack("{s:[o, o]}", "steps", results[0], results[1]);
        assert_true(diff_print(CHECKOUT, &manifest, steps[0], steps[1], all, true, file, &style));
        fclose(file);
        assert_non_null(strstr(text, "gives a wrong result"));
        assert_null(strstr(text, "warp instructions"));
        assert_null(strstr(text, "time (modelled)"));
        json_decref(all);
        free(text);
    }
}

/* Where a kernel changed, its code is on the screen. */
TEST(test_kernel_first)
{
    struct manifest manifest;
    char *text;

    assert_true(manifest_read(&manifest, BUILD));
    text = diff_of(&manifest, manifest_find(&manifest, "matmul/m4_pitched"),
                   manifest_find(&manifest, "matmul/m5_tiled"), ROWS);
    assert_non_null(strstr(text, " +     __shared__ float tile_a"));
    assert_non_null(strstr(text, "for (int k = 0; k < n; k += TILE)"));
    assert_null(strstr(text, "cudaMalloc"));
    free(text);
}

static void expect_command(const struct manifest *manifest, const struct step *from,
                           const struct step *to, const char *wanted)
{
    char *text = diff_of(manifest, from, to, ROWS);

    if (!strstr(text, wanted))
        fail_msg("no '%s' in\n%s", wanted, text);
    free(text);
}

/* The command for the rest names one step each, whatever the steps of other chapters are called. */
TEST(test_command)
{
    struct manifest manifest;
    const struct step *from, *to;
    struct step *other;

    assert_true(manifest_read(&manifest, BUILD));
    from = manifest_find(&manifest, "sumsq/v8c_one_launch");
    to = manifest_find(&manifest, "sumsq/library_cub");
    expect_command(&manifest, from, to, ": ./tour diff --all v8c_one_launch sumsq/library_cub\n");
    other = manifest_find(&manifest, "matmul/m4_pitched");
    other->name = copy_text("v8c_one_launch");
    expect_command(&manifest, from, to,
                   ": ./tour diff --all sumsq/v8c_one_launch sumsq/library_cub\n");
}

TEST_MAIN()
