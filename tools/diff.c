#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "ladder.h"
#include "results.h"
#include "text.h"
#include "why.h"

enum { CONTEXT = 1, LEAST_CODE = 8 };

enum { FIGURE, FROM, TO, RATIO, COLUMNS };

static const struct column columns[COLUMNS] = {
    [FIGURE] = {.header = "", .key = true, .least = 8},
    [FROM] = {.right = true, .key = true, .least = 8},
    [TO] = {.right = true, .key = true, .least = 8},
    [RATIO] = {.right = true, .drop = 1},
};

/* Counters worth a line where they differ, in this order. */
static const char *const counters[] = {
    "warp_instructions", "divergent_branches",  "barriers",          "warp_barriers",
    "global_loads",      "global_load_sectors", "global_stores",     "global_store_sectors",
    "global_atomics",    "global_transactions", "local_sectors",     "shared_loads",
    "shared_stores",     "shared_atomics",      "shared_wavefronts", "shared_bank_conflicts",
    "texture_fetches",   "texture_sectors",     "constant_loads",    "constant_passes",
    "launches",
};

/* --- Sources ---------------------------------------------------------------------------------- */

/* `width` 0: uncut. */
static void print_change(const struct change *change, int width, FILE *file,
                         const struct style *style)
{
    static const struct {
        char mark;
        enum tone tone;
    } kinds[] = {[CHANGE_SAME] = {' ', TONE_PLAIN},
                 [CHANGE_GONE] = {'-', TONE_BAD},
                 [CHANGE_NEW] = {'+', TONE_GOOD},
                 [CHANGE_SKIPPED] = {' ', TONE_DIM}};
    char *line =
        change->kind == CHANGE_SKIPPED
            ? text_format("     %s", style_ellipsis(style))
            : text_format("%4d %c %s", change->number, kinds[change->kind].mark, change->line);

    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    if (width > 0) {
        char *fitted = text_fit(line, width, style_ellipsis(style));

        free(line);
        line = fitted;
    }
    tone_print(file, style, kinds[change->kind].tone, line);
    fputc('\n', file);
    free(line);
}

int diff_print_changes(const struct changes *changes, int limit, const char *rest, FILE *file,
                       const struct style *style)
{
    int lines = 0, left_out = 0;

    for (int i = 0; i < changes->count; i++) {
        const bool outermost = i == 0 || i == changes->count - 1;

        if (outermost && changes->list[i].kind == CHANGE_SKIPPED)
            continue;
        if (limit > 0 && lines >= limit - 1) {
            left_out++;
            continue;
        }
        print_change(&changes->list[i], limit > 0 ? style->width : 0, file, style);
        lines++;
    }
    if (left_out > 0) {
        fprintf(file, "     %d more lines%s\n", left_out, rest);
        lines++;
    }
    return lines;
}

static bool print_sources(const char *checkout, const struct step *from, const struct step *to,
                          int limit, FILE *file, const struct style *style)
{
    char *a = text_format("%s/%s", checkout, from->source);
    char *b = text_format("%s/%s", checkout, to->source);
    struct changes changes;
    const bool ok = changes_read(a, b, CONTEXT, &changes);

    if (ok) {
        diff_print_changes(&changes, limit, "; all of them with | less", file, style);
        changes_free(&changes);
    }
    free(a);
    free(b);
    return ok;
}

static void print_warning(const struct step *step, FILE *file, const struct style *style)
{
    char *line;

    if (!step->racy)
        return;
    line =
        text_format("%s has a race, on purpose: where it is right, it is so by luck.", step->name);
    style_print_wrapped(line, file, style);
    free(line);
}

static void print_sentence(const json_t *from, const json_t *to, FILE *file,
                           const struct style *style)
{
    char *sentence = why_sentence(from, to, LANGUAGE_ENGLISH);

    text_clean(sentence);
    style_print_wrapped(sentence, file, style);
    free(sentence);
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* Do both steps work, and measure no time? */
static bool is_untimed(const json_t *from, const json_t *to)
{
    return result_outcome(from) == OUTCOME_MATCH && result_outcome(to) == OUTCOME_MATCH &&
           isnan(result_time(from)) && isnan(result_time(to));
}

static void print_devices(const json_t *from, const json_t *to, bool moved, FILE *file,
                          const struct style *style)
{
    const bool modelled = (result_modelled(from) || result_modelled(to)) && !is_untimed(from, to);
    const double n = result_number(from, "report.n");
    const bool same_size = n == result_number(to, "report.n");
    char *a = ladder_device(from, LANGUAGE_ENGLISH), *b = ladder_device(to, LANGUAGE_ENGLISH),
         *line, *count = text_count(n);

    if (a && b && strcmp(a, b) != 0) {
        fprintf(file, "%s: %s\n%s: %s\n", result_text(from, "step"), a, result_text(to, "step"), b);
    } else if (a || b) {
        line = text_format("%s%s%s%s%s", a ? a : b, same_size ? ", n = " : "",
                           same_size ? count : "", modelled ? ", times from its model" : "",
                           moved && a && b ? ", chosen to run both" : "");
        ladder_print_parts(line, file, style);
        free(line);
    }
    fputc('\n', file);
    free(count);
    free(a);
    free(b);
}

/* --- Figures ---------------------------------------------------------------------------------- */

static char *ratio_text(double from, double to, const struct style *style)
{
    const double ratio = from >= to ? from / to : to / from;
    char *number, *text;

    if (!(from > 0) || !(to > 0))
        return NULL;
    if (from == to)
        return copy_text("same");
    if (ratio < 1.005) /* would show as 1.00 */
        return copy_text("about the same");
    number = text_number(ratio);
    text = text_format("%s %s %s", number, style_times(style), from > to ? "less" : "more");
    free(number);
    return text;
}

static void add_figure(struct table *table, const char *name, char *from, char *to, char *ratio)
{
    struct row *row = table_row(table);

    table_set(row, FIGURE, TONE_PLAIN, copy_text(name));
    table_set(row, FROM, TONE_PLAIN, from);
    table_set(row, TO, TONE_PLAIN, to);
    table_set(row, RATIO, TONE_STRONG, ratio);
}

/* By enough to show? */
static bool differs(double from, double to)
{
    return !isnan(from) && !isnan(to) && fabs(from - to) >= 0.005 * fmax(from, to) && from != to;
}

static void add_texts(struct table *table, const char *name, const char *from, const char *to)
{
    if (strcmp(from, to) != 0)
        add_figure(table, name, copy_text(*from ? from : "-"), copy_text(*to ? to : "-"), NULL);
}

static char *time_ratio(const json_t *from, const json_t *to, const struct style *style)
{
    if (!why_comparable(from, to) && !isnan(result_time(from)) && !isnan(result_time(to)))
        return copy_text("not comparable");
    return ratio_text(result_time(from), result_time(to), style);
}

static void add_times(struct table *table, const json_t *from, const json_t *to,
                      const struct style *style)
{
    const bool modelled = result_modelled(from) || result_modelled(to);
    const double a = result_number(from, "report.cycles"), b = result_number(to, "report.cycles");
    char *rates[] = {ladder_rate(from), ladder_rate(to)};

    add_figure(table, modelled ? "time (modelled)" : "time", ladder_time(from), ladder_time(to),
               time_ratio(from, to, style));
    if (strcmp(rates[0], "-") != 0 || strcmp(rates[1], "-") != 0)
        add_figure(table, "rate", copy_text(rates[0]), copy_text(rates[1]), NULL);
    if (!isnan(result_number(from, "report.share")) || !isnan(result_number(to, "report.share")))
        add_figure(table, "of peak", ladder_percent(result_number(from, "report.share")),
                   ladder_percent(result_number(to, "report.share")), NULL);
    if (a > 0 || b > 0)
        add_figure(table, "cycles", text_count(a), text_count(b), ratio_text(a, b, style));
    free(rates[0]);
    free(rates[1]);
}

/* Does the GPU's memory move whole lines, so that its transactions are those and no news? */
static bool moves_lines(const json_t *result)
{
    return result_counter(result, "global_transactions") == result_counter(result, "global_lines");
}

/* A count that is next to nothing beside the instructions of either step explains nothing. */
static bool matters(const json_t *from, const json_t *to, double old, double now)
{
    const double most =
        fmax(result_counter(from, "warp_instructions"), result_counter(to, "warp_instructions"));

    return fmax(old, now) >= 0.001 * most;
}

static void add_ratios(struct table *table, const json_t *from, const json_t *to,
                       const struct style *style)
{
    for (int i = 0; i < RATIO_COUNT; i++) {
        const double a = result_ratio(from, &result_ratios[i]);
        const double b = result_ratio(to, &result_ratios[i]);

        const double old = result_sum(from, result_ratios[i].under);
        const double now = result_sum(to, result_ratios[i].under);

        if (differs(a, b) && matters(from, to, old, now))
            add_figure(table, result_ratios[i].name, text_number(a), text_number(b),
                       ratio_text(a, b, style));
    }
}

/* Only what differs, and matters. */
static void add_counters(struct table *table, const json_t *from, const json_t *to,
                         const struct style *style)
{
    const double a = result_occupancy(from), b = result_occupancy(to);

    add_ratios(table, from, to, style);
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        const bool known =
            !strcmp(counters[i], "global_transactions") && moves_lines(from) && moves_lines(to);
        const double old = result_counter(from, counters[i]);
        const double now = result_counter(to, counters[i]);

        const bool launches = !strcmp(counters[i], "launches");

        if (differs(old, now) && !known && (launches || matters(from, to, old, now)))
            add_figure(table, counter_name(counters[i]), text_count(old), text_count(now),
                       ratio_text(old, now, style));
    }
    if (differs(a, b))
        add_figure(table, "occupancy", ladder_percent(a), ladder_percent(b),
                   ratio_text(a, b, style));
    add_texts(table, "bound by", result_bound(from), result_bound(to));
}

static void print_figures(const json_t *from, const json_t *to, bool moved, FILE *file,
                          const struct style *style)
{
    struct table table = table_new(columns, COLUMNS);
    const double n = result_number(from, "report.n"), m = result_number(to, "report.n");

    print_devices(from, to, moved, file, style);
    table.columns[FROM].header = result_text(from, "step");
    table.columns[TO].header = result_text(to, "step");
    table.columns[RATIO].header = "";
    if (n != m && !(isnan(n) && isnan(m)))
        add_figure(&table, "n", text_count(n), text_count(m), NULL);
    if (!is_untimed(from, to))
        add_times(&table, from, to, style);
    add_counters(&table, from, to, style);
    if (table.row_count > 0)
        table_print(&table, file, style);
    table_free(&table);
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* The lines of code that a terminal has room for, above and below `other` lines, two empty ones and
 * the prompt; 0: all. */
static int room_for_code(const struct style *style, int other)
{
    const int room = style->rows - other - 3;

    return style->rows == 0 ? 0 : room > LEAST_CODE ? room : LEAST_CODE;
}

bool diff_print(const char *checkout, const struct step *from, const struct step *to,
                const json_t *results, bool moved, FILE *file, const struct style *style)
{
    const json_t *old = results_find(results, from->chapter, from->name);
    const json_t *now = results_find(results, to->chapter, to->name);
    char *above = NULL, *below = NULL;
    size_t size;
    FILE *part = open_memstream(&above, &size);
    bool ok;

    print_sentence(old, now, part, style);
    print_warning(from, part, style);
    print_warning(to, part, style);
    fclose(part);
    part = open_memstream(&below, &size);
    print_figures(old, now, moved, part, style);
    fclose(part);
    fprintf(file, "%s\n", above);
    ok = print_sources(checkout, from, to,
                       room_for_code(style, count_lines(above) + count_lines(below)), file, style);
    if (ok)
        fprintf(file, "\n%s", below);
    free(above);
    free(below);
    return ok;
}
