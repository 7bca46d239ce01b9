/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const char *const phrases[PHRASE_COUNT][LANGUAGE_COUNT] = {
#define X(name, english, chinese) [SAY_##name] = {english, chinese},
#include "words.def"
#undef X
};

const char *phrase_text(enum language language, enum phrase phrase)
{
    return phrases[phrase][language];
}

static int count_parameters(const char *text)
{
    int count = 0;

    for (; *text; text++)
        if (parameter_at(text) > count)
            count = parameter_at(text);
    return count;
}

char *say(enum language language, enum phrase phrase, ...)
{
    const int count = count_parameters(phrases[phrase][LANGUAGE_ENGLISH]);
    char *parameters[MAX_PARAMETERS + 1] = {NULL};
    char *text;
    FILE *out = text_open(&text);
    va_list arguments;

    va_start(arguments, phrase);
    for (int i = 1; i <= count; i++)
        parameters[i] = va_arg(arguments, char *);
    va_end(arguments);
    pattern_fill(out, phrases[phrase][language], parameters);
    fclose(out);
    return text;
}

const char *word_for_limit(enum language language, const char *limit)
{
    for (int i = SAY_LIMIT_ISSUE; i <= SAY_LIMIT_LINK; i++)
        if (!strcmp(phrases[i][LANGUAGE_ENGLISH], limit))
            return phrases[i][language];
    return limit;
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

/* Does the pattern say `cell`, with a number for each parameter? These go to `numbers`. */
static bool has_numbers(const char *pattern, const char *cell, char *numbers[MAX_PARAMETERS + 1])
{
    struct part parts[MAX_PARAMETERS + 1];

    if (!pattern_fits(pattern, (struct part){cell, strlen(cell)}, parts))
        return false;
    for (int i = count_parameters(pattern); i > 0; i--) {
        if (strspn(parts[i].at, "0123456789.e-") < parts[i].length)
            return false;
        numbers[i] = text_format("%.*s", (int)parts[i].length, parts[i].at);
    }
    return true;
}

char *words_for_cell(enum language language, const char *cell)
{
    char *numbers[MAX_PARAMETERS + 1] = {NULL};

    for (int i = SAY_VARIANT_WRONG; i < PHRASE_COUNT; i++)
        if (has_numbers(phrases[i][LANGUAGE_ENGLISH], cell, numbers))
            return say(language, (enum phrase)i, numbers[1], numbers[2], numbers[3], numbers[4]);
    return copy_text(cell);
}
