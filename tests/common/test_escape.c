/* SPDX-License-Identifier: MIT */
/* escape.c: what a terminal might obey does not reach it. */
#include <string.h>

#include "unit.h"
#include "escape.h"

static void expect(const char *text, const char *wanted)
{
    char shown[64];

    assert_string_equal(escape_text(text, strlen(text), shown, sizeof(shown)), wanted);
}

TEST(test_text)
{
    expect("", "");
    expect("plain \\ ~", "plain \\ ~");
    expect("\033[31m\n\x7f", "\\x1b[31m\\x0a\\x7f");
    expect("é 中 😀", "é 中 😀");
    expect("\xc2\x9b"
           "2J\xc2\xa0",
           "\\xc2\\x9b2J\xc2\xa0"); /* a control of eight bits, and the first that is none */
    expect("\xc2\x9f", "\\xc2\\x9f"); /* the last such control */
    expect("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
    expect("\x9b\xff\xe4\xb8", "\\x9b\\xff\\xe4\\xb8");
    expect("\xe0\x9f\xbf\xed\xa0\x80",
           "\\xe0\\x9f\\xbf\\xed\\xa0\\x80"); /* too long, a surrogate */
    expect("\xe4\xb8z\xf4\x8f\xbf", "\\xe4\\xb8z\\xf4\\x8f\\xbf");
}

/* A 0 within the text is a byte like others, and no room is no harm. */
TEST(test_length)
{
    char shown[8];

    assert_string_equal(escape_text("9\0", 2, shown, sizeof(shown)), "9\\x00");
    for (size_t size = 5; size <= sizeof(shown); size++) {
        memset(shown, '#', sizeof(shown));
        escape_text("\1\1\1\1", 4, shown, size);
        assert_string_equal(shown, "\\x01");
    }
    assert_string_equal(escape_text("abcdefghijk", 11, shown, sizeof(shown)), "abcd");
    assert_string_equal(escape_text("中", 2, shown, sizeof(shown)), "\\xe4");
}

TEST_MAIN()
