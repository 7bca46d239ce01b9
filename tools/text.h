/* SPDX-License-Identifier: MIT */
/* Text for a terminal: formatting, and the width of UTF-8. */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "translate.h"

/* Memory, and allocate()'s is zeros; without any, one line and exit with 1. Nothing is freed unless
 * there may be much of it: a tour makes a few megabytes of texts and JSON, and is over soon. */
void *allocate(size_t bytes);
void *reallocate(void *old, size_t bytes);

/* Texts that our functions return as `char *` are the caller's to change. */
char *copy_text(const char *text);

/* printf into memory of its own. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Add `more` to the list in `*list`, which is NULL or "" before the first. */
void text_join(char **list, const char *separator, const char *more);

/* Texts, as of a command line; NULL stands behind the last. All 0: none. */
struct texts {
    char **list; /* NULL where nothing was added */
    size_t count;
};

void texts_add(struct texts *texts, const char *text);
/* What is in `list`, ended by NULL. */
void texts_add_all(struct texts *texts, const char *const *list);

/* The lines of a text without their ends, NULL behind the last. */
char **text_lines(const char *text);

/* A stream into `*text`, which is there when it was closed. */
FILE *text_open(char **text);

/* `text`, so many times. */
char *text_repeat(const char *text, int count);

/* `english` in `language`: translate() (base/translate.h). */
char *text_in(enum language language, const char *english);

/* One line on stderr, "tour: " and what the format says, fit for a terminal, in the language of the
 * person we talk to. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* printf in that language. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Columns that `text` takes on a terminal: East Asian wide characters take two, combining ones
 * none, a byte that is no UTF-8 one. */
int text_width(const char *text);

/* A copy of `text` no wider than `width` columns; what was cut off is marked by one `ellipsis`, if
 * there is room for it. */
char *text_fit(const char *text, int width, const char *ellipsis);

/* The bytes of `text` that fit on a line of `width` columns where it may be broken at spaces, and
 * after the characters of `after`; a word that is wider stays whole. The next line begins at
 * `*next`, which is "" at the end. */
size_t text_line(const char *text, int width, const char *after, const char **next);

/* What another program said, fit to print: control characters become spaces and bytes that are no
 * UTF-8 question marks, in place. */
void text_clean(char *text);
/* The same for text of several lines. */
void text_clean_lines(char *text);

/* Full-width signs, digits and letters, as Chinese input methods write them, become those of ASCII,
 * in place. */
void text_narrow(char *text);

/* A time in seconds as people say it: "1.23 us", "0.430 s", three digits; "-" for NaN. */
char *text_time(double seconds);

/* A number with three significant digits, no exponent: "0.00931", "40.2", "2731". */
char *text_number(double value);

/* A count with its digits in groups of three: "1 048 576". */
char *text_count(double value);

#endif
