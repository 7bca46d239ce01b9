/* SPDX-License-Identifier: MIT */
/* The command line of a step: the options every step has, and the chapter's own. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OPTIONS_RUNS_UNSET = 0 };

/* The largest --n any step takes: 2^30 elements. */
#define OPTIONS_MAX_N (INT64_C(1) << 30)

/* What a chapter takes beside numbers: an option with values of any kind, a flag or operands. */
struct option_text {
    const char *name; /* without the dashes; NULL: the operands, taken one at a time */
    int values; /* how many follow the name: 0 is a flag; an operand is one */
    const char *usage; /* what --help calls the values, as in "A B"; not for a flag */
    const char *help; /* one line */
    /* Takes the values, which stay valid as long as argv. Returns -1 to go on, else the exit code
     * after a line on stderr (options_refuse). */
    int (*take)(void *self, char *const *values);
    void *self;
};

/* A number of the chapter's own, beside the options every step has. */
struct option_row {
    const char *name; /* without the dashes */
    int64_t *value; /* where the number goes; holds the default */
    int64_t min,
        max; /* what is allowed, ends included; a max of 0: the program has no such option */
    const char *help; /* one line */
    bool power_of_two; /* nothing else is allowed */
    const char *unset; /* what --help calls the default where that is no number; else NULL */
};

/* What --n may be. */
struct option_size {
    int64_t usual; /* the default */
    int64_t modelled; /* the default where times are modelled, if it is another; else 0 */
    int64_t min, max; /* ends included; a max of 0: the program has no size */
    const char *why_max; /* where the upper end comes from; NULL: the suite's own limit */
    const char *help; /* what it counts; NULL: elements */
};

/* What a program takes beside the options every step has. */
struct option_list {
    struct option_size size;
    const struct option_row *rows;
    size_t row_count;
    const struct option_text *texts;
    size_t text_count;
};

/* What the options every step has were set to. */
struct options {
    int64_t n; /* elements */
    int64_t runs; /* timed runs; OPTIONS_RUNS_UNSET: as many as run_new() finds right */
    int64_t seed; /* of the input; 1 unless given */
    int64_t device; /* -1: the first that serves */
    bool n_given;
    bool all_sizes; /* check the awkward sizes instead of timing one */
    bool check; /* compare with what the CPU computes; --no-check */
    bool json; /* one object a line instead of text */
    bool cold; /* empty the L2 cache before every run */
    bool poison; /* fill outputs with 0xFF before every run; --no-poison */
    bool guard; /* guard words behind outputs; --no-guard */
};

/* Options at their defaults, with `n` elements. */
struct options options_default(int64_t n);

/* Read argv into `options` and to where the rows and texts of `list` point. A program without a
 * size has neither --n nor --all-sizes.
 *
 * Both forms --name VALUE and --name=VALUE are taken; a number is decimal or 0x; of an option given
 * twice the last counts. Names are not to be shortened, --n does not go with --all-sizes, and there
 * are operands only where a text is for them.
 *
 * Returns -1 to go on. Otherwise what the program should exit with: EXIT_MATCH (0) after --help
 * (EXIT_MISMATCH where nobody could read it), EXIT_USAGE after one line on stderr that says what
 * was wrong and what is allowed. */
int options_parse(int argc, char **argv, const struct option_list *list, struct options *options);

/* One line on stderr: the program's name, then the message. Returns EXIT_USAGE. */
int options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
