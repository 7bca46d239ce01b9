/* SPDX-License-Identifier: MIT */
#include "html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Text as text; what is no UTF-8 or a control character as a question mark or a space. */
static void print_text(FILE *file, const char *text)
{
    char *clean = copy_text(text);

    text_clean_lines(clean);
    for (const char *c = clean; *c; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\'':
            fputs("&#39;", file);
            break;
        default:
            fputc(*c, file);
        }
    }
    free(clean);
}

void html_print(FILE *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format, file);
            continue;
        }
        format++;
        if (*format == 's')
            print_text(file, va_arg(arguments, const char *));
        else if (*format == 'd')
            fprintf(file, "%d", va_arg(arguments, int));
        else
            fputc(*format, file);
    }
    va_end(arguments);
}
