/* SPDX-License-Identifier: MIT */
/* What the parts of a report share: the chapter that is printed, and HTML in two languages. The
 * parts: the ladder (report_ladder.c), what was counted (report_counters.c), tables of experiments
 * (report_experiments.c), and the steps with their sources (report_steps.c). */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "ladder.h"
#include "manifest.h"
#include "words.h"

enum { PAGE_MAX_STEPS = 256 };

/* What is in a chapter of the page: its steps, and each one's result in every run. */
struct chapter_page {
    const char *name;
    const json_t **results; /* of the first run one a step, then of the second ...; NULL: none */
    int step_count, run_count;
    const struct manifest *manifest;
    const char *checkout;
};

/* The chapter as the first run has it, which says which steps there are; free() its results. */
struct chapter_page page_new(const json_t *const *runs, int run_count, const char *chapter,
                             const struct manifest *manifest, const char *checkout);

/* The results of one run, and of all. */
struct rungs page_run(const struct chapter_page *page, int run);
struct rungs page_runs(const struct chapter_page *page);

/* The result of a step in a run, or NULL. */
const json_t *page_result(const struct chapter_page *page, int run, int step);

const char *page_step_name(const struct chapter_page *page, int step);

/* The result of the first run in which a step tried its variants, or NULL. */
const json_t *page_tried(const struct chapter_page *page, int step);

/* Does any step try variants? */
bool page_has_experiments(const struct chapter_page *page);

/* --- HTML in both languages: one is shown, as the style says ---------------------------------- */

char *page_both(const char *english, const char *chinese);
char *page_phrase(enum phrase phrase);

/* What is an English phrase of the table; other text as it is. */
char *page_known(const char *english);

/* The same of what a variant does or found, and of what an article says. */
char *page_cell(const char *english);

char *page_chapter_title(const char *chapter, const struct manifest *manifest,
                         const char *checkout);
char *page_step_title(const struct chapter_page *page, int step);

/* Why a step is faster than the one before it, or why it has no time; "" for nothing to say. */
char *page_sentence(const struct chapter_page *page, int step);

/* --- Tables ----------------------------------------------------------------------------------- */

/* A header of a table; `class` "": that of numbers. */
char *page_header(const char *html, const char *class);

/* The begin of a cell, which has its header before it where the screen is narrow. */
char *page_cell_start(enum phrase label, const char *class);

/* Which run it is, where there are several. */
char *page_letter(const struct chapter_page *page, int run);

/* --- The parts -------------------------------------------------------------------------------- */

/* Where `count` steps ran, from this one on, in each run; or why an experiment tried nothing. */
void report_places(const struct chapter_page *page, int step, int count, FILE *file);

void report_ladder(const struct chapter_page *page, FILE *file);

/* What a run counted; nothing where it counted nothing. */
void report_counters(const struct chapter_page *page, int run, FILE *file);

/* A table of what an experiment tried. */
void report_variants(const struct chapter_page *page, int step, FILE *file);

/* All of a chapter: its experiments as tables, each with its source; or its ladder, counters, and
 * steps with what changed in them. */
void report_experiments(const struct chapter_page *page, FILE *file);
void report_steps(const struct chapter_page *page, FILE *file);

#endif
