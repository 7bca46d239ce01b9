/* SPDX-License-Identifier: MIT */
/* What the checkers found, put together: keys tell findings apart, texts join them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "check/report.h"

/* More than any table has room for before it grows. */
enum { MANY = 300 };

static bool add(struct reports *reports, enum check_kind kind, const void *first,
                const void *second, uint64_t third, const char *what)
{
    const struct finding finding = {.kind = kind, .what = what, .why = ""};
    const bool again = reports_again(reports, kind, first, second, third);

    if (!again)
        reports_add(reports, &finding);
    return again;
}

static void expect_text(const struct reports *reports, unsigned kinds, const char *expected)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    reports_print(reports, kinds, file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

/* Each part of a key counts, in tables of any size, and nothing is lost as they grow. */
TEST(test_keys)
{
    static const char place[MANY];
    struct reports *reports = reports_new();
    char what[20];

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            snprintf(what, sizeof(what), "number %d", i);
            const bool again = round > 0;
            assert_int_equal(add(reports, CHECK_INIT, reports, NULL, i, what), again);
            assert_int_equal(add(reports, CHECK_INIT, reports, &place[i], 0, what), again);
            assert_int_equal(add(reports, CHECK_INIT, &place[i], NULL, 0, what), again);
            assert_int_equal(add(reports, CHECK_SYNC, &place[i], NULL, 0, what), again);
        }
    assert_int_equal(reports_count(reports, CHECK_INIT), MANY);
    assert_int_equal(reports_count(reports, CHECK_SYNC), MANY);
    assert_int_equal(reports_count(reports, CHECK_KIND_COUNT), 2 * MANY);
    reports_free(reports);
}

/* A key that led to another's report counts there from then on. */
TEST(test_joined)
{
    struct reports *reports = reports_new();

    assert_false(add(reports, CHECK_RACE, NULL, NULL, 1, "one"));
    assert_false(add(reports, CHECK_RACE, NULL, NULL, 2, "two"));
    assert_false(add(reports, CHECK_RACE, NULL, NULL, 3, "two"));
    assert_true(add(reports, CHECK_RACE, NULL, NULL, 3, "two"));
    assert_false(add(reports, CHECK_SYNC, NULL, NULL, 4, "two"));
    expect_text(reports, 1u << CHECK_RACE | 1u << CHECK_SYNC,
                "emu: race: one\nemu: race: two\nemu:     3 times\nemu: sync: two\n"
                "emu: checked, 3 reports: race 2, sync 1\n");
    reports_free(reports);
}

/* Instructions that are gone say nothing of those at their addresses. */
TEST(test_forgotten)
{
    struct reports *reports = reports_new();

    assert_false(add(reports, CHECK_RACE, NULL, NULL, 1, "one"));
    reports_forget(reports);
    assert_false(add(reports, CHECK_RACE, NULL, NULL, 1, "another"));
    expect_text(reports, 1u << CHECK_RACE,
                "emu: race: one\nemu: race: another\nemu: checked, 2 reports: race 2\n");
    reports_free(reports);
}

/* What is new of a kind, beyond what was shown. */
TEST(test_new)
{
    struct reports *reports = reports_new();
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    add(reports, CHECK_RACE, NULL, NULL, 1, "one");
    add(reports, CHECK_SYNC, NULL, NULL, 2, "two");
    add(reports, CHECK_RACE, NULL, NULL, 3, "three");
    assert_int_equal(reports_print_new(reports, CHECK_RACE, 1, file), 2);
    fclose(file);
    assert_string_equal(text, "emu: race: three\n");
    free(text);
    reports_free(reports);
}

TEST_MAIN()
