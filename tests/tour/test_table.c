/* Unit test of table.c: what gives way where a terminal is narrow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

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
    table_free(&table);
    return text;
}

static void expect(int width, const char *wanted)
{
    char *text = printed(width);

    assert_string_equal(text, wanted);
    free(text);
}

static void test_the_name_gives_way_last(void **state)
{
    (void)state;
    expect(0, "step               what              time\n"
              "r4b_fewer_threads  half the threads  ########\n");
    expect(37, "step               what      time\n"
               "r4b_fewer_threads  half th~  ########\n");
    expect(30, "step               what\n"
               "r4b_fewer_threads  half the t~\n");
    expect(14, "step      what\n"
               "r4b_few~  hal~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_name_gives_way_last)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
