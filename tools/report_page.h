/* SPDX-License-Identifier: MIT */
/* What the parts of a report share: the chapter that is printed, and words in two languages. The
 * parts: what its runs ran on and the ladder (report_ladder.c), what was counted
 * (report_counters.c), tables of experiments (report_experiments.c), and the steps with their
 * sources (report_steps.c). */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

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

/* The result of a step in a run, or NULL. */
const json_t *page_result(const struct chapter_page *page, int run, int step);

const char *page_step_name(const struct chapter_page *page, int step);

/* The result of the first run in which a step tried its variants, or NULL. */
const json_t *page_tried(const struct chapter_page *page, int step);

/* Does any step try variants? */
bool page_has_experiments(const struct chapter_page *page);

/* --- In both languages: one is shown, as the style says --------------------------------------- */

/* What is said in English and in Chinese; both are used up. */
void page_both(char *english, char *chinese, FILE *file);

void page_phrase(enum phrase phrase, FILE *file);

/* What is an English phrase of the table; other text as it is. */
void page_known(const char *english, FILE *file);

/* The same of what a variant does or found, and of what an article says. */
void page_cell(const char *english, FILE *file);

void page_chapter_title(const char *chapter, const struct manifest *manifest, const char *checkout,
                        FILE *file);
void page_step_title(const struct chapter_page *page, int step, FILE *file);

/* How a result that is no match came about. To be freed. */
char *page_outcome(const json_t *result, enum language language);

/* Why a step is faster than the one before it, or why it has no time, if there is anything to
 * say. */
void page_sentence(const struct chapter_page *page, int step, FILE *file);
bool page_has_sentence(const struct chapter_page *page, int step);

/* --- Tables ----------------------------------------------------------------------------------- */

/* A header of a table; `class` NULL: that of numbers. */
void page_header(enum phrase phrase, const char *class, FILE *file);

/* The begin of a cell, which has its header before it where the screen is narrow. */
void page_cell_start(enum phrase label, const char *class, FILE *file);

/* Which run it is, where there are several. */
void page_letter(const struct chapter_page *page, int run, FILE *file);

/* --- The parts -------------------------------------------------------------------------------- */

/* What each run ran on. */
void report_runs(const struct chapter_page *page, FILE *file);

void report_ladder(const struct chapter_page *page, FILE *file);

/* What a run counted; nothing where it counted nothing. */
void report_counters(const struct chapter_page *page, int run, FILE *file);

/* Where an experiment ran in each run, and a table of what it tried. */
void report_places(const struct chapter_page *page, int step, FILE *file);
void report_variants(const struct chapter_page *page, int step, FILE *file);

/* All of a chapter: its experiments as tables, each with its source; or its ladder, counters, and
 * steps with what changed in them. */
void report_experiments(const struct chapter_page *page, FILE *file);
void report_steps(const struct chapter_page *page, FILE *file);

#endif
