/* SPDX-License-Identifier: MIT */
#include "html.h"

#include <stdarg.h>
#include <string.h>

#include "text.h"

/* Text as text; what is no UTF-8 or a control character as a question mark or a space. */
static void print_text(FILE *file, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    char *clean = copy_text(text);

    text_clean_lines(clean);
    for (const char *c = clean; *c; c++) {
        const char *found = strchr(special, *c);

        if (found)
            fputs(entities[found - special], file);
        else
            fputc(*c, file);
    }
}

static void print(FILE *file, const char *format, va_list arguments)
{
    for (; *format; format++) {
        if (*format != '%')
            fputc(*format, file);
        else if (*++format == 's')
            print_text(file, va_arg(arguments, const char *));
        else if (*format == 'h')
            fputs(va_arg(arguments, const char *), file);
        else if (*format == 'd')
            fprintf(file, "%d", va_arg(arguments, int));
        else
            fputc(*format, file);
    }
}

void html_print(FILE *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(file, format, arguments);
    va_end(arguments);
}

char *html_format(const char *format, ...)
{
    va_list arguments;
    char *text;
    FILE *file = text_open(&text);

    va_start(arguments, format);
    print(file, format, arguments);
    va_end(arguments);
    fclose(file);
    return lasting(text);
}
