/* SPDX-License-Identifier: MIT */
/* Goals and predictions: sums, products and quotients of counters, and comparisons of them. */
#ifndef GOAL_H
#define GOAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* What names in an expression stand for: every key of PROFILE_COUNTERS, "launches", and "n". */
struct counts {
    uint64_t counters[PROFILE_COUNTER_COUNT];
    uint64_t launches;
    double n;
};

enum { GOAL_TEXT = 160 };

/* A goal, "LABEL: EXPRESSION <= EXPRESSION" with <=, >= or ==, worked out. */
struct goal {
    char label[GOAL_TEXT];
    double counted, wanted; /* NaN where something is divided by nothing */
    char relation[3];
    bool met;
};

/* Both return false with one line in `error` where the text is not what it should be. */
bool goal_read(const char *text, const struct counts *counts, struct goal *goal, char *error,
               size_t error_size);
bool goal_number(const char *text, const struct counts *counts, double *number, char *error,
                 size_t error_size);

#endif
