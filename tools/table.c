/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text.h"

enum { NARROW = 60, GAP = 2, HEADER_LINES = 3, NO_LIMIT = 1 << 20, BAR_WIDTH = 12 };

/* A header may be broken after these, as in "GB/s". */
#define HEADER_BREAKS "/"

/* Rows and columns of the terminal, unless the environment says; 0 where it is none. */
static struct winsize terminal_size(int fd)
{
    const char *columns = getenv("COLUMNS"), *lines = getenv("LINES");
    struct winsize size = {0};

    if (isatty(fd) && (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0))
        size.ws_col = 80;
    if (columns && atoi(columns) > 0)
        size.ws_col = (unsigned short)atoi(columns);
    if (lines && atoi(lines) > 0)
        size.ws_row = (unsigned short)atoi(lines);
    return size;
}

bool is_screen(FILE *file)
{
    const char *terminal = getenv("TERM");

    return isatty(fileno(file)) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

struct style style_for(FILE *file, bool markdown)
{
    const char *no_color = getenv("NO_COLOR");
    const struct winsize size = terminal_size(fileno(file));

    setlocale(LC_CTYPE, "");
    return (struct style){
        .markdown = markdown,
        .color = is_screen(file) && !markdown && !(no_color && *no_color),
        .utf8 = markdown || !strcmp(nl_langinfo(CODESET), "UTF-8") || language_here(),
        .language = language_here(),
        .width = size.ws_col,
        .rows = size.ws_row,
    };
}

const char *style_times(const struct style *style)
{
    return style->utf8 ? "×" : "x";
}

const char *style_ellipsis(const struct style *style)
{
    return style->utf8 ? "…" : "~";
}

void style_progress(const struct style *style, const char *line)
{
    if (is_screen(stderr))
        fprintf(stderr, "\r\033[K%s",
                text_fit(text_in(style->language, line), style->width - 1, style_ellipsis(style)));
    else
        complain("%s", line);
    fflush(stderr);
}

void style_wipe(void)
{
    if (is_screen(stderr))
        fputs("\r\033[K", stderr);
}

/* What an escape sequence calls a tone. */
static const char *const tone_codes[] = {
    [TONE_STRONG] = "1", [TONE_DIM] = "2",  [TONE_GOOD] = "32",
    [TONE_BAD] = "1;31", [TONE_BAR] = "36",
};

void tone_print(FILE *file, const struct style *style, enum tone tone, const char *text)
{
    const char *code = style->color && *text ? tone_codes[tone] : NULL;

    if (code)
        fprintf(file, "\033[%sm%s\033[0m", code, text);
    else
        fputs(text, file);
}

static void print_spaces(FILE *file, int count)
{
    if (count > 0)
        fprintf(file, "%*s", count, "");
}

void style_printf(FILE *file, const struct style *style, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs(text_in(style->language, text_vformat(format, arguments)), file);
    va_end(arguments);
}

/* The lines of a text that is broken to `width` columns. */
static struct texts lines_of(const char *text, int width, const char *breaks)
{
    struct texts lines = {0};

    while (*text) {
        const char *rest;
        const size_t length = text_line(text, width, breaks, &rest);

        texts_add(&lines, text_format("%.*s", (int)length, text));
        text = rest;
    }
    return lines;
}

void style_print_indented(const char *english, int indent, enum tone tone, FILE *file,
                          const struct style *style)
{
    const int width = style->width > 0 ? style->width - indent : NO_LIMIT;
    const struct texts lines = lines_of(text_in(style->language, english), width, "");

    for (size_t i = 0; i < lines.count; i++) {
        print_spaces(file, indent);
        tone_print(file, style, tone, lines.list[i]);
        fputc('\n', file);
    }
}

void style_print_wrapped(const char *text, FILE *file, const struct style *style)
{
    style_print_indented(text, 0, TONE_STRONG, file, style);
}

struct table table_new(const struct column *columns, int count)
{
    struct table table = {.column_count = count};

    memcpy(table.columns, columns, (size_t)count * sizeof(*columns));
    return table;
}

struct row *table_row(struct table *table)
{
    struct row *row;

    table->rows = reallocate(table->rows, ((size_t)table->row_count + 1) * sizeof(*table->rows));
    row = &table->rows[table->row_count++];
    memset(row, 0, sizeof(*row));
    return row;
}

void table_set(struct row *row, int column, enum tone tone, char *text)
{
    row->cells[column] = (struct cell){text, tone, 0};
}

void table_set_bar(struct row *row, int column, double part, const struct style *style)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int steps = (int)fmax(1, round(8 * BAR_WIDTH * part));
    char *text = text_repeat(style->utf8 ? "█" : "#", style->utf8 || steps >= 8 ? steps / 8 : 1);

    if (style->utf8)
        text = text_format("%s%s", text, eighths[steps % 8]);
    row->cells[column] = (struct cell){text, TONE_BAR, part};
}

static const char *cell_text(const struct row *row, int column)
{
    return row->cells[column].text ? row->cells[column].text : "";
}

/* --- Layout: which columns are shown, and how wide ------------------------------------------- */

struct layout {
    bool shown[TABLE_MAX_COLUMNS];
    int width[TABLE_MAX_COLUMNS];
    int below; /* the column on the second line, or -1 */
};

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* The width of a header in as many lines as it has words, but no more than stand well above each
 * other: in Chinese each character is a word. */
static int header_width(const char *header)
{
    const struct texts words = lines_of(header, 0, HEADER_BREAKS);
    int width = 0;

    for (size_t i = 0; i < words.count; i++)
        width = greater(width, text_width(words.list[i]));
    while (lines_of(header, width, HEADER_BREAKS).count > HEADER_LINES)
        width++;
    return width;
}

static int cells_width(const struct table *table, int column)
{
    int width = 0;

    for (int i = 0; i < table->row_count; i++)
        width = greater(width, text_width(cell_text(&table->rows[i], column)));
    return width;
}

static int total_width(const struct table *table, const struct layout *layout)
{
    int total = -GAP;

    for (int i = 0; i < table->column_count; i++)
        if (layout->shown[i])
            total += layout->width[i] + GAP;
    return total;
}

/* Cut the widest column that may be cut by one, among the keys or among the others. Returns false
 * where there is none. */
static bool cut_one(const struct table *table, struct layout *layout, bool keys)
{
    int widest = -1;

    for (int i = 0; i < table->column_count; i++) {
        const int least = table->columns[i].least;

        if (layout->shown[i] && table->columns[i].key == keys && least > 0 &&
            layout->width[i] > least && (widest < 0 || layout->width[i] >= layout->width[widest]))
            widest = i;
    }
    if (widest >= 0)
        layout->width[widest]--;
    return widest >= 0;
}

/* Show the columns never left out, then, the most needed first, each other that has room. */
static void choose_columns(const struct table *table, struct layout *layout, int width)
{
    for (int i = 0; i < table->column_count; i++)
        layout->shown[i] = table->columns[i].drop == 0 && i != layout->below;
    for (int drop = 1; drop <= TABLE_MAX_COLUMNS; drop++)
        for (int i = 0; i < table->column_count; i++)
            if (table->columns[i].drop == drop && i != layout->below) {
                layout->shown[i] = true;
                layout->shown[i] = total_width(table, layout) <= width;
            }
}

/* Headers in one line where there is room for it. */
static void widen_headers(const struct table *table, struct layout *layout, int width)
{
    for (int i = 0; i < table->column_count; i++) {
        const int room = width - total_width(table, layout);
        const int wanted = text_width(table->columns[i].header) - layout->width[i];

        if (layout->shown[i] && wanted > 0 && wanted <= room)
            layout->width[i] += wanted;
    }
}

static struct layout lay_out(const struct table *table, int width)
{
    struct layout layout = {.below = -1};
    int natural[TABLE_MAX_COLUMNS];

    for (int i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        const bool cut = column->least > 0 && !column->key;

        natural[i] = greater(header_width(column->header), cells_width(table, i));
        /* Columns are chosen by the least that they need, but for keys. */
        layout.width[i] = cut && column->least < natural[i] ? column->least : natural[i];
        if (column->second_line && width < NARROW)
            layout.below = i;
    }
    choose_columns(table, &layout, width);
    memcpy(layout.width, natural, sizeof(natural));
    while (total_width(table, &layout) > width && cut_one(table, &layout, false))
        ;
    while (total_width(table, &layout) > width && cut_one(table, &layout, true))
        ;
    widen_headers(table, &layout, width);
    return layout;
}

/* --- Terminal --------------------------------------------------------------------------------- */

/* A line indented by two, cut to the width. */
static void print_below(FILE *file, const struct style *style, enum tone tone, const char *text,
                        int width)
{
    print_spaces(file, GAP);
    tone_print(file, style, tone,
               text_fit(text, width > GAP ? width - GAP : 0, style_ellipsis(style)));
    fputc('\n', file);
}

/* The least width that breaks a header into no more lines than `width` does: they are about as long
 * then, and no Chinese character stands alone below the others. */
static int even_width(const char *header, int width)
{
    const size_t lines = lines_of(header, width, HEADER_BREAKS).count;

    while (width > 1 && lines_of(header, width - 1, HEADER_BREAKS).count <= lines)
        width--;
    return width;
}

/* A column of a row, or with NULL of the header, in lines. */
static struct texts lines_in(const struct table *table, const struct layout *layout,
                             const struct row *row, int column)
{
    const char *header = table->columns[column].header;
    const int width = layout->width[column];

    if (!layout->shown[column])
        return (struct texts){0};
    if (!row)
        return lines_of(header, even_width(header, width), HEADER_BREAKS);
    return lines_of(cell_text(row, column), table->columns[column].wraps ? width : NO_LIMIT, "");
}

/* A row, or with NULL the header, whose last lines stand on the cells. No line ends in blanks. */
static void print_row(FILE *file, const struct style *style, const struct table *table,
                      const struct layout *layout, const struct row *row)
{
    struct texts lines[TABLE_MAX_COLUMNS];
    size_t most = 1;

    for (int i = 0; i < table->column_count; i++) {
        lines[i] = lines_in(table, layout, row, i);
        most = lines[i].count > most ? lines[i].count : most;
    }
    for (size_t line = 0; line < most; line++) {
        for (int i = 0, blanks = 0; i < table->column_count; i++) {
            const size_t at = row ? line : line - most + lines[i].count; /* none: beyond the last */
            const char *text = at < lines[i].count ? lines[i].list[at] : "";
            const char *fitted = text_fit(text, layout->width[i], style_ellipsis(style));
            const int rest = layout->width[i] - text_width(fitted);

            if (!layout->shown[i])
                continue;
            if (*fitted) {
                print_spaces(file, blanks + (table->columns[i].right ? rest : 0));
                tone_print(file, style, row ? row->cells[i].tone : TONE_STRONG, fitted);
                blanks = 0;
            }
            blanks += GAP + (*fitted && table->columns[i].right ? 0 : rest);
        }
        fputc('\n', file);
    }
}

static void print_terminal(const struct table *table, FILE *file, const struct style *style)
{
    const int width = style->width > 0 ? style->width : NO_LIMIT;
    const struct layout layout = lay_out(table, width);

    print_row(file, style, table, &layout, NULL);
    for (int i = 0; i < table->row_count; i++) {
        const struct row *row = &table->rows[i];

        if (row->heading) {
            tone_print(file, style, TONE_STRONG, row->heading);
            fputc('\n', file);
        }
        print_row(file, style, table, &layout, row);
        if (layout.below >= 0 && *cell_text(row, layout.below))
            print_below(file, style, row->cells[layout.below].tone, cell_text(row, layout.below),
                        width);
        if (row->note)
            style_print_indented(row->note, GAP, row->note_tone, file, style);
    }
}

/* --- Markdown --------------------------------------------------------------------------------- */

/* Markdown leaves an underscore alone between letters or digits, as in the name of a step. */
static bool is_markup(char before, const char *text)
{
    if (*text == '_')
        return !isalnum((unsigned char)before) || !isalnum((unsigned char)text[1]);
    return strchr("|\\`*<>[]", *text) != NULL;
}

static void print_escaped(FILE *file, const char *text)
{
    for (char before = ' '; *text; before = *text++) {
        if (is_markup(before, text))
            fputc('\\', file);
        fputc(*text, file);
    }
}

/* A heading is a row of its own, italic in the first column: Markdown's tables know no other. */
static void print_markdown(const struct table *table, FILE *file)
{
    for (int i = 0; i < table->column_count; i++)
        fprintf(file, "| %s ", table->columns[i].header);
    fputs("|\n", file);
    for (int i = 0; i < table->column_count; i++)
        fputs(table->columns[i].right ? "|---:" : "|---", file);
    fputs("|\n", file);
    for (int i = 0; i < table->row_count; i++) {
        if (table->rows[i].heading) {
            fputs("| *", file);
            print_escaped(file, table->rows[i].heading);
            fprintf(file, "* %s|\n", text_repeat("|  ", table->column_count - 1));
        }
        for (int j = 0; j < table->column_count; j++) {
            fputs("| ", file);
            print_escaped(file, cell_text(&table->rows[i], j));
            fputc(' ', file);
        }
        fputs("|\n", file);
    }
    for (int i = 0, any = 0; i < table->row_count; i++) {
        if (!table->rows[i].note)
            continue;
        fputs(any++ ? "- " : "\n- ", file);
        print_escaped(file, cell_text(&table->rows[i], 0));
        fputs(": ", file);
        print_escaped(file, table->rows[i].note);
        fputc('\n', file);
    }
}

/* The same table in the style's language, with the columns that are for it alone. */
static struct table shown_in(const struct table *table, const struct style *style)
{
    struct table shown = {.row_count = table->row_count};
    const size_t size = (size_t)table->row_count * sizeof(*table->rows);

    shown.rows = memcpy(allocate(size), table->rows, size);
    for (struct row *row = shown.rows; row < shown.rows + shown.row_count; row++) {
        row->heading = row->heading ? text_in(style->language, row->heading) : NULL;
        row->note = row->note ? text_in(style->language, row->note) : NULL;
    }
    for (int i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        const int place = shown.column_count;

        if (column->hidden || column->place == ON_PAGES || (style->markdown && column->picture))
            continue;
        shown.columns[place] = *column;
        shown.columns[place].header = text_in(style->language, column->header);
        for (int k = 0; k < shown.row_count; k++) {
            struct cell *cell = &shown.rows[k].cells[place];

            *cell = table->rows[k].cells[i];
            if (cell->text && !column->key)
                cell->text = text_in(style->language, cell->text);
        }
        shown.column_count++;
    }
    return shown;
}

void table_print(const struct table *table, FILE *file, const struct style *style)
{
    const struct table shown = shown_in(table, style);

    if (style->markdown)
        print_markdown(&shown, file);
    else
        print_terminal(&shown, file, style);
}
