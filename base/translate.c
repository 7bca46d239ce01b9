/* SPDX-License-Identifier: MIT */
#include "translate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What one text may cost to look up, whoever made it: a longer one stays English, and so do the
 * parts of one that can be taken apart in more ways. */
enum { MAX_LENGTH = 1000, MAX_LOOKUPS = 1000 };

/* In Chinese, <1> is a parameter that is translated too; {1} stays as it is. */
static const struct phrase {
    const char *english, *chinese;
    bool only_numbers; /* may be put in: with words it is a part of sentences */
} phrases[] = {
#define M(english, chinese) {english, chinese, false},
#include "messages.def"
#undef M
#define X(name, english, chinese) {english, chinese, true},
#include "words.def"
#undef X
};

enum { PHRASES = sizeof(phrases) / sizeof(phrases[0]) };

/* --- Languages -------------------------------------------------------------------------------- */

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static enum language language_of_locale(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    const char *locale = NULL, *wanted = set_variable("LANGUAGE");

    for (int i = 0; i < 3 && !locale; i++)
        locale = set_variable(names[i]);
    if (!locale || (!strcasestr(locale, "utf-8") && !strcasestr(locale, "utf8")))
        return LANGUAGE_ENGLISH;
    return strncmp(wanted ? wanted : locale, "zh", 2) ? LANGUAGE_ENGLISH : LANGUAGE_CHINESE;
}

enum language language_here(void)
{
    static enum language language = LANGUAGE_COUNT;

    if (language == LANGUAGE_COUNT)
        language = language_of_locale();
    return language;
}

void language_of_children(enum language language)
{
    language_here();
    setenv("LANGUAGE", language == LANGUAGE_CHINESE ? "zh" : "en", 1);
}

/* --- Patterns --------------------------------------------------------------------------------- */

/* The same for a parameter in the brackets of `open`, "{" or "<". */
static int parameter_in(const char *open, const char *text)
{
    const char close = *open == '{' ? '}' : '>';

    return *text == *open && text[1] >= '1' && text[1] <= '9' && text[2] == close ? text[1] - '0'
                                                                                  : 0;
}

int parameter_at(const char *text)
{
    return parameter_in("{", text);
}

/* A part of a text. */
struct part {
    const char *at;
    size_t length;
};

/* The first place, from `at` on, where the beginning of the pattern stands; at the end, if nothing
 * comes behind it. NULL: there is none. */
static const char *place_of(const char *pattern, size_t length, const char *at, const char *end)
{
    if ((size_t)(end - at) < length)
        return NULL;
    if (pattern[length])
        return memmem(at, (size_t)(end - at), pattern, length);
    return memcmp(end - length, pattern, length) ? NULL : end - length;
}

/* Does the pattern say all of `text`, with something in the place of each parameter? That goes to
 * `parts`, from index 1. What stands between two parameters is looked for once: further on is no
 * better. */
static bool pattern_fits(const char *pattern, struct part text,
                         struct part parts[MAX_PARAMETERS + 1])
{
    const char *at = text.at, *const end = text.at + text.length;

    for (; *pattern && !parameter_at(pattern); pattern++, at++)
        if (at == end || *pattern != *at)
            return false;
    while (*pattern) {
        const int number = parameter_at(pattern);
        size_t length = 0;
        for (pattern += 3; pattern[length] && !parameter_at(pattern + length);)
            length++;
        const char *next = at < end ? place_of(pattern, length, at + 1, end) : NULL;
        if (!next)
            return false;
        parts[number] = (struct part){at, (size_t)(next - at)};
        at = next + length;
        pattern += length;
    }
    return at == end;
}

/* Is the character at `text`, three bytes, a Chinese one? */
static bool is_ideograph(const char *text)
{
    return (unsigned char)*text >= 0xE4 && (unsigned char)*text <= 0xE9;
}

static bool is_latin(char byte)
{
    return isalnum((unsigned char)byte) || byte == ')' || byte == ']' || byte == '%';
}

void pattern_fill(FILE *out, const char *pattern, char *const parameters[MAX_PARAMETERS + 1])
{
    for (const char *c = pattern; *c; c++) {
        const int number = parameter_at(c) + parameter_in("<", c);
        const char *text = number ? parameters[number] : NULL;

        if (!text) {
            fputc(*c, out);
            continue;
        }
        if (c >= pattern + 3 && is_ideograph(c - 3) && isalnum((unsigned char)*text))
            fputc(' ', out);
        fputs(text, out);
        c += 2;
        if (*text && is_latin(text[strlen(text) - 1]) && is_ideograph(c + 1))
            fputc(' ', out);
    }
}

/* --- Translation ------------------------------------------------------------------------------ */

/* The characters of a pattern that are its own. */
static int own_length(const char *pattern)
{
    int length = 0;

    for (; *pattern; pattern += parameter_at(pattern) ? 3 : 1)
        length += !parameter_at(pattern);
    return length;
}

static const struct phrase *find(struct part text, struct part parts[MAX_PARAMETERS + 1],
                                 int *lookups);

/* Is one of the parameters that are translated too in the tables, if there are any? Without that a
 * pattern as "{1}: {2}" would fit all sorts of texts. */
static bool is_known(const char *chinese, const struct part *parts, int *lookups)
{
    struct part inner[MAX_PARAMETERS + 1];
    bool any = false;

    for (; *chinese; chinese++) {
        const int number = parameter_in("<", chinese);

        if (number && find(parts[number], inner, lookups))
            return true;
        any = any || number;
    }
    return !any;
}

static bool has(struct part part, const char *joint)
{
    return memmem(part.at, part.length, joint, strlen(joint));
}

static bool is_number(struct part part)
{
    size_t length = 0;

    while (length < part.length && strchr("0123456789.e-", part.at[length]))
        length++;
    return length == part.length;
}

/* Is it all of a phrase without parameters? */
static bool is_phrase(struct part part)
{
    for (size_t i = 0; i < PHRASES; i++)
        if (strlen(phrases[i].english) == part.length &&
            memcmp(phrases[i].english, part.at, part.length) == 0)
            return true;
    return false;
}

/* Is each parameter one thing? A text of several is taken apart at its joints first: only what is
 * translated too may hold commas, and at the end colons. Quoted, and behind a colon or semicolon at
 * the end, stands anything. */
static bool is_whole(const struct phrase *phrase, const struct part *parts)
{
    for (const char *c = phrase->english; *c; c++) {
        const int number = parameter_at(c);
        const char nested[] = {'<', (char)('0' + number), '>', '\0'};
        const bool is_nested = strstr(phrase->chinese, nested), is_last = !c[number ? 3 : 0];
        const bool is_quoted = c > phrase->english && c[-1] == '\'';
        const bool is_rest = is_last && c > phrase->english + 1 && strchr(":;", c[-2]);

        if (number && phrase->only_numbers && !is_number(parts[number]))
            return false;
        if (number && !is_quoted && !is_rest && !(is_nested && is_phrase(parts[number])) &&
            (has(parts[number], "; ") || (!is_nested && has(parts[number], ", ")) ||
             (!(is_nested && is_last) && has(parts[number], ": "))))
            return false;
    }
    return true;
}

/* The phrase of the tables that says `text`, the one that says most of it by itself; NULL: none.
 * Counts down the lookups that are left. */
static const struct phrase *find(struct part text, struct part parts[MAX_PARAMETERS + 1],
                                 int *lookups)
{
    const struct phrase *best = NULL;
    struct part now[MAX_PARAMETERS + 1];

    if (--*lookups < 0)
        return NULL;
    for (const struct phrase *phrase = phrases; phrase < phrases + PHRASES; phrase++) {
        if ((best && own_length(phrase->english) <= own_length(best->english)) ||
            !pattern_fits(phrase->english, text, now) || !is_whole(phrase, now) ||
            !is_known(phrase->chinese, now, lookups))
            continue;
        best = phrase;
        memcpy(parts, now, sizeof(now));
    }
    return best;
}

static char *translate_part(struct part text, int *lookups);

static void write_translation(FILE *out, struct part text, int *lookups)
{
    struct part parts[MAX_PARAMETERS + 1];
    const struct phrase *phrase = find(text, parts, lookups);
    char *parameters[MAX_PARAMETERS + 1] = {NULL};

    if (!phrase) {
        fwrite(text.at, 1, text.length, out);
        return;
    }
    for (const char *c = phrase->chinese; *c; c++) {
        const int plain = parameter_at(c), nested = parameter_in("<", c);

        if (plain)
            parameters[plain] = strndup(parts[plain].at, parts[plain].length);
        else if (nested)
            parameters[nested] = translate_part(parts[nested], lookups);
    }
    pattern_fill(out, phrase->chinese, parameters);
    for (int i = 1; i <= MAX_PARAMETERS; i++)
        free(parameters[i]);
}

/* Does it end in a Chinese colon or the like, which is as wide as a Latin one and its blank? */
static bool ends_in_sign(const char *text)
{
    const size_t length = text ? strlen(text) : 0;

    return length > 2 && text[length - 3] == '\xEF';
}

static char *translate_part(struct part text, int *lookups)
{
    char *translation = NULL;
    size_t size;
    FILE *out = open_memstream(&translation, &size);
    const size_t before = text.length > strspn(text.at, " \n") ? strspn(text.at, " \n") : 0;
    size_t end = text.length;

    if (!out)
        return NULL;
    while (end > before && strchr(" \n", text.at[end - 1]))
        end--;
    fwrite(text.at, 1, before, out);
    write_translation(out, (struct part){text.at + before, end - before}, lookups);
    fflush(out);
    if (ends_in_sign(translation))
        end += strspn(text.at + end, " ");
    if (end < text.length)
        fwrite(text.at + end, 1, text.length - end, out);
    fclose(out);
    return translation;
}

/* Does a compiler say it? That stays as it is: readers look for its words. */
static bool is_of_compiler(const char *text)
{
    return strstr(text, "): error: ") || strstr(text, ": fatal error: ");
}

char *translate(enum language language, const char *english)
{
    const struct part text = {english, strlen(english)};
    const bool stays =
        language == LANGUAGE_ENGLISH || text.length > MAX_LENGTH || is_of_compiler(english);
    int lookups = MAX_LOOKUPS;

    return stays ? strdup(english) : translate_part(text, &lookups);
}
