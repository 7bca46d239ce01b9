/* SPDX-License-Identifier: MIT */
#include "html.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

/* Is the space at `at` one within a number, as in "2.3 GB/s", "1 024", "n = 5" and "× first"? */
static bool binds(const char *text, const char *at)
{
    const char *word = at;

    while (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '.'))
        word--;
    return at[1] == '=' || at[1] == '%' || (isdigit((unsigned char)*word) && at[-1] != '.') ||
           (at > text && at[-1] == '=') || (at > text + 1 && !strncmp(at - 2, "× ", 3));
}

/* Text as text; what is no UTF-8 or a control character as a question mark or a space. Lines of a
 * sentence do not break within a number. */
static void print_text(FILE *file, const char *text, bool sentence)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    char *clean = copy_text(text);

    text_clean_lines(clean);
    for (const char *c = clean; *c; c++) {
        const char *found = strchr(special, *c);

        if (*c == ' ' && sentence && c > clean && binds(clean, c))
            fputs("&nbsp;", file);
        else if (found)
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
        else if (*++format == 's' || *format == 'w')
            print_text(file, va_arg(arguments, const char *), *format == 'w');
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
