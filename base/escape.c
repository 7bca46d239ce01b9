/* SPDX-License-Identifier: MIT */
#include "escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

uint32_t escape_decode(const char *text, size_t length, size_t *bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    const size_t count = byte[0] < 0x80 ? 1 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
    uint32_t code = count == 1 ? byte[0] : byte[0] & (0x7F >> count);

    *bytes = 1;
    if ((byte[0] >= 0x80 && byte[0] < 0xC2) || byte[0] > 0xF4 || count > length)
        return 0xFFFD;
    for (size_t i = 1; i < count; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0xFFFD;
        code = code << 6 | (byte[i] & 0x3F);
    }
    if (code < least[count] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0xFFFD;
    *bytes = count;
    return code;
}

/* The bytes of the printable character that begins at `text`; 0 if none does. */
static size_t printable(const char *text, size_t length)
{
    size_t bytes;
    const uint32_t code = escape_decode(text, length, &bytes);
    const bool control = code < ' ' || (code >= 0x7F && code < 0xA0);

    return control || (code == 0xFFFD && bytes == 1) ? 0 : bytes;
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
