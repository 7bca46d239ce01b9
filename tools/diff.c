/* SPDX-License-Identifier: MIT */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "ladder.h"
#include "results.h"
#include "text.h"
#include "why.h"

enum { CONTEXT = 1, ENOUGH_CODE = 12, LEAST_CODE = 5, LEAST_FIGURES = 8 };

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
    if (width > 0)
        line = text_fit(line, width, style_ellipsis(style));
    tone_print(file, style, kinds[change->kind].tone, line);
    fputc('\n', file);
}

int diff_print_changes(struct changes *changes, int limit, const char *rest, FILE *file,
                       const struct style *style)
{
    const int left_out = limit > 0 ? changes_fit(changes, limit) : 0;
    int lines = 0;

    for (int i = 0; i < changes->count; i++) {
        const bool outermost = i == 0 || i == changes->count - 1;

        if (outermost && changes->list[i].kind == CHANGE_SKIPPED)
            continue;
        print_change(&changes->list[i], limit > 0 ? style->width : 0, file, style);
        lines++;
    }
    if (left_out > 0) {
        style_printf(file, style, "     %s %d more changed line%s%s\n", style_ellipsis(style),
                     left_out, left_out > 1 ? "s" : "", rest);
        lines++;
    }
    return lines;
}

static void print_warning(const struct step *step, FILE *file, const struct style *style)
{
    if (step->racy)
        style_print_wrapped(
            text_format("%s has a race, on purpose: where it is right, it is so by luck.",
                        step->name),
            file, style);
}

static void print_sentence(const json_t *from, const json_t *to, FILE *file,
                           const struct style *style)
{
    char *sentence = why_sentence(from, to, style->language);
    char *tenth = why_tenth(from, to, style->language);

    text_clean(sentence);
    style_print_wrapped(sentence, file, style);
    if (result_is_good(from) && result_is_good(to) && tenth)
        style_print_wrapped(tenth, file, style);
}

/* Where the output of two programs of one's own differs first. */
static void print_output_change(const json_t *from, const json_t *to, FILE *file,
                                const struct style *style)
{
    char **old = text_lines(result_text(from, "printed"));
    char **now = text_lines(result_text(to, "printed"));
    int line = 0;

    while (old[line] && now[line] && !strcmp(old[line], now[line]))
        line++;
    if (old[line] || now[line])
        style_print_wrapped(text_format("Their output differs, first in line %d: '%s' and '%s'.",
                                        line + 1, old[line] ? old[line] : "",
                                        now[line] ? now[line] : ""),
                            file, style);
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* Do both steps work, and measure no time? */
static bool is_untimed(const json_t *from, const json_t *to)
{
    return result_is_good(from) && result_is_good(to) && isnan(result_time(from)) &&
           isnan(result_time(to));
}

static void print_devices(const json_t *from, const json_t *to, bool moved, FILE *file,
                          const struct style *style)
{
    const bool modelled = (result_modelled(from) || result_modelled(to)) && !is_untimed(from, to);
    const double n = result_number(from, "report.n");
    const bool same_size = n > 0 && n == result_number(to, "report.n");
    const enum language language = style->language;
    char *a = ladder_device(from, language), *b = ladder_device(to, language);

    if (a && b && strcmp(a, b) != 0) {
        fprintf(file, "%s: %s\n%s: %s\n", result_text(from, "step"), a, result_text(to, "step"), b);
    } else if (a || b) {
        char *line = a ? a : b;
        if (same_size)
            line = say(language, SAY_WITH_SIZE, line, text_count(n));
        if (modelled)
            line = say(language, SAY_FROM_MODEL, line);
        if (moved && a && b)
            line = say(language, SAY_CHOSEN, line);
        ladder_print_parts(line, file, style);
    }
    fputc('\n', file);
}

/* --- Figures ---------------------------------------------------------------------------------- */

static char *ratio_text(double from, double to, const struct style *style)
{
    const double ratio = from >= to ? from / to : to / from;

    if (!(from > 0) || !(to > 0))
        return NULL;
    if (from == to)
        return copy_text("same");
    if (ratio < 1.005) /* would show as 1.00 */
        return copy_text("about the same");
    return text_format("%s %s %s", text_number(ratio), style_times(style),
                       from > to ? "less" : "more");
}

/* A line of the table, and by how much it differs, as a logarithm; a line without that stays. */
struct figure {
    const char *name;
    char *from, *to, *ratio; /* the last may be NULL */
    double weight;
};

enum { MAX_FIGURES = 48 };

struct figures {
    struct figure list[MAX_FIGURES];
    int count;
};

static void add_figure(struct figures *figures, const char *name, char *from, char *to, char *ratio)
{
    figures->list[figures->count++] = (struct figure){name, from, to, ratio, INFINITY};
}

/* A counter, or a ratio of two. */
static void add_counted(struct figures *figures, const char *name, char *from, char *to, double old,
                        double now, const struct style *style)
{
    add_figure(figures, name, from, to, ratio_text(old, now, style));
    figures->list[figures->count - 1].weight = fabs(log(now / old));
}

static void drop_figure(struct figures *figures, int index)
{
    figures->count--;
    memmove(&figures->list[index], &figures->list[index + 1],
            (size_t)(figures->count - index) * sizeof(figures->list[0]));
}

/* Drop counters, those first that differ least, until `limit` lines do. Returns how many. */
static int fit_figures(struct figures *figures, int limit)
{
    int dropped = 0;

    while (figures->count + (dropped > 0) > limit) {
        int least = 0;

        for (int i = 1; i < figures->count; i++)
            if (figures->list[i].weight < figures->list[least].weight)
                least = i;
        if (figures->count == 0 || isinf(figures->list[least].weight))
            break;
        drop_figure(figures, least);
        dropped++;
    }
    return dropped;
}

static void print_figures(struct figures *figures, const char *from, const char *to, FILE *file,
                          const struct style *style)
{
    struct table table = table_new(columns, COLUMNS);

    table.columns[FROM].header = from;
    table.columns[TO].header = to;
    table.columns[RATIO].header = "";
    for (int i = 0; i < figures->count; i++) {
        struct figure *figure = &figures->list[i];
        struct row *row = table_row(&table);

        table_set(row, FIGURE, TONE_PLAIN, text_in(style->language, figure->name));
        table_set(row, FROM, TONE_PLAIN, figure->from);
        table_set(row, TO, TONE_PLAIN, figure->to);
        table_set(row, RATIO, TONE_STRONG, figure->ratio);
    }
    if (table.row_count > 0)
        table_print(&table, file, style);
}

/* By enough to show? */
static bool differs(double from, double to)
{
    return !isnan(from) && !isnan(to) && fabs(from - to) >= 0.005 * fmax(from, to) && from != to;
}

static void add_texts(struct figures *figures, const char *name, const char *from, const char *to)
{
    if (strcmp(from, to) != 0)
        add_figure(figures, name, copy_text(*from ? from : "-"), copy_text(*to ? to : "-"), NULL);
}

static char *time_ratio(const json_t *from, const json_t *to, const struct style *style)
{
    if (!why_comparable(from, to) && !isnan(result_time(from)) && !isnan(result_time(to)))
        return copy_text("not comparable");
    return ratio_text(result_time(from), result_time(to), style);
}

static void add_times(struct figures *figures, const json_t *from, const json_t *to,
                      const struct style *style)
{
    const bool modelled = result_modelled(from) || result_modelled(to);
    const double a = result_number(from, "report.cycles"), b = result_number(to, "report.cycles");
    char *rates[] = {ladder_rate(from), ladder_rate(to)};

    add_figure(figures, modelled ? "time (modelled)" : "time",
               text_in(style->language, ladder_time(from)),
               text_in(style->language, ladder_time(to)), time_ratio(from, to, style));
    if (strcmp(rates[0], "-") != 0 || strcmp(rates[1], "-") != 0)
        add_figure(figures, "rate", rates[0], rates[1], NULL);
    if (!isnan(result_number(from, "report.share")) || !isnan(result_number(to, "report.share")))
        add_figure(figures, "of peak", ladder_percent(result_number(from, "report.share")),
                   ladder_percent(result_number(to, "report.share")), NULL);
    if (a > 0 || b > 0)
        add_figure(figures, "cycles", text_count(a), text_count(b), ratio_text(a, b, style));
}

/* A count that is next to nothing beside the instructions of either step explains nothing. */
static bool matters(const json_t *from, const json_t *to, double old, double now)
{
    const double most =
        fmax(result_counter(from, "warp_instructions"), result_counter(to, "warp_instructions"));

    return fmax(old, now) >= 0.001 * most;
}

static void add_ratios(struct figures *figures, const json_t *from, const json_t *to,
                       const struct style *style)
{
    for (int i = 0; i < RATIO_COUNT; i++) {
        const double a = result_ratio(from, &result_ratios[i]);
        const double b = result_ratio(to, &result_ratios[i]);

        const double old = result_sum(from, result_ratios[i].under);
        const double now = result_sum(to, result_ratios[i].under);

        if (differs(a, b) && matters(from, to, old, now))
            add_counted(figures, result_ratios[i].name, text_number(a), text_number(b), a, b,
                        style);
    }
}

/* Only what differs, and matters. */
static void add_counters(struct figures *figures, const json_t *from, const json_t *to,
                         const struct style *style)
{
    const double a = result_occupancy(from), b = result_occupancy(to);

    add_ratios(figures, from, to, style);
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        const bool known = !strcmp(counters[i], "global_transactions") &&
                           result_moves_lines(from) && result_moves_lines(to);
        const double old = result_counter(from, counters[i]);
        const double now = result_counter(to, counters[i]);

        const bool launches = !strcmp(counters[i], "launches");

        if (differs(old, now) && !known && (launches || matters(from, to, old, now)))
            add_counted(figures, counter_name(counters[i]), text_count(old), text_count(now), old,
                        now, style);
    }
    if (differs(a, b))
        add_counted(figures, "occupancy", ladder_percent(a), ladder_percent(b), a, b, style);
    add_texts(figures, "bound by", word_for_limit(style->language, result_bound(from)),
              word_for_limit(style->language, result_bound(to)));
}

static struct figures figures_of(const json_t *from, const json_t *to, const struct style *style)
{
    const double n = result_number(from, "report.n"), m = result_number(to, "report.n");
    struct figures figures = {.count = 0};

    if (outcome_is_failure(result_outcome(from)) || outcome_is_failure(result_outcome(to)))
        return figures; /* what it counted says nothing */
    if (n != m && !(isnan(n) && isnan(m)))
        add_figure(&figures, "n", text_count(n), text_count(m), NULL);
    if (!is_untimed(from, to))
        add_times(&figures, from, to, style);
    add_counters(&figures, from, to, style);
    return figures;
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* A step as ./tour takes it: with its chapter where another one has a step of that name. */
static char *argument_for(const struct manifest *manifest, const struct step *step)
{
    for (int i = 0; i < manifest->step_count; i++)
        if (!strcmp(manifest->steps[i].name, step->name) &&
            strcmp(manifest->steps[i].chapter, step->chapter) != 0)
            return text_format("%s/%s", step->chapter, step->name);
    return copy_text(step->name);
}

/* What shows all of a diff, for behind the count of what is missing. */
static char *command_for(const struct manifest *manifest, const struct step *from,
                         const struct step *to)
{
    return text_format(": ./tour diff --all %s %s", argument_for(manifest, from),
                       argument_for(manifest, to));
}

static int at_least(int value, int least)
{
    return value > least ? value : least;
}

static bool read_changes(const char *checkout, const struct step *from, const struct step *to,
                         struct changes *changes)
{
    return changes_read(text_format("%s/%s", checkout, from->source),
                        text_format("%s/%s", checkout, to->source), CONTEXT, changes);
}

/* The lines that a terminal has for code and figures, beside `other` lines, two empty ones, the
 * table's header and the prompt. */
static int room_of(const struct style *style, int other)
{
    return style->rows - other - 4;
}

bool diff_print(const char *checkout, const struct manifest *manifest, const struct step *from,
                const struct step *to, const json_t *results, bool moved, FILE *file,
                const struct style *style)
{
    const json_t *old = results_find(results, from->chapter, from->name);
    const json_t *now = results_find(results, to->chapter, to->name);
    char *above, *devices, *below;
    char *advice = result_is_good(now) ? result_advice(now, style->language) : NULL;
    FILE *text;
    struct figures figures;
    struct changes changes;
    int limit = 0, dropped = 0;

    if (!read_changes(checkout, from, to, &changes))
        return false;
    text = text_open(&above);
    print_sentence(old, now, text, style);
    if (from->own && to->own && result_is_good(old) && result_is_good(now))
        print_output_change(old, now, text, style);
    print_warning(from, text, style);
    print_warning(to, text, style);
    fclose(text);
    text = text_open(&devices);
    print_devices(old, now, moved, text, style);
    fclose(text);
    text = text_open(&below);
    style_print_indented(advice ? advice : "", 0, TONE_PLAIN, text, style);
    fclose(text);
    figures = figures_of(old, now, style);
    if (style->rows > 0) {
        const int room =
            room_of(style, count_lines(above) + count_lines(devices) + count_lines(below));
        const int code = changes.count < ENOUGH_CODE ? changes.count : ENOUGH_CODE;

        dropped = fit_figures(&figures, at_least(room - code, LEAST_FIGURES));
        limit = at_least(room - figures.count - (dropped > 0), LEAST_CODE);
    }
    fprintf(file, "%s\n", above);
    diff_print_changes(&changes, limit, command_for(manifest, from, to), file, style);
    fprintf(file, "\n%s", devices);
    print_figures(&figures, result_text(old, "step"), result_text(now, "step"), file, style);
    if (dropped > 0)
        style_printf(file, style, "%s %d more counters, which differ less\n", style_ellipsis(style),
                     dropped);
    fputs(below, file);
    return true;
}
