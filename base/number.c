/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char no_number[] = "not a whole number", too_small[] = "too small",
                  too_large[] = "too large";

/* Read digits and nothing else: whether `text` is that; `*beyond`: more than 64 bits hold. */
static bool read_digits(const char *text, uint64_t *number, bool *beyond)
{
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;

    /* strtoull would take leading spaces, signs, and octal. */
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &end, hexadecimal ? 16 : 10);
    *beyond = errno == ERANGE;
    return *end == '\0';
}

const char *number_read_unsigned(const char *text, uint64_t *number)
{
    bool beyond;

    if (!read_digits(text, number, &beyond))
        return no_number;
    return beyond ? too_large : NULL;
}

const char *number_read(const char *text, int64_t min, int64_t max, int64_t *number)
{
    const bool negative = *text == '-';
    uint64_t magnitude;
    bool beyond;

    if (!read_digits(text + negative, &magnitude, &beyond))
        return no_number;
    if (beyond || magnitude > (uint64_t)INT64_MAX + negative)
        return negative ? too_small : too_large;
    *number = (int64_t)(negative ? 0 - magnitude : magnitude);
    if (*number < min)
        return too_small;
    return *number > max ? too_large : NULL;
}

const char *number_group(uint64_t number, char text[NUMBER_GROUPED])
{
    char digits[NUMBER_GROUPED];
    const int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    char *out = text;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ' ';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}
