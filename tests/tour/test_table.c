/* SPDX-License-Identifier: MIT */
/* Unit test of table.c: what gives way where a terminal is narrow. */
#include <stdlib.h>

#include "../cmocka_main.h"
#include "table.h"
#include "text.h"

enum { NAME, TITLE, PICTURE, COLUMNS };

/* The table of one row that this test prints, `width` columns wide. To be freed. */
static char *printed(int width)
{
    static const struct column columns[COLUMNS] = {
        [NAME] = {.header = "step", .key = true, .least = 4},
        [TITLE] = {.header = "what", .least = 4},
        [PICTURE] = {.header = "time", .drop = 1},
    };
    const struct style style = {.width = width};
    struct table table = table_new(columns, COLUMNS);
    struct row *row = table_row(&table);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    table_set(row, NAME, TONE_PLAIN, copy_text("r4b_fewer_threads"));
    table_set(row, TITLE, TONE_PLAIN, copy_text("half the threads"));
    table_set(row, PICTURE, TONE_PLAIN, copy_text("########"));
    table_print(&table, file, &style);
    fclose(file);
    return text;
}

static void expect(int width, const char *wanted)
{
    char *text = printed(width);

    assert_string_equal(text, wanted);
    free(text);
}

TEST(test_the_name_gives_way_last)
{
    expect(0, "step               what              time\n"
              "r4b_fewer_threads  half the threads  ########\n");
    expect(37, "step               what      time\n"
               "r4b_fewer_threads  half th~  ########\n");
    expect(30, "step               what\n"
               "r4b_fewer_threads  half the t~\n");
    expect(14, "step      what\n"
               "r4b_few~  hal~\n");
}

enum { KEY, LONG, NEEDED, LESS, MORE_COLUMNS };

/* A table whose headers and cells may be broken, `width` columns wide. To be freed. */
static char *broken(int width)
{
    static const struct column columns[MORE_COLUMNS] = {
        [KEY] = {.header = "step", .key = true, .least = 4},
        [LONG] = {.header = "figure", .wraps = true, .least = 10, .drop = 2},
        [NEEDED] = {.header = "sectors/load", .right = true, .drop = 1},
        [LESS] = {.header = "bank conflicts", .right = true, .drop = 3},
    };
    const struct style style = {.width = width};
    struct table table = table_new(columns, MORE_COLUMNS);
    struct row *row = table_row(&table);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    table_set(row, KEY, TONE_PLAIN, copy_text("v1_a"));
    table_set(row, LONG, TONE_PLAIN, copy_text("2 MB and 3, 4 or 5"));
    table_set(row, NEEDED, TONE_PLAIN, copy_text("4.00"));
    table_set(row, LESS, TONE_PLAIN, copy_text("12"));
    row = table_row(&table);
    table_set(row, KEY, TONE_PLAIN, copy_text("v2_b"));
    table_print(&table, file, &style);
    fclose(file);
    return text;
}

static void expect_broken(int width, const char *wanted)
{
    char *text = broken(width);

    assert_string_equal(text, wanted);
    free(text);
}

TEST(test_headers_break_before_a_column_goes)
{
    expect_broken(54, "step  figure              sectors/load  bank conflicts\n"
                      "v1_a  2 MB and 3, 4 or 5          4.00              12\n"
                      "v2_b\n");
    expect_broken(53, "                                             bank\n"
                      "step  figure              sectors/load  conflicts\n"
                      "v1_a  2 MB and 3, 4 or 5          4.00         12\n"
                      "v2_b\n");
    expect_broken(45, "                          sectors/       bank\n"
                      "step  figure                  load  conflicts\n"
                      "v1_a  2 MB and 3, 4 or 5      4.00         12\n"
                      "v2_b\n");
}

TEST(test_cells_break_before_a_column_goes)
{
    expect_broken(37, "                  sectors/       bank\n"
                      "step  figure          load  conflicts\n"
                      "v1_a  2 MB and        4.00         12\n"
                      "      3, 4 or 5\n"
                      "v2_b\n");
    expect_broken(36, "                          sectors/\n"
                      "step  figure                  load\n"
                      "v1_a  2 MB and 3, 4 or 5      4.00\n"
                      "v2_b\n");
}

/* What is less needed takes the room that something wider cannot use. */
TEST(test_room_is_used)
{
    expect_broken(25, "      sectors/       bank\n"
                      "step      load  conflicts\n"
                      "v1_a      4.00         12\n"
                      "v2_b\n");
    expect_broken(24, "step  sectors/load\n"
                      "v1_a          4.00\n"
                      "v2_b\n");
}

TEST_MAIN()
