/* SPDX-License-Identifier: MIT */
/* Writes strings of JSON in which HTML finds no markup. */
#include <string.h>

#include "escape.h"
#include "trace/parts.h"

static bool is_plain(uint32_t code)
{
    return code >= ' ' && code != '"' && code != '\\' && code != '<' && code != '>' &&
           code != '&' && code != '\'' && (code < 0x7F || code > 0x9F) && code != 0x2028 &&
           code != 0x2029 && code != 0xFEFF;
}

void write_string(const char *text, size_t length, FILE *file)
{
    fputc('"', file);
    for (size_t at = 0, bytes; at < length; at += bytes) {
        const uint32_t code = escape_decode(text + at, length - at, &bytes);
        const bool is_character = code != 0xFFFD || bytes > 1;
        if (is_character && is_plain(code))
            fwrite(text + at, 1, bytes, file);
        else
            fprintf(file, "\\u%04x", code);
    }
    fputc('"', file);
}

void write_text(const char *text, FILE *file)
{
    if (text)
        write_string(text, strlen(text), file);
    else
        fputs("null", file);
}
