/* SPDX-License-Identifier: MIT */
/* The program of a step, from its command line to its exit code: what every chapter does alike. */
#ifndef CHAPTER_H
#define CHAPTER_H

#include "options.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The variants of a program that measures several, or the numbers that it is asked about, from
 * `first` up to `end`, and the one whose turn it is. look() may still set them. */
struct chapter_variants {
    int first, end, now;
};

/* What one program of a chapter is. All functions get `self`. */
struct chapter {
    struct option_list options;
    const int *sizes; /* that --all-sizes checks */
    size_t size_count;
    size_t
        modelled_count; /* how many of them, from the first, a model is not too slow for; 0: all */
    const struct option_row *each; /* --all-sizes checks a size with all its values; NULL: none */
    uint64_t modelled_each; /* which of these a model is not too slow for, a bit each; 0: all */
    struct chapter_variants *variants; /* each is measured at each size; NULL: there is but one */
    bool cpu; /* runs on this machine's CPU, without a CUDA device */
    const char *wrong; /* why the program is wrong on purpose; NULL: it must be right */

    /* Look at the command line as a whole, before there is a device. Returns -1 to go on, else the
     * exit code after one line. NULL: nothing to look at. */
    int (*look)(void *self, struct options *options);

    /* Whether the device, or options.n on it, is beyond this program: -1 to go on, else the exit
     * code after one line. Called before anything is allocated. */
    int (*refuse)(void *self, const struct session *session);

    /* Make the input of options.n elements, call the step, compare. */
    struct measurement (*measure)(void *self, const struct session *session);

    /* Print a measurement; returns EXIT_MATCH or EXIT_MISMATCH. NULL: report() does. */
    int (*report)(void *self, const struct session *session, const struct measurement *measurement);

    void *self;
};

/* A kernel whose blocks all do the same work: launched with so many threads and so many bytes of
 * dynamic shared memory each. NULL: there is but one block. */
struct chapter_wave {
    const void *kernel;
    int threads;
    size_t shared_bytes;
};

/* How many of its blocks the device holds at once. */
int64_t chapter_wave_blocks(const struct chapter_wave *wave, const struct session *session);

/* main() of a step: read the options, find the device, measure and report one size or, with
 * --all-sizes, all, each run once unless --runs says otherwise. Returns the worst exit code; one
 * that is neither match nor mismatch ends the program. A program that is wrong on purpose says so
 * and exits with EXIT_MATCH whatever its results are. */
int chapter_run(int argc, char **argv, struct step step, const struct chapter *chapter);

#ifdef __cplusplus
}
#endif
#endif
