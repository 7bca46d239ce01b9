/* SPDX-License-Identifier: MIT */
/* The lines in which the sources of two steps differ, without their head comments: what a reader is
 * to look at. */
#ifndef CHANGES_H
#define CHANGES_H

#include <stdbool.h>

enum change_kind { CHANGE_SAME, CHANGE_GONE, CHANGE_NEW, CHANGE_SKIPPED };

struct change {
    enum change_kind kind; /* CHANGE_SKIPPED: lines that are equal, not shown */
    const char *line; /* without its end; of CHANGE_SKIPPED "" */
    int number; /* in its file, from 1: the new one, for CHANGE_GONE the old */
    bool device; /* in a function that the GPU executes */
};

struct changes {
    struct change *list;
    int count;
};

/* The text of a source, fit to print; NULL after one line on stderr. */
char *changes_text(const char *path);

/* Compare two files, of code the first 4096 lines; without `old_path` all is new. Around each
 * change `context` equal lines stay, all with a negative one. Lines are fit to print. Returns false
 * after one line on stderr. */
bool changes_read(const char *old_path, const char *new_path, int context, struct changes *changes);

/* Leave what tells most in at most `limit` lines, or in one less where lines are left out, which is
 * for a line that says so: without what is equal, then without empty lines, braces and comments
 * and of each run of lines only its first ones, then of the GPU's code alone, at last of that what
 * is new. Returns how many lines that changed are left out. */
int changes_fit(struct changes *changes, int limit);

#endif
