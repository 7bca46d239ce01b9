/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdarg.h>
#include <stdio.h>
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
