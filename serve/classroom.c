/* SPDX-License-Identifier: MIT */
#include "classroom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "text.h"

enum { LEAST_CODE = 8, MOST_CODE = 128, MOST_NAME = 64, MOST_PEOPLE = 2000 };

static const char instructor[] = "instructor";

struct classroom classroom_of_one(void)
{
    struct classroom classroom = {allocate(sizeof(*classroom.people)), 1};

    classroom.people[0].name = copy_text("me");
    return classroom;
}

/* Why a name cannot be a folder's, of one place and seen by `*`, and nothing to a terminal; NULL
 * where it can. */
static const char *unfit(const char *name)
{
    const char *sign = strpbrk(name, "/\\:*?[]\"'<>|`$&;");
    char *clean = copy_text(name);

    text_clean(clean);
    if (!*name)
        return "a line without a name";
    if (strlen(name) > MOST_NAME)
        return text_format("a name of more than %d bytes", MOST_NAME);
    if (*name == '.' || *name == '-')
        return text_format("'%s' begins with %c: it cannot be a folder's name", name, *name);
    if (sign)
        return text_format("'%s' has a %c in it: it cannot be a folder's name", name, *sign);
    return strcmp(clean, name) != 0 ? text_format("'%s' has bytes in it that are no text", name)
                                    : NULL;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length && strchr(" \t\r", text[length - 1]);)
        text[--length] = '\0';
    return text;
}

/* Why a line is none; NULL where it is one. */
static const char *add_line(struct classroom *classroom, char *line)
{
    char *colon = strchr(line, ':');

    if (!colon)
        return "not 'NAME: CODE'";
    *colon = '\0';
    struct person person = {trim(line), trim(colon + 1), false};
    person.teaches = !strcmp(person.name, instructor);
    const char *wrong = unfit(person.name);
    if (wrong)
        return wrong;
    if (strlen(person.code) < LEAST_CODE || strlen(person.code) > MOST_CODE)
        return "a code of less than 8 or more than 128 characters";
    for (int i = 0; i < classroom->count; i++)
        if (!strcasecmp(classroom->people[i].name, person.name))
            return "a name for the second time";
    if (classroom->count == MOST_PEOPLE)
        return "more than 2000 people";
    classroom->people[classroom->count++] = person;
    return NULL;
}

bool classroom_read(const char *path, struct classroom *classroom)
{
    char *text = file_read(path);

    if (!text) {
        complain("cannot read %s: %s", path, file_error(errno));
        return false;
    }
    classroom->count = 0;
    classroom->people = allocate(MOST_PEOPLE * sizeof(*classroom->people));
    char **lines = text_lines(text);
    for (int i = 0; lines[i]; i++) {
        char *line = trim(lines[i]);
        const char *wrong = *line && *line != '#' ? add_line(classroom, line) : NULL;
        if (wrong) {
            complain("%s:%d: %s", path, i + 1, wrong);
            return false;
        }
    }
    if (!classroom->count)
        complain("%s: nobody in it: a line per person, 'NAME: CODE'", path);
    return classroom->count > 0;
}

bool same_secret(const char *secret, const char *said)
{
    const size_t length = strlen(secret), said_length = strlen(said);
    volatile unsigned char differs = length != said_length;

    for (size_t i = 0; i < said_length; i++)
        differs |= (unsigned char)(said[i] ^ secret[length ? i % length : 0]);
    return !differs;
}

int classroom_index(const struct classroom *classroom, const char *name)
{
    int i = 0;

    while (i < classroom->count && strcmp(classroom->people[i].name, name) != 0)
        i++;
    return i;
}

const struct person *classroom_find(const struct classroom *classroom, const char *name,
                                    const char *code)
{
    const struct person *found = NULL;

    for (int i = 0; i < classroom->count; i++) {
        const struct person *person = &classroom->people[i];
        const bool right = same_secret(person->code, code);
        const bool named = same_secret(person->name, name);
        if (right & named)
            found = person;
    }
    return found;
}
