/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bars.h"
#include "changes.h"
#include "child.h"
#include "experiment.h"
#include "html.h"
#include "ladder.h"
#include "results.h"
#include "roofline.h"
#include "table.h"
#include "text.h"
#include "titles.h"
#include "why.h"
#include "words.h"

enum { CONTEXT = 3, GIT_SECONDS = 10 };

/* report/page.html with its style and its scripts inside: made by CMake. */
static const unsigned char page[] = {
#include "report_page.inc"
    0};

static const char *const tags[LANGUAGE_COUNT] = {"en", "zh-CN"};

struct report {
    json_t *runs[LANGUAGE_COUNT][REPORT_MAX_RUNS]; /* with titles in that language */
    int run_count;
    const struct manifest *manifest;
    const char *checkout;
};

/* A chapter in one language: of the first run, which says which steps there are, a result for each,
 * then of the second ... */
struct section {
    const struct report *report;
    const char *name;
    const json_t **results; /* NULL: none */
    int step_count;
    struct style style;
};

/* A phrase in all languages, as an HTML `element` each, with its end behind it. */
static void print_phrase(const char *element, enum phrase phrase, const char *name, const char *end,
                         FILE *file)
{
    for (int i = 0; i < LANGUAGE_COUNT; i++)
        html_print(file, "<%h lang=\"%s\">%s</%h>%h", element, tags[i],
                   say((enum language)i, phrase, name), element, end);
}

/* --- What is in it ---------------------------------------------------------------------------- */

/* The result of a step in a run, or NULL. */
static const json_t *result_of(const struct section *chapter, int run, int step)
{
    return chapter->results[run * chapter->step_count + step];
}

static const char *name_of(const struct section *chapter, int step)
{
    return result_text(result_of(chapter, 0, step), "step");
}

/* `count` results of a run, from that of a step on. */
static struct rungs rungs_of(const struct section *chapter, int run, int step, int count)
{
    return (struct rungs){chapter->name, chapter->results + run * chapter->step_count + step,
                          count};
}

static struct section section_of(const struct report *report, const char *name,
                                 enum language language)
{
    const json_t *steps = json_object_get(report->runs[language][0], "steps"), *result;
    const size_t most = json_array_size(steps) * (size_t)report->run_count;
    struct section chapter = {.report = report,
                              .name = name,
                              .results = allocate(most * sizeof(void *)),
                              .style = {.utf8 = true, .language = language}};
    size_t i;

    json_array_foreach(steps, i, result)
        if (!strcmp(result_text(result, "chapter"), name))
            chapter.results[chapter.step_count++] = result;
    for (int run = 1; run < report->run_count; run++)
        for (int step = 0; step < chapter.step_count; step++)
            chapter.results[run * chapter.step_count + step] =
                results_find(report->runs[language][run], name, name_of(&chapter, step));
    return chapter;
}

/* The first result of a step that tried variants, or NULL. */
static const json_t *tried(const struct section *chapter, int step)
{
    for (int run = 0; run < chapter->report->run_count; run++)
        if (experiment_is(result_of(chapter, run, step)))
            return result_of(chapter, run, step);
    return NULL;
}

static bool has_experiments(const struct section *chapter)
{
    for (int step = 0; step < chapter->step_count; step++)
        if (tried(chapter, step))
            return true;
    return false;
}

/* Call `print` for each chapter, in all languages. */
static void each_chapter(const struct report *report,
                         void (*print)(const struct section *chapters, FILE *file), FILE *file)
{
    const json_t *result;
    const char *last = "";
    size_t i;

    json_array_foreach(json_object_get(report->runs[0][0], "steps"), i, result) {
        const char *name = result_text(result, "chapter");
        struct section chapters[LANGUAGE_COUNT];

        if (!strcmp(name, last))
            continue;
        for (int k = 0; k < LANGUAGE_COUNT; k++)
            chapters[k] = section_of(report, name, (enum language)k);
        print(chapters, file);
        last = name;
    }
}

static char *title_of(const struct section *chapter)
{
    return title_of_chapter(chapter->report->manifest, chapter->report->checkout, chapter->name,
                            chapter->style.language);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static char *letter_of(const struct section *chapter, int run)
{
    return chapter->report->run_count > 1 ? table_letter(run) : copy_text("");
}

/* How a result that is no match came about; "" for a match. */
static char *outcome_of(const struct section *chapter, const json_t *result)
{
    const enum language language = chapter->style.language;

    return result_outcome(result) != OUTCOME_MATCH && *result_text(result, "why")
               ? say(language, SAY_OUTCOME, text_in(language, result_text(result, "outcome")),
                     text_in(language, result_text(result, "why")))
               : copy_text("");
}

/* What its main kernel needs to take 10 % less time, as the model has it; "" where none says. */
static char *needs_of(const struct section *chapter, const json_t *result)
{
    const enum language language = chapter->style.language;
    const char *needs = result_text(result_main_kernel(result), "tenth.needs");

    return *needs ? say(language, SAY_NEEDS, text_in(language, needs)) : copy_text("");
}

/* Why a step is faster than the one before it, and what it needs to be faster itself; or why it has
 * no time. A reason that the next step has too stands there. */
static char *sentence_of(const struct section *chapter, int step)
{
    const json_t *result = result_of(chapter, 0, step);
    const json_t *next = step + 1 < chapter->step_count ? result_of(chapter, 0, step + 1) : NULL;
    const enum language language = chapter->style.language;
    const char *why = result_text(result, "why");
    char *outcome = outcome_of(chapter, result), *needs = needs_of(chapter, result);

    if (*why && !strcmp(why, result_text(next, "why")))
        return copy_text("");
    if (*outcome || step == 0)
        return *outcome ? outcome : needs;
    return text_format("%s%s%s", why_sentence(result_of(chapter, 0, step - 1), result, language),
                       language == LANGUAGE_ENGLISH && *needs ? " " : "", needs);
}

/* Where steps ran, in each run; of an experiment that tried nothing why. */
static void print_places(const struct section *chapter, int step, int count, FILE *file)
{
    fputs("<ul class=\"places\">\n", file);
    for (int run = 0; run < chapter->report->run_count; run++) {
        const struct rungs rungs = rungs_of(chapter, run, step, count);
        const json_t *first = rungs.results[0];
        const char *place = ladder_conditions(rungs, chapter->style.language);

        if (experiment_is(first))
            place = experiment_conditions(first, chapter->style.language);
        else if (has_experiments(chapter))
            place = outcome_of(chapter, first);
        if (first || count > 1)
            html_print(file, "<li>%h%w</li>\n", letter_of(chapter, run), place);
    }
    fputs("</ul>\n", file);
}

/* Print tables of several runs as one. */
static void print_tables(const struct section *chapter, struct table *tables, int count,
                         const char *anchor, FILE *file)
{
    for (int run = 1; run < count; run++) /* a time is one where any is measured */
        for (int i = 0; i < tables->column_count; i++)
            if (!strcmp(tables[run].columns[i].header, "time") && !tables->columns[i].picture)
                tables->columns[i].header = "time";
    fputs(count > 1 ? "<table class=\"cards several\">\n" : "<table class=\"cards\">\n", file);
    table_print_html(tables, count, anchor, file, &chapter->style);
}

static void print_ladder(const struct section *chapter, FILE *file)
{
    const struct report *report = chapter->report;
    const struct rungs all = rungs_of(chapter, 0, 0, chapter->step_count * report->run_count);
    const struct bars bars = bars_of(all.results, all.count);
    struct table tables[REPORT_MAX_RUNS];

    for (int run = 0; run < report->run_count; run++) {
        struct bars its = bars;

        its.parts += run * chapter->step_count;
        its.logarithmic += run * chapter->step_count;
        tables[run] =
            ladder_table(rungs_of(chapter, run, 0, chapter->step_count), &its, &chapter->style);
    }
    for (int step = 0; step < chapter->step_count; step++)
        tables[0].rows[step].note = sentence_of(chapter, step);
    print_tables(chapter, tables, report->run_count, text_format("%s-", chapter->name), file);
    if (ladder_footnote(all))
        html_print(file, "<p class=\"dim\">(!) %w</p>\n",
                   text_in(chapter->style.language, ladder_footnote(all)));
}

/* What an experiment tried; nothing where it tried nothing. */
static void print_variants(const struct section *chapter, int step, FILE *file)
{
    struct table tables[REPORT_MAX_RUNS];
    double fastest = 0;
    int count = 0;

    for (int run = 0; run < chapter->report->run_count; run++)
        fastest = fmax(fastest, experiment_fastest(result_of(chapter, run, step)));
    for (int run = 0; run < chapter->report->run_count; run++)
        tables[count++] = experiment_table(result_of(chapter, run, step), fastest, &chapter->style);
    if (tried(chapter, step))
        print_tables(chapter, tables, count, NULL, file);
}

/* What a run counted; nothing where it counted nothing. */
static void print_counters(const struct section *chapter, int run, FILE *file)
{
    const enum language language = chapter->style.language;
    struct table table =
        ladder_counters(rungs_of(chapter, run, 0, chapter->step_count), &chapter->style);

    if (table.row_count > 0) {
        html_print(file,
                   "<h3>%h%s</h3>\n<p class=\"hint\">%s</p>\n"
                   "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>\n",
                   letter_of(chapter, run), phrase_text(language, SAY_COUNTED),
                   phrase_text(language, SAY_SCROLLS), phrase_text(language, SAY_COUNTED));
        table_print_html(&table, 1, NULL, file, &chapter->style);
        fputs("</div>\n", file);
    }
}

static void print_roofline(const struct section *chapter, FILE *file)
{
    const enum language language = chapter->style.language;
    json_t *chart =
        roofline_chart(chapter->results, chapter->step_count, chapter->report->run_count, language);

    if (json_array_size(json_object_get(chart, "points")) > 0)
        html_print(file,
                   "<figure class=\"roofline\" data-chart=\"%s\"><figcaption>%s</figcaption>"
                   "</figure>\n",
                   json_dumps(chart, JSON_COMPACT), phrase_text(language, SAY_ROOFLINE));
}

/* --- Sources ---------------------------------------------------------------------------------- */

static void print_changes(const char *old_path, const char *new_path, FILE *file)
{
    static const char *const lines[] = {
        [CHANGE_SAME] = "<code>  %s</code>\n",
        [CHANGE_GONE] = "<code class=\"gone\">- %s</code>\n",
        [CHANGE_NEW] = "<code class=\"new\">+ %s</code>\n",
        [CHANGE_SKIPPED] = "  …\n",
    };
    struct changes changes;

    if (!changes_read(old_path, new_path, CONTEXT, &changes))
        return;
    fputs("<pre tabindex=\"0\">", file);
    for (int i = 0; i < changes.count; i++)
        html_print(file, lines[changes.list[i].kind], changes.list[i].line);
    fputs("</pre>\n", file);
}

/* What changed in a step, and its source. */
static void print_code(const struct section *chapter, int index, FILE *file)
{
    const struct report *report = chapter->report;
    const struct step *step =
        manifest_step(report->manifest, chapter->name, name_of(chapter, index));
    const struct step *before =
        index > 0 ? manifest_step(report->manifest, chapter->name, name_of(chapter, index - 1))
                  : NULL;
    const char *path, *source;

    if (!step)
        return;
    path = text_format("%s/%s", report->checkout, step->source);
    if (before && !tried(chapter, index)) {
        print_phrase("h4", SAY_CHANGED_SINCE, before->name, "\n", file);
        print_changes(text_format("%s/%s", report->checkout, before->source), path, file);
        print_phrase("h4", SAY_SOURCE, "", "\n", file);
    }
    source = changes_text(path);
    if (source)
        html_print(file, "<pre class=\"source\" tabindex=\"0\"><code>%s</code></pre>\n", source);
}

/* What a step is about, in all languages. */
static void print_title(const struct section *chapters, int step, FILE *file)
{
    for (int i = 0; i < LANGUAGE_COUNT; i++)
        html_print(file, " <span lang=\"%s\" class=\"what\">%w</span>", tags[i],
                   result_text(result_of(&chapters[i], 0, step), "title"));
}

/* --- Chapters --------------------------------------------------------------------------------- */

/* A step that tries one thing in several ways, or why it did not; with its source. */
static void print_experiment(const struct section *chapters, int step, FILE *file)
{
    html_print(file, "<h3 id=\"%s-%s\">%s", chapters->name, name_of(chapters, step),
               name_of(chapters, step));
    print_title(chapters, step, file);
    fputs("</h3>\n", file);
    for (int i = 0; i < LANGUAGE_COUNT; i++) {
        html_print(file, "<div lang=\"%s\">\n", tags[i]);
        print_places(&chapters[i], step, 1, file);
        print_variants(&chapters[i], step, file);
        fputs("</div>\n", file);
    }
    fputs("<details><summary>", file);
    print_phrase("span", SAY_SOURCE, "", "", file);
    fputs("</summary>\n", file);
    print_code(chapters, step, file);
    fputs("</details>\n", file);
}

/* The steps, with what changed in them; a link to what is in the details opens them. */
static void print_steps(const struct section *chapters, FILE *file)
{
    print_phrase("h3", SAY_STEPS, "", "\n", file);
    for (int step = 0; step < chapters->step_count; step++) {
        html_print(file, "<details><summary>%s", name_of(chapters, step));
        print_title(chapters, step, file);
        html_print(file, "</summary>\n<div id=\"%s-%s\">\n", chapters->name,
                   name_of(chapters, step));
        print_code(chapters, step, file);
        fputs("</div></details>\n", file);
    }
}

static void print_chapter(const struct section *chapters, FILE *file)
{
    const bool experiments = has_experiments(chapters);

    html_print(file, "<section id=\"%s\">\n", chapters->name);
    for (int i = 0; i < LANGUAGE_COUNT; i++) {
        const struct section *chapter = &chapters[i];

        html_print(file, "<div lang=\"%s\">\n<h2>%s</h2>\n", tags[i],
                   say((enum language)i, SAY_OUTCOME, chapter->name, title_of(chapter)));
        if (!experiments) {
            print_places(chapter, 0, chapter->step_count, file);
            print_ladder(chapter, file);
            print_roofline(chapter, file);
        }
        for (int run = 0; run < chapter->report->run_count && !experiments; run++)
            print_counters(chapter, run, file);
        fputs("</div>\n", file);
    }
    for (int step = 0; step < chapters->step_count && experiments; step++)
        print_experiment(chapters, step, file);
    if (!experiments)
        print_steps(chapters, file);
    fputs("</section>\n", file);
}

/* --- The page --------------------------------------------------------------------------------- */

/* What this is of, when: the command, the commit of the checkout where that is known, the date. */
static void print_made(const struct report *report, FILE *file)
{
    char *const git[] = {"git",      "-C",       (char *)report->checkout,
                         "describe", "--always", "--abbrev=9",
                         "--dirty",  NULL};
    struct child child = child_run(git, false, &(struct child_limits){.seconds = GIT_SECONDS});
    const bool known = !child.start_error && child.status == 0;
    const time_t now = time(NULL);
    char date[64] = "";

    strftime(date, sizeof(date), "%Y-%m-%d %H:%M", localtime(&now));
    if (getenv("TOUR_COMMAND"))
        html_print(file, "<code>%s</code> · ", getenv("TOUR_COMMAND"));
    if (known)
        html_print(file, "<span class=\"commit\">%s</span> · ",
                   text_format("%.*s", (int)strcspn(child.streams[0], "\n"), child.streams[0]));
    html_print(file, "<time>%s</time>", date);
}

/* A chapter in the table of contents: its experiments by name, or how many steps it has. */
static void print_content(const struct section *chapters, FILE *file)
{
    html_print(file, "<li><a href=\"#%s\">", chapters->name);
    for (int i = 0; i < LANGUAGE_COUNT; i++)
        html_print(file, "<span lang=\"%s\">%s</span>", tags[i], title_of(&chapters[i]));
    fputs("</a>", file);
    for (int i = 0; i < LANGUAGE_COUNT; i++)
        html_print(file, " <span lang=\"%s\" class=\"what\">%w</span>", tags[i],
                   say((enum language)i, SAY_CONTENT, chapters->name,
                       text_format("%d", chapters->step_count)));
    if (has_experiments(chapters)) {
        fputs("<ol>\n", file);
        for (int step = 0; step < chapters->step_count; step++) {
            const char *name = name_of(chapters, step);

            html_print(file, "<li><a href=\"#%s-%s\">%s</a>", chapters->name, name, name);
            print_title(chapters, step, file);
            fputs("</li>\n", file);
        }
        fputs("</ol>", file);
    }
    fputs("</li>\n", file);
}

static void print_contents(const struct report *report, FILE *file)
{
    each_chapter(report, print_content, file);
}

static void print_chapters(const struct report *report, FILE *file)
{
    each_chapter(report, print_chapter, file);
}

/* What the columns of all tables mean. */
static void print_columns(const struct report *report, FILE *file)
{
    (void)report;
    for (int i = 0; i < LANGUAGE_COUNT; i++) {
        html_print(file, "<div lang=\"%s\">\n", tags[i]);
        for (int about = SAY_ABOUT_FIRST; about <= SAY_ABOUT_LAST; about++)
            html_print(file, "<div class=\"about\" id=\"about-%d-%d\" popover>%s</div>\n", i, about,
                       phrase_text((enum language)i, (enum phrase)about));
        fputs("</div>\n", file);
    }
}

/* The page with its fields filled in, in the order in which they stand there. */
static void print_page(const struct report *report, FILE *file)
{
    static const struct {
        const char *name;
        void (*print)(const struct report *report, FILE *file);
    } fields[] = {{"@MADE@", print_made},
                  {"@CONTENTS@", print_contents},
                  {"@CHAPTERS@", print_chapters},
                  {"@COLUMNS@", print_columns}};
    const char *rest = (const char *)page;

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const char *field = strstr(rest, fields[i].name);

        fwrite(rest, 1, (size_t)(field - rest), file);
        fields[i].print(report, file);
        rest = field + strlen(fields[i].name);
    }
    fputs(rest, file);
}

bool report_write(const char *path, const json_t *const *runs, int run_count,
                  const struct manifest *manifest, const char *checkout)
{
    struct report report = {.run_count = run_count, .manifest = manifest, .checkout = checkout};
    char *text;
    FILE *file = text_open(&text);

    for (int i = 0; i < LANGUAGE_COUNT; i++)
        for (int run = 0; run < run_count; run++)
            report.runs[i][run] = titles_in((enum language)i, manifest, checkout, runs[run]);
    print_page(&report, file);
    fclose(file);
    return results_replace_file(path, text);
}
