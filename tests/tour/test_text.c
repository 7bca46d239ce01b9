/* SPDX-License-Identifier: MIT */
/* Unit tests of text.c: widths, cutting, numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "text.h"

/* Compare text that is to be freed. */
static void expect(char *text, const char *wanted)
{
    assert_string_equal(text, wanted);
    free(text);
}

TEST(test_width)
{
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("abc"), 3);
    assert_int_equal(text_width("façade"), 6);
    assert_int_equal(text_width("fac\xCC\xA7"
                                "ade"),
                     6); /* a combining cedilla */
    assert_int_equal(text_width("爬梯子"), 6);
    assert_int_equal(text_width("█▏"), 2);
    assert_int_equal(text_width("×"), 1);
    assert_int_equal(text_width("\uFFE6"), 2); /* the last of a block of wide ones */
    assert_int_equal(text_width("\uFFE7"), 1);
    assert_int_equal(text_width("\xED\xA0\x80"), 3); /* half a surrogate pair is no character */
    assert_int_equal(text_width("😀"), 2);
    assert_int_equal(text_width("\xFF\xC3"), 2); /* no UTF-8: a column a byte */
    assert_int_equal(text_width("\xE4\xB8"), 2); /* the end of the text in a character */
}

TEST(test_fit)
{
    expect(text_fit("abcdef", 6, "…"), "abcdef");
    expect(text_fit("abcdef", 5, "…"), "abcd…");
    expect(text_fit("abc def", 5, "…"), "abc…"); /* no space before the mark */
    expect(text_fit("爬梯子", 5, "…"), "爬梯…");
    expect(text_fit("爬梯子", 4, "…"), "爬…"); /* a wide character is never halved */
    expect(text_fit("爬梯子", 1, "…"), "…");
    expect(text_fit("abc", 0, "…"), "");
    expect(text_fit("", 0, "…"), "");
}

/* The lines of `text`, parted by bars. To be freed. */
static char *lines_of(const char *text, int width, const char *after)
{
    char *all = copy_text("");

    while (*text) {
        const char *next;
        const size_t length = text_line(text, width, after, &next);
        char *longer = text_format("%s%.*s|", all, (int)length, text);

        free(all);
        all = longer;
        text = next;
    }
    return all;
}

TEST(test_line)
{
    expect(lines_of("", 3, ""), "");
    expect(lines_of("one two three", 7, ""), "one two|three|");
    expect(lines_of("one two three", 6, ""), "one|two|three|");
    expect(lines_of("one two three", 13, ""), "one two three|");
    expect(lines_of("three of", 2, ""), "three|of|"); /* a word is not broken */
    expect(lines_of("爬 梯子", 6, ""), "爬 梯|子|"); /* between wide ones it may be */
    expect(lines_of("爬梯子，好", 6, ""), "爬梯|子，好|"); /* but not before a comma */
    expect(lines_of("sectors/load", 8, "/"), "sectors/|load|");
    expect(lines_of("sectors/load", 7, "/"), "sectors/|load|");
    expect(lines_of("sectors/load", 12, "/"), "sectors/load|");
    expect(lines_of("9.3 MB/s", 5, ""), "9.3|MB/s|");
}

TEST(test_clean)
{
    char text[] = "a\033[31mb\tc\x7F\xFF"
                  "d爬\xC2\x9B"
                  "e";

    text_clean(text);
    assert_string_equal(text, "a [31mb c ?d爬  e");
}

TEST(test_narrow)
{
    char text[] = "//\xE3\x80\x80ｐrediction：３２．５ 爬！\xFF～";

    text_narrow(text);
    assert_string_equal(text, "// prediction:32.5 爬!\xFF~");
}

TEST(test_number)
{
    expect(text_number(0), "0.00");
    expect(text_number(1), "1.00");
    expect(text_number(9.994), "9.99");
    expect(text_number(9.996), "10.0");
    expect(text_number(99.96), "100");
    expect(text_number(48874.4), "48874");
    expect(text_number(0.9996), "1.00");
    expect(text_number(0.00655), "0.00655");
    expect(text_number(NAN), "-");
    expect(text_number(INFINITY), "-");
}

TEST(test_time)
{
    expect(text_time(0.43), "430 ms");
    expect(text_time(2.5e-9), "2.50 ns");
    expect(text_time(999.4e-9), "999 ns");
    expect(text_time(999.6e-9), "1.00 us");
    expect(text_time(0.9996), "1.00 s");
    expect(text_time(3600), "3600 s");
    expect(text_time(NAN), "-");
}

TEST(test_count)
{
    expect(text_count(0), "0");
    expect(text_count(999), "999");
    expect(text_count(1000), "1 000");
    expect(text_count(1048576), "1 048 576");
    expect(text_count(2.5), "2.50");
    expect(text_count(NAN), "-");
}

TEST_MAIN()
