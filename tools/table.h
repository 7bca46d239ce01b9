/* SPDX-License-Identifier: MIT */
/* Tables, on a terminal of whatever width or in Markdown. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "words.h"

/* How to print. */
struct style {
    bool markdown;
    bool color;
    bool utf8;
    enum language language;
    int width, rows; /* of the terminal; 0: as many as it takes */
};

/* Is it a terminal on which a line can be written anew? */
bool is_screen(FILE *file);

/* The style for `file`: colour only on a terminal and without NO_COLOR, the terminal's size (or
 * COLUMNS and LINES), the language of the locale, and UTF-8 where that says so. */
struct style style_for(FILE *file, bool markdown);

/* "x" or the multiplication sign, and so on: what the style can show. */
const char *style_times(const struct style *style);
const char *style_ellipsis(const struct style *style);

/* A line on stderr of how far it is, in the style's language: on a screen in the place of the one
 * before, elsewhere by itself. */
void style_progress(const struct style *style, const char *line);
/* Wipe it from a screen. */
void style_wipe(void);

/* A colour of the text; 0, and so what is not set, is none. */
enum tone { TONE_PLAIN, TONE_STRONG, TONE_DIM, TONE_GOOD, TONE_BAD, TONE_BAR };

/* Print `text` in a tone. */
void tone_print(FILE *file, const struct style *style, enum tone tone, const char *text);

/* printf in the style's language. */
void style_printf(FILE *file, const struct style *style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Print a sentence, in the style's language, in as many lines as the terminal's width makes of
 * it. */
void style_print_wrapped(const char *text, FILE *file, const struct style *style);
/* Likewise in a tone, each line behind `indent` spaces. */
void style_print_indented(const char *text, int indent, enum tone tone, FILE *file,
                          const struct style *style);

enum { TABLE_MAX_COLUMNS = 14 };

struct column {
    const char *header;
    bool right; /* aligned to the right */
    bool hidden;
    bool picture; /* bars; means nothing in Markdown */
    enum { EVERYWHERE, NOT_ON_PAGES, ON_PAGES } place; /* a page in HTML has room for more */
    bool second_line; /* goes to a line of its own on a narrow terminal */
    bool wraps; /* broken between words where it is too long, not cut off */
    int least; /* may be cut to this many columns; 0: never cut */
    bool key; /* says what the row is about: cut only when no column is left to drop */
    int drop; /* the lower, the sooner it gets room, up to TABLE_MAX_COLUMNS; 0: always shown */
};

struct cell {
    char *text; /* NULL: empty */
    enum tone tone;
    double part; /* of a picture: how long the bar is, 0 to 1 */
};

struct row {
    struct cell cells[TABLE_MAX_COLUMNS];
    char *heading; /* on a line above the row; NULL: none */
    char *note; /* a line below the row, or NULL */
    enum tone note_tone;
};

struct table {
    struct column columns[TABLE_MAX_COLUMNS];
    int column_count;
    struct row *rows;
    int row_count;
};

/* A table without rows. */
struct table table_new(const struct column *columns, int count);

/* A new row, empty. Valid until the next one. */
struct row *table_row(struct table *table);

/* Set a cell; the table takes over `text`. */
void table_set(struct row *row, int column, enum tone tone, char *text);

/* Set a picture: a bar that takes `part` of its column, 0 to 1. */
void table_set_bar(struct row *row, int column, double part, const struct style *style);

/* Headers and cells but those of keys, which are names, are printed in the style's language. Where
 * there is no room for all of it, headers are broken between words, columns cut or wrapped,
 * and the less needed left out. On a terminal narrower than 60 columns a row takes two lines, if a
 * column may go there. */
void table_print(const struct table *table, FILE *file, const struct style *style);

/* The letter that a run has on a page, as HTML. */
char *table_letter(int run);

/* Print as HTML, as one table, those of `count` runs, in the language of `style`. The first says
 * which rows there are; where the runs differ a cell has a line for each. A row's name is a link to
 * what is called `anchor` and the name, unless that is NULL. */
void table_print_html(const struct table *tables, int count, const char *anchor, FILE *file,
                      const struct style *style);

#endif
