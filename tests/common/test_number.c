/* SPDX-License-Identifier: MIT */
/* number.c: what is a number, and from where to where. */
#include "unit.h"
#include "number.h"

TEST(test_unsigned)
{
    static const char *const wrong[] = {"", "-1", "+1", " 1", "1 ", "1.5", "x", "0x", "1e3"};
    uint64_t number;

    assert_null(number_read_unsigned("18446744073709551615", &number));
    assert_true(number == UINT64_MAX);
    assert_null(number_read_unsigned("0xFFFFFFFFFFFFFFC5", &number));
    assert_true(number == UINT64_MAX - 58);
    assert_null(number_read_unsigned("0Xa", &number));
    assert_true(number == 10);
    assert_null(number_read_unsigned("010", &number));
    assert_true(number == 10);
    assert_string_equal(number_read_unsigned("18446744073709551616", &number), "too large");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_string_equal(number_read_unsigned(wrong[i], &number), "not a whole number");
}

TEST(test_signed)
{
    static const char *const wrong[] = {"", "-", "--1", "- 1", "+1", "-x", "-0x", "1-"};
    int64_t number;

    assert_null(number_read("-9223372036854775808", INT64_MIN, INT64_MAX, &number));
    assert_true(number == INT64_MIN);
    assert_null(number_read("9223372036854775807", INT64_MIN, INT64_MAX, &number));
    assert_true(number == INT64_MAX);
    assert_null(number_read("-0x10", -16, 16, &number));
    assert_true(number == -16);
    assert_string_equal(number_read("-17", -16, 16, &number), "too small");
    assert_string_equal(number_read("17", -16, 16, &number), "too large");
    assert_string_equal(number_read("-9223372036854775809", INT64_MIN, 0, &number), "too small");
    assert_string_equal(number_read("9223372036854775808", 0, INT64_MAX, &number), "too large");
    assert_string_equal(number_read("-99999999999999999999", INT64_MIN, 0, &number), "too small");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_string_equal(number_read(wrong[i], INT64_MIN, INT64_MAX, &number),
                            "not a whole number");
}

TEST(test_grouped)
{
    char text[NUMBER_GROUPED];

    assert_string_equal(number_group(0, text), "0");
    assert_string_equal(number_group(999, text), "999");
    assert_string_equal(number_group(1000, text), "1 000");
    assert_string_equal(number_group(UINT64_MAX, text), "18 446 744 073 709 551 615");
}

TEST_MAIN()
