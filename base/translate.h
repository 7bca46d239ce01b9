/* SPDX-License-Identifier: MIT */
/* What tools and emulator say, in Chinese. They say it in English, and at the last moment, where it
 * goes to a person, it is looked up in two tables: words.def and messages.def. What goes to another
 * program, as JSON does, stays English. */
#ifndef TRANSLATE_H
#define TRANSLATE_H

#include <stdio.h>

enum language { LANGUAGE_ENGLISH, LANGUAGE_CHINESE, LANGUAGE_COUNT };

/* The language of the person we talk to: Chinese where the locale (LC_ALL, LC_MESSAGES or LANG) is
 * one of UTF-8 and LANGUAGE, or else the locale, begins with "zh". The locale need not be
 * installed. The first call decides. */
enum language language_here(void);

/* Let the programs that we start speak that language, whatever language_here() says: English where
 * we read what they say. */
void language_of_children(enum language language);

/* `english` in `language`, to be freed; NULL without memory. Blanks and ends of lines around it
 * stay. What neither table knows stays English. */
char *translate(enum language language, const char *english);

enum { MAX_PARAMETERS = 9 };

/* Which parameter stands at `text`, as in {1}; 0: none. */
int parameter_at(const char *text);

/* Write a pattern with its parameters, from index 1; between Chinese characters and what begins or
 * ends with a Latin letter or a digit goes a blank. */
void pattern_fill(FILE *out, const char *pattern, char *const parameters[MAX_PARAMETERS + 1]);

#endif
