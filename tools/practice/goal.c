/* SPDX-License-Identifier: MIT */
#include "goal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* expression = product {(+|-) product}; product = factor {(*|/) factor};
 * factor = number | name | '(' expression ')' */
struct reader {
    const char *at;
    const struct counts *counts;
    bool failed;
    char *error;
    size_t error_size;
};

/* The format has one place, for what stands there. */
static double fail(struct reader *reader, const char *format, const char *at)
{
    if (!reader->failed) /* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) */
        snprintf(reader->error, reader->error_size, format, at);
    reader->failed = true;
    return NAN;
}

static bool take(struct reader *reader, const char *sign)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
    if (strncmp(reader->at, sign, strlen(sign)) != 0)
        return false;
    reader->at += strlen(sign);
    return true;
}

static double name_value(struct reader *reader, const char *name, size_t length)
{
    static const char *const keys[] = {
#define X(id, key, label, metric) key,
        PROFILE_COUNTERS(X)
#undef X
    };

    for (int i = 0; i < PROFILE_COUNTER_COUNT; i++)
        if (strlen(keys[i]) == length && !strncmp(keys[i], name, length))
            return (double)reader->counts->counters[i];
    if (length == 1 && *name == 'n')
        return reader->counts->n;
    if (length == 8 && !strncmp(name, "launches", length))
        return (double)reader->counts->launches;
    return fail(reader, "no such counter at '%.40s'", name);
}

static double expression(struct reader *reader);

static double factor(struct reader *reader)
{
    if (take(reader, "(")) {
        const double value = expression(reader);
        return take(reader, ")") ? value : fail(reader, "a ) is missing at '%.40s'", reader->at);
    }
    const char *start = reader->at;
    if (isdigit((unsigned char)*start)) {
        char *end;
        const double value = strtod(start, &end);
        reader->at = end;
        return value;
    }
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
        reader->at++;
    if (reader->at == start)
        return fail(reader, "a number or a counter is missing at '%.40s'", start);
    return name_value(reader, start, (size_t)(reader->at - start));
}

static double quotient(double over, double under)
{
    return under == 0 ? NAN : over / under;
}

static double product(struct reader *reader)
{
    double value = factor(reader);

    for (;;) {
        if (take(reader, "*"))
            value *= factor(reader);
        else if (take(reader, "/"))
            value = quotient(value, factor(reader));
        else
            return value;
    }
}

static double expression(struct reader *reader)
{
    double value = product(reader);

    for (;;) {
        if (take(reader, "+"))
            value += product(reader);
        else if (take(reader, "-"))
            value -= product(reader);
        else
            return value;
    }
}

static bool finish(struct reader *reader)
{
    take(reader, "");
    if (*reader->at)
        fail(reader, "what is this at '%.40s'", reader->at);
    return !reader->failed;
}

bool goal_number(const char *text, const struct counts *counts, double *number, char *error,
                 size_t error_size)
{
    struct reader reader = {text, counts, false, error, error_size};

    *number = expression(&reader);
    return finish(&reader);
}

bool goal_read(const char *text, const struct counts *counts, struct goal *goal, char *error,
               size_t error_size)
{
    static const char *const relations[] = {"<=", ">=", "=="};
    const size_t label = strcspn(text, ":");
    struct reader reader = {text + label, counts, false, error, error_size};
    size_t i = 0;

    snprintf(goal->label, sizeof(goal->label), "%.*s", (int)label, text);
    if (!take(&reader, ":"))
        fail(&reader, "a label and a colon are missing at '%.40s'", text);
    goal->counted = expression(&reader);
    while (i < 3 && !take(&reader, relations[i]))
        i++;
    if (i == 3) {
        fail(&reader, "<=, >= or == is missing at '%.40s'", reader.at);
        return false;
    }
    goal->wanted = expression(&reader);
    snprintf(goal->relation, sizeof(goal->relation), "%s", relations[i]);
    /* NaN meets nothing. */
    goal->met = i == 0   ? goal->counted <= goal->wanted
                : i == 1 ? goal->counted >= goal->wanted
                         : goal->counted == goal->wanted;
    return finish(&reader);
}
