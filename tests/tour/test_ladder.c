/* SPDX-License-Identifier: MIT */
/* How ladders are drawn: the lengths of bars, and every chapter on one screen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "bars.h"
#include "ladder.h"
#include "results.h"
#include "text.h"

enum { ROWS = 30, COLUMNS = 100, MOST = 8 };

static json_t *timed(int n, double ms, double gbs)
{
    char *size = text_format("%d", n);
    json_t *result = json_pack("{s:s, s:{s:s, s:{s:f}}}", "outcome", "match", "report", "n", size,
                               "ms", "median", ms);

    if (gbs > 0)
        json_object_set_new(json_object_get(result, "report"), "gbs", json_real(gbs));
    free(size);
    return result;
}

/* Each result is n, ms, GB/s or 0, and the part its bar should have, or -1 for none. */
static struct bars expect_bars(const double (*figures)[4], int count)
{
    json_t *results[MOST];
    struct bars bars;

    for (int i = 0; i < count; i++)
        results[i] = timed((int)figures[i][0], figures[i][1], figures[i][2]);
    bars = bars_of((const json_t *const *)results, count);
    for (int i = 0; i < count; i++) {
        if (figures[i][3] < 0)
            assert_true(isnan(bars.parts[i]));
        else
            assert_float_equal(bars.parts[i], figures[i][3], 1e-6);
        json_decref(results[i]);
    }
    return bars;
}

static void set_problem(json_t *result, const char *problem)
{
    json_object_set_new(json_object_get(result, "report"), "problem", json_string(problem));
}

TEST(test_times)
{
    static const double plain[][4] = {{64, 8, 1, 1}, {64, 2, 4, 0.25}, {64, 4, 2, 0.5}};
    static const double wide[][4] = {{64, 1000, 1, 1}, {64, 1, 4, 1.0 / 12}};

    assert_false(expect_bars(plain, 3).all_logarithmic);
    assert_true(expect_bars(wide, 2).all_logarithmic);
}

/* One number and a million of them are not on one scale, and one alone is on none. */
TEST(test_sizes)
{
    static const double prime[][4] = {
        {1, 8, 0, 1}, {1, 2, 0, 0.25}, {4096, 60, 0, -1}, {64, 500, 0, 0.5}, {64, 1000, 0, 1}};
    struct bars bars;

    bars = expect_bars(prime, 5);
    assert_false(bars.all_logarithmic);
    assert_false(bars.rates);
}

/* Rates of different sizes compare. */
TEST(test_rates)
{
    static const double fft[][4] = {{16, 3, 600, 1}, {2048, 12, 150, 0.25}, {4096, 4, 450, 0.75}};

    assert_true(expect_bars(fft, 3).rates);
}

/* Different problems have scales of their own even where n is the same, each with logarithms or
 * without. One step alone has no bar. */
TEST(test_problems)
{
    static const double ms[] = {100, 1, 8, 4, 50};
    static const char *const problems[] = {"one", "one", "many", "many", "other"};
    json_t *results[5];
    struct bars bars;

    for (int i = 0; i < 5; i++) {
        results[i] = timed(1, ms[i], 0);
        set_problem(results[i], problems[i]);
    }
    bars = bars_of((const json_t *const *)results, 5);
    assert_true(bars.logarithmic[0] && bars.logarithmic[1]);
    assert_false(bars.logarithmic[2] || bars.logarithmic[3] || bars.all_logarithmic);
    assert_float_equal(bars.parts[1], 1.0 / 12, 1e-6);
    assert_float_equal(bars.parts[2], 1, 1e-6);
    assert_float_equal(bars.parts[3], 0.5, 1e-6);
    assert_true(isnan(bars.parts[4]));
    for (int i = 0; i < 5; i++)
        json_decref(results[i]);
}

/* Each problem has a heading and a first step of its own, on a terminal and in Markdown. */
TEST(test_headings)
{
    static const char *const wanted[][5] = {
        {"\none number (log scale)\ns0", "\nmany numbers\ns2", "2.00 ×    2.00 ×", "time", NULL},
        {"| *one number* |", "| *many numbers* |  |", "| 2.00 × | 2.00 × |", NULL}};
    json_t *results = json_pack("{s:[]}", "steps"), *steps = json_object_get(results, "steps");
    struct manifest manifest = {0};

    for (int i = 0; i < 4; i++) {
        json_t *result = timed(64, (const double[]){100, 1, 8, 4}[i], 0);
        char *name = text_format("s%d", i);

        set_problem(result, i < 2 ? "one number" : "many numbers");
        json_object_set_new(result, "chapter", json_string("c"));
        json_object_set_new(result, "step", json_string(name));
        json_array_append_new(steps, result);
        free(name);
    }
    for (int markdown = 0; markdown < 2; markdown++) {
        const struct style style = {.markdown = markdown, .utf8 = true};
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        ladder_print(results, 0, &manifest, CHECKOUT, "", LADDER_TIMES, file, &style);
        fclose(file);
        for (int i = 0; wanted[markdown][i]; i++)
            if (!strstr(text, wanted[markdown][i]))
                fail_msg("no '%s' in\n%s", wanted[markdown][i], text);
        if (strstr(text, "25.0 ×") || strstr(text, "0.125 ×"))
            fail_msg("different problems are compared:\n%s", text);
        free(text);
    }
    json_decref(results);
}

/* All steps of a chapter, each with a time, a rate and a long title. */
static json_t *results_of(const struct manifest *manifest, const char *chapter)
{
    json_t *results = json_pack("{s:[]}", "steps");

    for (int i = 0; i < manifest->step_count; i++) {
        const struct step *step = &manifest->steps[i];
        json_t *result;

        if (strcmp(step->chapter, chapter) != 0)
            continue;
        result = timed(1 << 20, 1e-3 * (i + 1), 100);
        json_object_set_new(result, "chapter", json_string(chapter));
        json_object_set_new(result, "step", json_string(step->name));
        json_object_set_new(result, "title", json_string(step->title));
        json_object_set_new(result, "article", json_string(step->article));
        json_object_set_new(result, "kernels",
                            json_pack("[{s:i, s:i, s:s, s:f}]", "warp_instructions", 123456789,
                                      "global_loads", 123456789, "bound_by", "load/store",
                                      "occupancy", 1.0));
        json_array_append_new(json_object_get(results, "steps"), result);
    }
    return results;
}

static void expect_screen(const json_t *results, const struct manifest *manifest,
                          enum ladder_view view, const char *const wanted[])
{
    const struct style style = {.width = COLUMNS, .utf8 = true};
    char *text = NULL, *rest;
    size_t size;
    int rows = 0;
    FILE *file = open_memstream(&text, &size);

    ladder_print(results, 0, manifest, CHECKOUT, "build/default", view, file, &style);
    fclose(file);
    for (int i = 0; wanted[i]; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("no '%s' in\n%s", wanted[i], text);
    rest = copy_text(text);
    for (char *line = strtok(rest, "\n"); line; line = strtok(NULL, "\n"))
        if (text_width(line) > COLUMNS)
            fail_msg("%d columns: %s", text_width(line), line);
    for (const char *c = text; *c; c++)
        rows += *c == '\n';
    if (rows > ROWS)
        fail_msg("%d rows:\n%s", rows, text);
    free(rest);
    free(text);
}

TEST(test_every_chapter_fits_a_screen)
{
    static const char *const times[] = {"time", "rate", "before", "first", "█", NULL};
    static const char *const counts[] = {"bound", "occupancy", "active", NULL};
    struct manifest manifest;

    assert_true(manifest_read(&manifest, BUILD));
    for (int i = 0; i < manifest.chapter_count; i++) {
        json_t *results = results_of(&manifest, manifest.chapters[i].name);

        expect_screen(results, &manifest, LADDER_TIMES, times);
        expect_screen(results, &manifest, LADDER_COUNTERS, counts);
        json_decref(results);
    }
}

/* Fail where the last column of a table of steps, which says what the article has, is blank, and
 * where it is there or not against what the chapter's steps say. */
static void expect_articles(char *text, const char *chapter, bool expected)
{
    bool inside = false, any = false;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (!strncmp(line, "| step |", 8))
            inside = strstr(line, "| in the article |") != NULL;
        else if (!strncmp(line, "| counted |", 11))
            inside = false;
        else if (inside && strlen(line) > 4 && !strcmp(line + strlen(line) - 4, "|  |"))
            fail_msg("%s: %s", chapter, line);
        any = any || inside;
    }
    if (any != expected)
        fail_msg("%s: a column for the article: %d, expected %d", chapter, any, expected);
}

static bool has_article(const struct manifest *manifest, const char *chapter)
{
    for (int i = 0; i < manifest->step_count; i++)
        if (!strcmp(manifest->steps[i].chapter, chapter) && *manifest->steps[i].article)
            return true;
    return false;
}

/* Where a step has an article, every row says what is in it, a figure or why there is none. */
TEST(test_articles)
{
    const struct style style = {.markdown = true, .utf8 = true};
    struct manifest manifest;

    assert_true(manifest_read(&manifest, BUILD));
    for (int i = 0; i < manifest.chapter_count; i++) {
        json_t *results = results_of(&manifest, manifest.chapters[i].name);
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        ladder_print(results, 0, &manifest, CHECKOUT, "build/default", LADDER_TIMES, file, &style);
        fclose(file);
        expect_articles(text, manifest.chapters[i].name,
                        has_article(&manifest, manifest.chapters[i].name));
        free(text);
        json_decref(results);
    }
}

/* Counters are those of one run, whatever number of runs and kernels they were summed up over. */
TEST(test_counters)
{
    json_t *result = json_pack("{s:[{s:i},{s:i}], s:{s:i}}", "kernels", "global_loads", 60,
                               "global_loads", 30, "report", "runs", 3);

    assert_float_equal(result_counter(result, "global_loads"), 30, 0);
    json_object_set_new(json_object_get(result, "report"), "runs", json_integer(1));
    assert_float_equal(result_counter(result, "global_loads"), 90, 0);
    json_array_clear(json_object_get(result, "kernels"));
    assert_true(isnan(result_counter(result, "global_loads")));
    json_decref(result);
}

TEST_MAIN()
