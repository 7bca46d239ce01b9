/* SPDX-License-Identifier: MIT */
#include "escape.h"

#include <stdio.h>
#include <string.h>

/* The bytes of the printable character that begins at `text`; 0 if none does. Lengths and ranges
 * are those of RFC 3629, all but its rules on overlong forms of three and four bytes. */
static size_t printable(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    const size_t bytes = byte[0] < 0x80 ? 1 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;

    if (byte[0] < ' ' || byte[0] == 0x7F || (byte[0] >= 0x80 && byte[0] < 0xC2) || byte[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if (i >= length || (byte[i] & 0xC0) != 0x80)
            return 0;
    return byte[0] == 0xC2 && byte[1] < 0xA0 ? 0 : bytes; /* U+0080 to U+009F are controls */
}

char *escape_text(const char *text, size_t length, char *shown, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < length && used + sizeof("\\xNN") <= size;) {
        const size_t bytes = printable(text + i, length - i);

        if (bytes)
            memcpy(shown + used, text + i, bytes);
        else
            snprintf(shown + used, size - used, "\\x%02x", (unsigned char)text[i]);
        used += bytes ? bytes : strlen("\\xNN");
        i += bytes ? bytes : 1;
    }
    shown[used] = '\0';
    return shown;
}
