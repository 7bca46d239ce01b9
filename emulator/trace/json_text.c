/* SPDX-License-Identifier: MIT */
/* Writes strings of JSON in which HTML finds no markup. */
#include <string.h>

#include "trace/parts.h"

/* The number of bytes of the UTF-8 character at `text`, of which `length` bytes are left; 0 if
 * it is none. */
static size_t character(const unsigned char *text, size_t length, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t first; /* lower codes must be written in a shorter form */
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if ((text[0] & forms[i].mask) != forms[i].lead)
            continue;
        if (i >= length)
            return 0;
        *code = text[0] & (unsigned char)~forms[i].mask;
        for (size_t k = 1; k <= i; k++) {
            if ((text[k] & 0xC0) != 0x80)
                return 0;
            *code = *code << 6 | (text[k] & 0x3F);
        }
        const bool is_one =
            *code >= forms[i].first && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
        return is_one ? i + 1 : 0;
    }
    return 0;
}

static bool is_plain(uint32_t code)
{
    return code >= ' ' && code != '"' && code != '\\' && code != '<' && code != '>' &&
           code != '&' && code != '\'' && (code < 0x7F || code > 0x9F) && code != 0x2028 &&
           code != 0x2029 && code != 0xFEFF;
}

void write_string(const char *text, size_t length, FILE *file)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;

    fputc('"', file);
    while (at < end) {
        uint32_t code = 0;
        const size_t bytes = character(at, (size_t)(end - at), &code);
        if (!bytes)
            fputs("\\ufffd", file);
        else if (is_plain(code))
            fwrite(at, 1, bytes, file);
        else
            fprintf(file, "\\u%04x", code);
        at += bytes ? bytes : 1;
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
