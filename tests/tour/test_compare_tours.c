/* SPDX-License-Identifier: MIT */
/* What changed between two tours: what counts as slower, and what is said of a step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "compare.h"

/* A step as its run tells it: `rest` is more of it. */
#define RESULT(outcome, n, modelled, min, median, max, rest)                                       \
    "{\"chapter\": \"sumsq\", \"step\": \"v3\", \"outcome\": \"" outcome "\", \"report\": "        \
    "{\"n\": " n ", \"runs\": 1, \"device\": {\"modelled\": " modelled "}, \"ms\": {\"min\": " min \
    ", \"median\": " median ", \"max\": " max "}}" rest "}"
#define MEASURED(min, median, max) RESULT("match", "5", "false", min, median, max, "")

static json_t *tour(const char *steps)
{
    char text[4000];

    snprintf(text, sizeof(text), "{\"format\": 2, \"steps\": [%s]}", steps);
    json_t *json = json_loads(text, 0, NULL);
    if (!json)
        fail_msg("no JSON: %s", text);
    return json;
}

static void expect_no_slower(const char *before, const char *after, double percent, bool expected)
{
    json_t *old = tour(before), *now = tour(after);

    if (compare_no_slower(old, now, percent) != expected)
        fail_msg("%g %% of\n%s\nis %s to\n%s", percent, before, expected ? "too much" : "enough",
                 after);
    json_decref(old);
    json_decref(now);
}

TEST(test_no_slower)
{
    const char *const ten = MEASURED("9", "10", "11");

    expect_no_slower(ten, MEASURED("14", "15", "16"), 50, true);
    expect_no_slower(ten, MEASURED("14", "15", "16"), 49, false);
    expect_no_slower(ten, MEASURED("4", "5", "6"), 0, true);
    /* The slowest of the runs before were as slow. */
    expect_no_slower(MEASURED("8", "10", "16"), MEASURED("14", "15", "17"), 10, true);
    /* Nothing that can be compared. */
    expect_no_slower("", ten, 10, false);
    expect_no_slower(ten, RESULT("match", "5", "true", "9", "10", "11", ""), 10, false);
    expect_no_slower(ten, RESULT("match", "6", "false", "9", "10", "11", ""), 10, false);
    expect_no_slower(ten, RESULT("mismatch", "5", "false", "9", "10", "11", ""), 10, false);
}

/* `words` are in what is printed. */
static void expect_words(const char *before, const char *after, const char *words)
{
    const struct style style = {.width = 200, .color = true};
    json_t *old = tour(before), *now = tour(after);
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    compare_print(old, now, file, &style);
    fclose(file);
    if (!strstr(text, words))
        fail_msg("expected '%s', not: %s", words, text);
    free(text);
    json_decref(old);
    json_decref(now);
}

TEST(test_changes)
{
    const char *const ten = MEASURED("9", "10", "11");

    expect_words("", ten, "new");
    expect_words(ten, MEASURED("19", "20", "21"), "\033[1;31m2.00 x slower");
    expect_words(MEASURED("19", "20", "21"), ten, "\033[32m2.00 x faster");
    expect_words(ten, MEASURED("10", "12", "13"), "same");
    expect_words(ten, MEASURED("null", "null", "null"), "not comparable");
    expect_words(ten, RESULT("match", "5", "true", "9", "10", "11", ""), "not comparable");
    expect_words(ten, RESULT("match", "6", "false", "9", "10", "11", ""), "another size");
    expect_words(RESULT("crash", "5", "false", "9", "10", "11", ""),
                 RESULT("crash", "5", "false", "19", "20", "21", ""), "same");
    expect_words(RESULT("crash", "5", "false", "9", "10", "11", ""), ten, "match, was crash");
}

TEST(test_counters)
{
#define KERNELS(counters) \
    RESULT("match", "5", "false", "9", "10", "11", ", \"kernels\": [{" counters "}]")
    expect_words(KERNELS("\"branches\": 1, \"barriers\": 2, \"global_loads\": 3"),
                 KERNELS("\"branches\": 4, \"barriers\": 5, \"global_loads\": 6"),
                 "global_loads 3 to 6, branches 1 to 4, barriers 2 to 5");
    expect_words(
        KERNELS("\"branches\": 1, \"barriers\": 2, \"global_loads\": 3, \"global_stores\": 7"),
        KERNELS("\"branches\": 4, \"barriers\": 5, \"global_loads\": 6, \"global_stores\": 8"),
        "branches 1 to 4, 1 more");
}

TEST_MAIN()
