#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "child.h"
#include "ladder.h"
#include "results.h"
#include "text.h"

enum { DIFF_TIMEOUT = 60, STDOUT = 0, STDERR = 1 };

enum { FIGURE, FROM, TO, RATIO, COLUMNS };

static const struct column columns[COLUMNS] = {
    [FIGURE] = {.header = "", .key = true, .least = 8},
    [FROM] = {.right = true, .key = true, .least = 8},
    [TO] = {.right = true, .key = true, .least = 8},
    [RATIO] = {.right = true, .drop = 1},
};

/* Counters worth a line where either step has any. */
static const struct {
    const char *key, *name;
} counters[] = {
    {"warp_instructions", "warp instructions"},
    {"thread_instructions", "thread instructions"},
    {"branches", "branches"},
    {"divergent_branches", "divergent branches"},
    {"barriers", "barriers"},
    {"global_loads", "global load requests"},
    {"global_load_sectors", "sectors loaded"},
    {"global_stores", "global store requests"},
    {"global_store_sectors", "sectors stored"},
    {"global_atomics", "global atomic requests"},
    {"global_lines", "128-byte lines touched"},
    {"global_transactions", "memory transactions"},
    {"shared_loads", "shared load requests"},
    {"shared_stores", "shared store requests"},
    {"shared_wavefronts", "shared wavefronts"},
};

/* --- Sources ---------------------------------------------------------------------------------- */

static enum tone tone_of_line(const char *line)
{
    switch (line[0]) {
    case '+':
        return TONE_GOOD;
    case '-':
        return TONE_BAD;
    case '@':
        return TONE_BAR;
    default:
        return TONE_PLAIN;
    }
}

static void print_lines(char *text, FILE *file, const struct style *style)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        text_clean(line);
        tone_print(file, style, tone_of_line(line), line);
        fputc('\n', file);
    }
}

bool diff_sources(const char *checkout, const struct step *from, const struct step *to, FILE *file,
                  const struct style *style)
{
    char *a = text_format("%s/%s", checkout, from->source);
    char *b = text_format("%s/%s", checkout, to->source);
    char diff[] = "diff", unified[] = "-U1", label[] = "--label";
    char *argv[] = {diff, unified, label, from->source, label, to->source, a, b, NULL};
    struct child child = child_run(argv, false, DIFF_TIMEOUT, NULL, NULL);
    const bool ok = !child.start_error && WIFEXITED(child.status) && WEXITSTATUS(child.status) < 2;

    if (ok)
        print_lines(child.streams[STDOUT], file, style);
    else if (!child_interrupted())
        complain("cannot compare %s and %s: %.*s", a, b, (int)strcspn(child.streams[STDERR], "\n"),
                 child.start_error ? strerror(child.start_error) : child.streams[STDERR]);
    child_free(&child);
    free(a);
    free(b);
    return ok;
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
    char *a = ladder_device(from), *b = ladder_device(to), *line;

    if (a && b && strcmp(a, b) != 0) {
        fprintf(file, "%s: %s\n%s: %s\n", result_text(from, "step"), a, result_text(to, "step"), b);
    } else if (a || b) {
        line = text_format("%s%s%s", a ? a : b, modelled ? ", times from its model" : "",
                           moved && a && b ? ", chosen to run both" : "");
        ladder_print_parts(line, file, style);
        free(line);
    }
    fputc('\n', file);
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
    table_set(row, RATIO, TONE_DIM, ratio);
}

/* A row of counts, unless neither has any. */
static void add_count(struct table *table, const char *name, double from, double to,
                      const struct style *style)
{
    if (from > 0 || to > 0)
        add_figure(table, name, text_count(from), text_count(to), ratio_text(from, to, style));
}

/* Times of a model and of a clock say nothing of each other, nor do those of two sizes. */
static char *time_ratio(const json_t *from, const json_t *to, const struct style *style)
{
    const bool comparable = result_modelled(from) == result_modelled(to) &&
                            result_number(from, "report.n") == result_number(to, "report.n");

    if (!comparable && !isnan(result_time(from)) && !isnan(result_time(to)))
        return copy_text("not comparable");
    return ratio_text(result_time(from), result_time(to), style);
}

static void add_size(struct table *table, const json_t *from, const json_t *to)
{
    add_figure(table, "n", text_count(result_number(from, "report.n")),
               text_count(result_number(to, "report.n")), NULL);
}

static void add_times(struct table *table, const json_t *from, const json_t *to,
                      const struct style *style)
{
    const bool modelled = result_modelled(from) || result_modelled(to);

    add_figure(table, modelled ? "time (modelled)" : "time", ladder_time(from), ladder_time(to),
               time_ratio(from, to, style));
    add_figure(table, "rate", ladder_rate(from), ladder_rate(to), NULL);
    add_figure(table, "of peak", ladder_percent(result_number(from, "report.share")),
               ladder_percent(result_number(to, "report.share")), NULL);
    add_count(table, "cycles in the kernel", result_number(from, "report.cycles"),
              result_number(to, "report.cycles"), style);
}

/* Does the GPU's memory move whole lines, so that its transactions are those and no news? */
static bool moves_lines(const json_t *from, const json_t *to)
{
    return result_counter(from, "global_transactions") == result_counter(from, "global_lines") &&
           result_counter(to, "global_transactions") == result_counter(to, "global_lines");
}

static void add_counters(struct table *table, const json_t *from, const json_t *to,
                         const struct style *style)
{
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        if (strcmp(counters[i].key, "global_transactions") != 0 || !moves_lines(from, to))
            add_count(table, counters[i].name, result_counter(from, counters[i].key),
                      result_counter(to, counters[i].key), style);
}

/* None of them is worth a line too, where there could be some. */
static void add_conflicts(struct table *table, const json_t *from, const json_t *to,
                          const struct style *style)
{
    const double a = result_counter(from, "shared_bank_conflicts");
    const double b = result_counter(to, "shared_bank_conflicts");

    if (result_shared_requests(from) > 0 || result_shared_requests(to) > 0)
        add_figure(table, "bank conflicts", text_count(a), text_count(b), ratio_text(a, b, style));
}

void diff_figures(const json_t *from, const json_t *to, bool moved, FILE *file,
                  const struct style *style)
{
    struct table table = table_new(columns, COLUMNS);

    print_devices(from, to, moved, file, style);
    table.columns[FROM].header = result_text(from, "step");
    table.columns[TO].header = result_text(to, "step");
    table.columns[RATIO].header = "";
    add_size(&table, from, to);
    if (!is_untimed(from, to))
        add_times(&table, from, to, style);
    for (int i = 0; i < RATIO_COUNT; i++) {
        const double a = result_ratio(from, &result_ratios[i]);
        const double b = result_ratio(to, &result_ratios[i]);

        if (!isnan(a) || !isnan(b))
            add_figure(&table, result_ratios[i].name, text_number(a), text_number(b),
                       ratio_text(a, b, style));
    }
    add_counters(&table, from, to, style);
    add_conflicts(&table, from, to, style);
    table_print(&table, file, style);
    table_free(&table);
}
