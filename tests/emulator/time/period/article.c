/* SPDX-License-Identifier: MIT */
/* article [--check] [--quick] EMU FOLDER [RESULTS]: the article's figures beside those of the
 * emulated GeForce 8800 GT, as a Markdown table. EMU is the launcher, FOLDER holds the chapters'
 * programs; those that are in RESULTS, which ./tour --json wrote, are not run again.
 *
 * --check: exit 1 unless every figure is within a fifth of the article's (or, for whole times,
 * within a tick of the clock they were read from), and every two that differ by more than a tenth
 * there are in the same order here. --quick: only what takes seconds or has been run.
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../temporary.h"

/* Windows' clock(): the article's whole times are multiples of this. */
#define TICK_MS 15.6

enum what { CYCLES, SPAN, KERNEL, WHOLE };

static const struct row {
    const char *program, *arguments;
    enum what what;
    double article; /* cycles or ms */
    bool slow;
} rows[] = {
    {"sumsq/v1_single_thread", "", CYCLES, 640e6, false},
    {"sumsq/v2_threads", "", CYCLES, 8.3e6, false},
    {"sumsq/v3_coalesced", "--threads 256", CYCLES, 2.6e6, false},
    {"sumsq/v3_coalesced", "--threads 512", CYCLES, 1.95e6, false},
    {"sumsq/v4_blocks", "", SPAN, 150e3, false},
    {"sumsq/v5_shared", "", SPAN, 164e3, false},
    {"sumsq/v6_tree", "", SPAN, 140e3, false},
    {"sumsq/v7a_halved", "", SPAN, 137e3, false},
    {"sumsq/v7b_unrolled", "", SPAN, 136e3, false},
    {"matmul/m1_naive", "", WHOLE, 1156, true},
    {"matmul/m2_kahan", "", WHOLE, 1156, true},
    {"matmul/m3_row_shared", "", WHOLE, 422, true},
    {"matmul/m4_pitched", "", WHOLE, 125, true},
    {"matmul/m5_tiled", "", WHOLE, 78, true},
    {"matmul/m6_padded", "", WHOLE, 78, false},
    {"matmul/m4_pitched", "", KERNEL, 90, true},
    {"matmul/m5_tiled", "", KERNEL, 53, true},
    {"matmul/m6_padded", "", KERNEL, 42, false},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* What a program said. */
struct run {
    json_t *report, *kernel;
};

static struct run runs[ROWS];
static double model[ROWS]; /* NAN: not run */

__attribute__((noreturn)) static void fail(const char *what, const char *why)
{
    fprintf(stderr, "article: %s: %s\n", what, why);
    exit(1);
}

/* What `results` say of the row's program; nothing if they do not have it. */
static struct run run_before(const struct row *row, const json_t *results)
{
    struct run run = {0};
    json_t *step;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, step) {
        char program[64];

        snprintf(program, sizeof(program), "%s/%s",
                 json_string_value(json_object_get(step, "chapter")),
                 json_string_value(json_object_get(step, "step")));
        if (*row->arguments || strcmp(program, row->program))
            continue;
        run.report = json_incref(json_object_get(step, "report"));
        run.kernel = json_incref(json_array_get(json_object_get(step, "kernels"), 0));
    }
    return run;
}

/* Run row `i`'s program, or find the row that has. */
static struct run run_row(int i, const char *emu, const char *folder)
{
    char profile[TEMPORARY_FILE], command[4096];
    struct run run;

    for (int k = 0; k < i; k++)
        if (runs[k].report && !strcmp(rows[k].program, rows[i].program) &&
            !strcmp(rows[k].arguments, rows[i].arguments))
            return runs[k];
    const int file = temporary_file(profile);
    snprintf(command, sizeof(command),
             "'%s' --gpu geforce-8800-gt --profile=json:%s '%s/%s' %s --json", emu, profile, folder,
             rows[i].program, rows[i].arguments);
    FILE *out = popen(command, "r");
    run.report = out ? json_loadf(out, 0, NULL) : NULL;
    if (!out || pclose(out) || !run.report)
        fail(rows[i].program, "did not run to a match");
    json_t *counts = json_load_file(profile, 0, NULL);
    run.kernel = json_incref(json_array_get(json_object_get(counts, "kernels"), 0));
    json_decref(counts);
    close(file);
    if (!run.kernel)
        fail(rows[i].program, "left no profile");
    return run;
}

/* Integers come as strings where they may be large. */
static double number(const json_t *value)
{
    return json_is_string(value) ? strtod(json_string_value(value), NULL)
                                 : json_number_value(value);
}

static double figure(const struct run *run, enum what what)
{
    switch (what) {
    case CYCLES:
        return number(json_object_get(run->report, "cycles"));
    case SPAN:
        return number(json_object_get(run->report, "span_cycles"));
    case KERNEL:
        return number(json_object_get(json_object_get(run->report, "ms"), "median"));
    default:
        return number(json_object_get(run->report, "total_ms"));
    }
}

static char *words(enum what what, double value, char *text, size_t size)
{
    if (what == KERNEL || what == WHOLE)
        snprintf(text, size, "%.4g ms", value);
    else if (value >= 1e6)
        snprintf(text, size, "%.3g M", value / 1e6);
    else
        snprintf(text, size, "%.3g K", value / 1e3);
    return text;
}

static void print_row(int i)
{
    static const char *const names[] = {"cycles", "cycles, all blocks", "kernel", "with copies"};
    const struct row *row = &rows[i];
    char article[32], modelled[32];

    printf(
        "| %s%s%s | %s | %s | %s | %+.0f %% | %s |\n", row->program, *row->arguments ? " " : "",
        row->arguments, names[row->what], words(row->what, row->article, article, sizeof(article)),
        words(row->what, model[i], modelled, sizeof(modelled)), 100 * (model[i] / row->article - 1),
        json_string_value(json_object_get(runs[i].kernel, "bound_by")));
    fflush(stdout);
}

static bool is_near(int i)
{
    const double off = fabs(model[i] - rows[i].article);

    return off <= 0.2 * rows[i].article || (rows[i].what == WHOLE && off <= TICK_MS);
}

/* Do the two rows compare, and does the article put `a` clearly above `b`? */
static bool is_above(int a, int b)
{
    const bool same_chapter = rows[a].program[0] == rows[b].program[0];
    const bool same_kind = (rows[a].what < KERNEL) == (rows[b].what < KERNEL) &&
                           (rows[a].what < KERNEL || rows[a].what == rows[b].what);

    return same_chapter && same_kind && rows[a].article > 1.1 * rows[b].article;
}

static int check(void)
{
    int wrong = 0;

    for (int a = 0; a < ROWS; a++) {
        if (isnan(model[a]))
            continue;
        if (!is_near(a)) {
            fprintf(stderr, "article: %s %s: too far off\n", rows[a].program, rows[a].arguments);
            wrong++;
        }
        for (int b = 0; b < ROWS; b++)
            if (!isnan(model[b]) && is_above(a, b) && !(model[a] > model[b])) {
                fprintf(stderr, "article: %s is not above %s\n", rows[a].program, rows[b].program);
                wrong++;
            }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    bool checks = false, quick = false;

    for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
        checks |= !strcmp(argv[1], "--check");
        quick |= !strcmp(argv[1], "--quick");
    }
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: article [--check] [--quick] EMU FOLDER [RESULTS]\n");
        return 2;
    }
    json_t *results = argc == 4 ? json_load_file(argv[3], 0, NULL) : NULL;
    printf("| step | figure | article | model | difference | bound by |\n"
           "|---|---|---|---|---|---|\n");
    for (int i = 0; i < ROWS; i++) {
        model[i] = NAN;
        runs[i] = run_before(&rows[i], results);
        if (!runs[i].report && quick && rows[i].slow)
            continue;
        if (!runs[i].report)
            runs[i] = run_row(i, argv[1], argv[2]);
        model[i] = figure(&runs[i], rows[i].what);
        print_row(i);
    }
    json_decref(results);
    return checks && check() > 0;
}
