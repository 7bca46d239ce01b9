/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "number.h"

/* Leaks are no fault here: LeakSanitizer looks for none. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

void *reallocate(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes ? bytes : 1);

    if (!memory) {
        fprintf(stderr, "tour: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

void *allocate(size_t bytes)
{
    return memset(reallocate(NULL, bytes), 0, bytes);
}

char *copy_text(const char *text)
{
    return text_format("%s", text);
}

char *text_vformat(const char *format, va_list arguments)
{
    char *text;

    if (vasprintf(&text, format, arguments) < 0) {
        fputs("tour: no memory for a line of text\n", stderr);
        exit(1);
    }
    return text;
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = text_vformat(format, arguments);
    va_end(arguments);
    return text;
}

char *text_repeat(const char *text, int count)
{
    const size_t length = strlen(text);
    char *repeated = allocate(length * (size_t)count + 1);

    for (int i = 0; i < count; i++)
        memcpy(repeated + (size_t)i * length, text, length);
    repeated[length * (size_t)count] = '\0';
    return repeated;
}

void text_join(char **list, const char *separator, const char *more)
{
    *list = *list && **list ? text_format("%s%s%s", *list, separator, more) : copy_text(more);
}

void texts_add(struct texts *texts, const char *text)
{
    texts->list = reallocate(texts->list, (texts->count + 2) * sizeof(*texts->list));
    texts->list[texts->count++] = (char *)text;
    texts->list[texts->count] = NULL;
}

void texts_add_all(struct texts *texts, const char *const *list)
{
    while (*list)
        texts_add(texts, *list++);
}

char **text_lines(const char *text)
{
    struct texts lines = {allocate(sizeof(*lines.list)), 0};
    char *rest = copy_text(text);

    while (rest && *rest)
        texts_add(&lines, strsep(&rest, "\n"));
    return lines.list;
}

FILE *text_open(char **text)
{
    static size_t size; /* nobody asks for it: a text ends where it ends */
    FILE *file = open_memstream(text, &size);

    if (!file) {
        fputs("tour: no memory for a line of text\n", stderr);
        exit(1);
    }
    return file;
}

char *text_in(enum language language, const char *english)
{
    char *text = translate(language, english);

    if (!text) {
        fputs("tour: no memory for a line of text\n", stderr);
        exit(1);
    }
    return text;
}

void complain(const char *format, ...)
{
    va_list arguments;
    char *line, *shown;
    size_t length;

    va_start(arguments, format);
    line = text_in(language_here(), text_vformat(format, arguments));
    va_end(arguments);
    length = strlen(line);
    shown = allocate(4 * length + 5);
    fprintf(stderr, "tour: %s\n", escape_text(line, length, shown, 4 * length + 5));
}

void tell(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs(text_in(language_here(), text_vformat(format, arguments)), stdout);
    va_end(arguments);
}

/* The character that starts at `text`, and its bytes in `*length`. */
static uint32_t decode(const char *text, size_t *length)
{
    return escape_decode(text, 4, length); /* none goes on behind the 0 at the end */
}

/* Blocks of characters, not single ones: near enough for titles. Wide: Unicode's
 * EastAsianWidth.txt, classes W and F. */
static int width_of(uint32_t code)
{
    static const struct {
        uint32_t first, last;
        int width;
    } blocks[] = {
        {0x0300, 0x036F, 0}, /* combining diacritics */
        {0x1100, 0x115F, 2}, /* Hangul Jamo */
        {0x200B, 0x200F, 0}, /* zero-width space, joiners, directions */
        {0x20D0, 0x20FF, 0}, /* combining marks for symbols */
        {0x2E80, 0x303E, 2}, /* CJK radicals and punctuation */
        {0x3041, 0xA4CF, 2}, /* kana, CJK ideographs, Yi */
        {0xAC00, 0xD7A3, 2}, /* Hangul */
        {0xF900, 0xFAFF, 2}, /* CJK compatibility */
        {0xFE00, 0xFE0F, 0}, /* variation selectors */
        {0xFE30, 0xFE6F, 2}, /* CJK compatibility forms */
        {0xFF00, 0xFF60, 2}, /* fullwidth forms */
        {0xFFE0, 0xFFE6, 2},   {0x1F300, 0x1FAFF, 2}, /* pictographs */
        {0x20000, 0x3FFFD, 2}, /* CJK extensions */
    };

    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        if (code >= blocks[i].first && code <= blocks[i].last)
            return blocks[i].width;
    return 1;
}

/* The columns that the first `bytes` of `text` take. */
static int width_of_part(const char *text, size_t bytes)
{
    size_t length;
    int width = 0;

    for (size_t i = 0; i < bytes; i += length)
        width += width_of(decode(text + i, &length));
    return width;
}

int text_width(const char *text)
{
    return width_of_part(text, strlen(text));
}

char *text_fit(const char *text, int width, const char *ellipsis)
{
    const int mark = text_width(ellipsis);
    size_t kept = 0, length;
    int room = width;

    if (text_width(text) <= width)
        return copy_text(text);
    if (mark <= width)
        room -= mark;
    while (text[kept]) {
        room -= width_of(decode(text + kept, &length));
        if (room < 0)
            break;
        kept += length;
    }
    while (kept > 0 && text[kept - 1] == ' ')
        kept--;
    return text_format("%.*s%s", (int)kept, text, mark <= width ? ellipsis : "");
}

/* Does a character stand on the line of the one before it? Chinese punctuation that closes does. */
static bool closes(uint32_t code)
{
    static const uint32_t closing[] = {0x3001, 0x3002, 0xFF01, 0xFF09,
                                       0xFF0C, 0xFF1A, 0xFF1B, 0xFF1F};

    for (size_t i = 0; i < sizeof(closing) / sizeof(closing[0]); i++)
        if (code == closing[i])
            return true;
    return false;
}

/* The bytes of the first word, and of the spaces before it. A wide character is a word. */
static size_t word_length(const char *text, const char *after)
{
    size_t length = strspn(text, " "), bytes;

    while (text[length] && text[length] != ' ') {
        const char last = text[length];
        const bool wide = width_of(decode(text + length, &bytes)) == 2;
        length += bytes;
        const uint32_t next = decode(text + length, &bytes);
        if (strchr(after, last) || ((wide || width_of(next) == 2) && !closes(next)))
            break;
    }
    return length;
}

size_t text_line(const char *text, int width, const char *after, const char **next)
{
    size_t line = word_length(text, after);

    while (text[line]) {
        const size_t longer = line + word_length(text + line, after);

        if (width_of_part(text, longer) > width)
            break;
        line = longer;
    }
    *next = text + line + strspn(text + line, " ");
    return line;
}

void text_clean(char *text)
{
    size_t length;

    for (; *text; text += length) {
        const uint32_t code = decode(text, &length);

        if (code == 0xFFFD && length == 1)
            *text = '?';
        else if (code < 0x20 || code == 0x7F)
            *text = ' ';
        else if (code >= 0x80 && code < 0xA0) /* the other control characters, two bytes each */
            text[0] = text[1] = ' ';
    }
}

void text_clean_lines(char *text)
{
    while (*text) {
        char *end = text + strcspn(text, "\n");
        const char last = *end;

        *end = '\0';
        text_clean(text);
        *end = last;
        text = last ? end + 1 : end;
    }
}

void text_narrow(char *text)
{
    char *out = text;

    for (const char *c = text; *c;) {
        size_t length;
        const uint32_t code = decode(c, &length);
        if (code == 0x3000)
            *out++ = ' ';
        else if (code >= 0xFF01 && code <= 0xFF5E)
            *out++ = (char)(code - 0xFF01 + '!');
        else
            for (size_t i = 0; i < length; i++)
                *out++ = c[i];
        c += length;
    }
    *out = '\0';
}

/* Three significant digits, more only before the point. */
static int decimals(double value)
{
    int places = 2;

    for (double magnitude = fabs(value); magnitude >= 9.995 && places > 0; magnitude /= 10)
        places--;
    for (double magnitude = fabs(value); magnitude > 0 && magnitude < 0.9995 && places < 12;
         magnitude *= 10)
        places++;
    return places;
}

char *text_number(double value)
{
    if (!isfinite(value))
        return copy_text("-");
    return text_format("%.*f", decimals(value), value);
}

char *text_time(double seconds)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}, {1, "s"}};
    size_t i = 0;

    if (!isfinite(seconds))
        return copy_text("-");
    while (i < 3 && fabs(seconds) * units[i].scale >= 999.5)
        i++;
    return text_format("%s %s", text_number(seconds * units[i].scale), units[i].unit);
}

char *text_count(double value)
{
    char grouped[NUMBER_GROUPED];

    if (!isfinite(value))
        return copy_text("-");
    if (value != floor(value) || value < 0 || value >= 1e18)
        return text_number(value);
    return copy_text(number_group((uint64_t)value, grouped));
}
