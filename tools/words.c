/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MAX_PARAMETERS = 9 };

static const char *const phrases[PHRASE_COUNT][LANGUAGE_COUNT] = {
#define X(name, english, chinese) [SAY_##name] = {english, chinese},
#include "words.def"
#undef X
};

const char *phrase_text(enum language language, enum phrase phrase)
{
    return phrases[phrase][language];
}

/* Which parameter stands at `text`, from 1; 0: none. */
static int parameter_at(const char *text)
{
    return text[0] == '{' && text[1] >= '1' && text[1] <= '9' && text[2] == '}' ? text[1] - '0' : 0;
}

static int count_parameters(const char *text)
{
    int count = 0;

    for (; *text; text++)
        if (parameter_at(text) > count)
            count = parameter_at(text);
    return count;
}

/* Are the three bytes at `text` a Chinese character? Between it and Latin letters goes a space. */
static bool is_ideograph(const char *text)
{
    return (unsigned char)*text >= 0xE4 && (unsigned char)*text <= 0xE9;
}

char *say(enum language language, enum phrase phrase, ...)
{
    const int count = count_parameters(phrases[phrase][LANGUAGE_ENGLISH]);
    const char *parameters[MAX_PARAMETERS + 1] = {NULL};
    char *text;
    FILE *out = text_open(&text);
    const char *template;
    va_list arguments;

    va_start(arguments, phrase);
    for (int i = 1; i <= count; i++)
        parameters[i] = va_arg(arguments, const char *);
    va_end(arguments);
    template = phrases[phrase][language];
    for (const char *c = template; *c; c++) {
        const int parameter = parameter_at(c);

        if (parameter > 0 && parameter <= count) {
            if (c > template + 2 && is_ideograph(c - 3) &&
                isalnum((unsigned char)*parameters[parameter]))
                fputc(' ', out);
            fputs(parameters[parameter], out);
            c += 2;
        } else {
            fputc(*c, out);
        }
    }
    fclose(out);
    return lasting(text);
}

static const char *find(enum language language, const char *english, int from, int to)
{
    for (int i = from; i <= to; i++)
        if (!strcmp(phrases[i][LANGUAGE_ENGLISH], english))
            return phrases[i][language];
    return english;
}

const char *word_for(enum language language, const char *english)
{
    return find(language, english, 0, PHRASE_COUNT - 1);
}

const char *word_for_limit(enum language language, const char *limit)
{
    return find(language, limit, SAY_LIMIT_ISSUE, SAY_LIMIT_BARRIERS);
}

int phrase_about(const char *header)
{
    const size_t length = strlen(header);

    for (int i = SAY_ABOUT_FIRST; i <= SAY_ABOUT_LAST; i++)
        if (!strncmp(phrases[i][LANGUAGE_ENGLISH], header, length) &&
            phrases[i][LANGUAGE_ENGLISH][length] == ':')
            return i;
    return -1;
}

/* Does `template` say `cell`, with a number for each parameter, in their order? These go to
 * `numbers`. */
static bool has_numbers(const char *template, const char *cell, char *numbers[MAX_PARAMETERS])
{
    for (; *template; template ++) {
        const int parameter = parameter_at(template);
        const size_t digits = strspn(cell, "0123456789.e-");

        if (parameter == 0 && *template != *cell++)
            return false;
        if (parameter == 0)
            continue;
        if (!isdigit((unsigned char)*cell))
            return false;
        numbers[parameter - 1] = text_format("%.*s", (int)digits, cell);
        cell += digits;
        template += 2;
    }
    return *cell == '\0';
}

char *words_for_cell(enum language language, const char *cell)
{
    char *numbers[MAX_PARAMETERS] = {NULL};

    for (int i = SAY_VARIANT_WRONG; i < PHRASE_COUNT; i++)
        if (has_numbers(phrases[i][LANGUAGE_ENGLISH], cell, numbers))
            return say(language, (enum phrase)i, numbers[0], numbers[1], numbers[2], numbers[3]);
    return copy_text(cell);
}

char *text_in(enum language language, const char *english)
{
    const char *word = word_for(language, english);

    return word != english ? copy_text(word) : words_for_cell(language, english);
}
