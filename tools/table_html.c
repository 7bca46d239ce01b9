/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "table.h"

#include <string.h>

#include "text.h"
#include "words.h"

enum { KEY = 0 }; /* the column that names a row is the first */

/* Tables of one shape, a run each, as one. */
struct runs {
    const struct table *tables;
    int count;
    const struct table *first; /* with rows */
    enum language language;
};

/* What a run has in a column of the row of that name; "" for nothing. */
static struct cell cell_of(const struct runs *runs, int run, const char *name, int column)
{
    const struct table *table = &runs->tables[run];
    const bool shown =
        !table->columns[column].hidden && table->columns[column].place != NOT_ON_PAGES;

    for (int i = 0; i < table->row_count && shown; i++)
        if (!strcmp(table->rows[i].cells[KEY].text, name) && table->rows[i].cells[column].text)
            return table->rows[i].cells[column];
    return (struct cell){"", TONE_PLAIN, 0};
}

static bool is_empty(struct cell cell)
{
    return !*cell.text || !strcmp(cell.text, "-");
}

/* The column as the first run has it that has something there; NULL: none has. */
static const struct column *column_of(const struct runs *runs, int column)
{
    for (int run = 0; run < runs->count; run++)
        for (int i = 0; i < runs->tables[run].row_count; i++)
            if (!is_empty(cell_of(runs, run, runs->tables[run].rows[i].cells[KEY].text, column)))
                return &runs->tables[run].columns[column];
    return NULL;
}

/* The columns in their order on a page: behind the key bars are next, and what may go to a line of
 * its own is below it. Returns how many. */
static int order_of(const struct runs *runs, int order[TABLE_MAX_COLUMNS])
{
    int count = 1;

    order[0] = KEY;
    for (int pictures = 1; pictures >= 0; pictures--)
        for (int i = KEY + 1; i < runs->tables->column_count; i++) {
            const struct column *column = column_of(runs, i);

            if (column && !column->second_line && column->picture == pictures)
                order[count++] = i;
        }
    return count;
}

static const char *class_of(const struct column *column)
{
    return column->picture ? "picture" : column->right ? "" : "text";
}

/* What a tone is called in the style of the page. */
static const char *const tones[] = {
    [TONE_PLAIN] = "",     [TONE_STRONG] = " strong", [TONE_DIM] = " dim",
    [TONE_GOOD] = " good", [TONE_BAD] = " bad",       [TONE_BAR] = "",
};

/* With a button that explains the column, where a phrase does. */
static void print_header(const struct runs *runs, const struct column *column, FILE *file)
{
    const int about = phrase_about(column->header);
    const char *header = text_in(runs->language, column->header);

    html_print(file, "<th class=\"%s\">", column->key ? "text" : class_of(column));
    if (about >= 0)
        html_print(file, "<button type=\"button\" popovertarget=\"about-%d-%d\">%w</button>",
                   runs->language, about, header);
    else
        html_print(file, "%w", header);
    fputs("</th>", file);
}

static void print_bar(double part, int run, FILE *file)
{
    html_print(
        file, "<span class=\"track\"><span class=\"bar run%d\" style=\"width:%s%%\"></span></span>",
        run, text_format("%.1f", part > 0.005 ? 100 * part : 0.5));
}

/* The run whose cell says what all of them say, -1 where they differ, as bars do. Where it is
 * words, a run need not say it. */
static int spokesman_of(const struct runs *runs, const char *name, int index)
{
    const struct column *column = column_of(runs, index);
    int run = 0;

    while (run + 1 < runs->count && is_empty(cell_of(runs, run, name, index)))
        run++;
    const struct cell said = cell_of(runs, run, name, index);
    for (int i = 0; i < runs->count; i++) {
        const struct cell cell = cell_of(runs, i, name, index);

        if (is_empty(cell)    ? column->right && !is_empty(said)
            : column->picture ? runs->count > 1
                              : strcmp(cell.text, said.text) != 0)
            return -1;
    }
    return run;
}

/* A line for each run, or one where all have the same. */
static void print_cell(const struct runs *runs, const char *name, int index, FILE *file)
{
    const struct column *column = column_of(runs, index);
    const int spokesman = spokesman_of(runs, name, index);
    const bool same = spokesman >= 0;

    html_print(file, "<td class=\"%s\" data-label=\"%w\">", class_of(column),
               text_in(runs->language, column->header));
    for (int run = same ? spokesman : 0; run < (same ? spokesman + 1 : runs->count); run++) {
        const struct cell cell = cell_of(runs, run, name, index);

        if (same && is_empty(cell))
            break;
        html_print(file, "<span class=\"line%s\">%h", tones[cell.tone],
                   same ? "" : table_letter(run));
        if (column->picture && !is_empty(cell))
            print_bar(cell.part, run, file);
        else if (!column->picture)
            html_print(file, "%w", is_empty(cell) ? "–" : text_in(runs->language, cell.text));
        fputs("</span>", file);
    }
    fputs("</td>", file);
}

static void print_row(const struct runs *runs, const struct row *row, const int *order, int count,
                      const char *anchor, FILE *file)
{
    const char *name = row->cells[KEY].text;

    if (row->heading)
        html_print(file, "<tr class=\"problem\"><th colspan=\"%d\">%s</th></tr>\n", count,
                   text_in(runs->language, row->heading));
    fputs("<tr><th scope=\"row\" class=\"text\">", file);
    if (anchor)
        html_print(file, "<a href=\"#%s%s\">%s</a>", anchor, name, name);
    else
        html_print(file, "%s", name);
    for (int i = 0; i < runs->tables->column_count; i++)
        if (runs->tables->columns[i].second_line && row->cells[i].text)
            html_print(file, "<div class=\"what\">%w</div>",
                       text_in(runs->language, row->cells[i].text));
    fputs("</th>", file);
    for (int i = 1; i < count; i++)
        print_cell(runs, name, order[i], file);
    fputs("</tr>\n", file);
    if (row->note && *row->note)
        html_print(file, "<tr class=\"why\"><td colspan=\"%d\" class=\"%s\">%w</td></tr>\n", count,
                   tones[row->note_tone], text_in(runs->language, row->note));
}

char *table_letter(int run)
{
    return text_format("<span class=\"letter run%d\">%c</span> ", run, 'A' + run);
}

void table_print_html(const struct table *tables, int count, const char *anchor, FILE *file,
                      const struct style *style)
{
    struct runs runs = {tables, count, tables, style->language};
    int order[TABLE_MAX_COLUMNS], columns;

    while (runs.first < tables + count - 1 && runs.first->row_count == 0)
        runs.first++;
    columns = order_of(&runs, order);
    fputs("<thead><tr>", file);
    for (int i = 0; i < columns; i++)
        print_header(&runs, column_of(&runs, order[i]), file);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int i = 0; i < runs.first->row_count; i++)
        print_row(&runs, &runs.first->rows[i], order, columns, anchor, file);
    fputs("</tbody></table>\n", file);
}
