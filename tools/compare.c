/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladder.h"
#include "results.h"
#include "text.h"

enum { MAX_COUNTERS = 3 };

enum { STEP, BEFORE, NOW, CHANGE, COUNTERS, COLUMNS };

static const struct column columns[COLUMNS] = {
    [STEP] = {.header = "step", .least = 8},
    [BEFORE] = {.header = "before", .right = true, .drop = 2},
    [NOW] = {.header = "now", .right = true},
    [CHANGE] = {.header = "change"},
    [COUNTERS] = {.header = "counters that changed", .least = 20, .drop = 1, .second_line = true},
};

/* Counters whose change says something by itself. */
static const char *const counters[] = {
    "warp_instructions", "thread_instructions", "global_loads",      "global_stores",
    "global_atomics",    "global_sectors",      "shared_wavefronts", "shared_bank_conflicts",
    "branches",          "divergent_branches",  "barriers",
};

/* Whether the runs of one lie among the runs of the other, so that a difference says nothing. */
static bool within_spread(const json_t *old, const json_t *now)
{
    return result_number(old, "report.ms.min") <= result_number(now, "report.ms.max") &&
           result_number(now, "report.ms.min") <= result_number(old, "report.ms.max");
}

static char *describe_ratio(double old, double now, const struct style *style)
{
    return text_format("%s %s %s", text_number(old > now ? old / now : now / old),
                       style_times(style), old > now ? "faster" : "slower");
}

/* What happened to a step, in a few words, and its tone. */
static char *describe_change(const json_t *old, const json_t *now, const struct style *style,
                             enum tone *tone)
{
    const double was = result_time(old), is = result_time(now);

    *tone = outcome_is_failure(result_outcome(now)) ? TONE_BAD : TONE_DIM;
    if (!old)
        return copy_text("new");
    if (result_outcome(old) != result_outcome(now))
        return text_format("%s, was %s", result_text(now, "outcome"), result_text(old, "outcome"));
    if (!result_is_good(now))
        return copy_text("same");
    if (isnan(was) != isnan(is) || result_modelled(old) != result_modelled(now))
        return copy_text("not comparable");
    if (!isnan(was) && result_number(old, "report.n") != result_number(now, "report.n"))
        return copy_text("another size");
    if (isnan(was) || within_spread(old, now))
        return copy_text("same");
    *tone = is < was ? TONE_GOOD : TONE_BAD;
    return describe_ratio(was, is, style);
}

/* The counters that differ, the first few by name, or NULL. */
static char *describe_counters(const json_t *old, const json_t *now, enum language language)
{
    const char *comma = language == LANGUAGE_CHINESE ? "，" : ", ";
    char *list = NULL;
    int changed = 0;

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        const double was = result_counter(old, counters[i]), is = result_counter(now, counters[i]);

        if (!isnan(was) && !isnan(is) && was != is && ++changed <= MAX_COUNTERS)
            text_join(&list, comma,
                      say(language, SAY_FROM_TO, counters[i], text_count(was), text_count(is)));
    }
    if (changed > MAX_COUNTERS)
        text_join(&list, comma, text_in(language, text_format("%d more", changed - MAX_COUNTERS)));
    return list;
}

static char *first_device(const json_t *results, enum language language)
{
    const json_t *result;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result) {
        char *device = ladder_device(result, language);

        if (device)
            return device;
    }
    return text_in(language, "no device");
}

static void print_devices(const json_t *old, const json_t *now, FILE *file,
                          const struct style *style)
{
    char *was = first_device(old, style->language), *is = first_device(now, style->language);

    fputs(style->markdown ? "### " : "", file);
    tone_print(file, style, TONE_STRONG, text_in(style->language, "What changed"));
    fputs(style->markdown ? "\n\n" : "\n", file);
    if (strcmp(was, is) != 0)
        fprintf(file, "%s%s\n%s\n",
                say(style->language, SAY_OUTCOME, text_in(style->language, "before"), was),
                style->markdown ? "  " : "",
                say(style->language, SAY_OUTCOME, text_in(style->language, "now"), is));
    else
        fprintf(file, "%s\n", say(style->language, SAY_BEFORE_AND_NOW, is));
    fputc('\n', file);
}

void compare_print(const json_t *old, const json_t *now, FILE *file, const struct style *style)
{
    struct table table = table_new(columns, COLUMNS);
    const json_t *result;
    size_t i;

    json_array_foreach(json_object_get(now, "steps"), i, result) {
        const json_t *earlier =
            results_find(old, result_text(result, "chapter"), result_text(result, "step"));
        struct row *row = table_row(&table);
        enum tone tone;
        char *change = describe_change(earlier, result, style, &tone);

        table_set(
            row, STEP, TONE_PLAIN,
            text_format("%s/%s", result_text(result, "chapter"), result_text(result, "step")));
        table_set(row, BEFORE, TONE_PLAIN, ladder_time(earlier));
        table_set(row, NOW, TONE_STRONG, ladder_time(result));
        table_set(row, CHANGE, tone, change);
        table_set(row, COUNTERS, TONE_PLAIN, describe_counters(earlier, result, style->language));
    }
    print_devices(old, now, file, style);
    table_print(&table, file, style);
}

/* Whether the times of both say something about each other. */
static bool comparable(const json_t *old, const json_t *now)
{
    return old && !isnan(result_time(old)) && !isnan(result_time(now)) &&
           result_modelled(old) == result_modelled(now) &&
           !strcmp(result_text(old, "report.device.name"),
                   result_text(now, "report.device.name")) &&
           result_number(old, "report.n") == result_number(now, "report.n");
}

bool compare_no_slower(const json_t *old, const json_t *now, double percent)
{
    const json_t *result;
    int compared = 0, slower = 0;
    size_t i;

    json_array_foreach(json_object_get(now, "steps"), i, result) {
        const char *chapter = result_text(result, "chapter"), *step = result_text(result, "step");
        const json_t *earlier = results_find(old, chapter, step);

        if (!comparable(earlier, result))
            continue;
        compared++;
        const double more = 100 * (result_time(result) / result_time(earlier) - 1);
        if (more <= percent || within_spread(earlier, result))
            continue;
        slower++;
        complain("%s/%s takes %.1f %% longer than it did; %g %% is the limit", chapter, step, more,
                 percent);
    }
    if (compared == 0)
        complain("no step can be compared with what it took earlier");
    return compared > 0 && slower == 0;
}
