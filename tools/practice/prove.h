/* SPDX-License-Identifier: MIT */
/* Puzzles themselves under test. */
#ifndef PROVE_H
#define PROVE_H

#include <stdbool.h>

#include "grading.h"

/* Is the puzzle whole? Its file as given gets the verdict that check.c names, its solution passes,
 * and each of at least three attempts in wrong/ gets the verdict of its first line, "// verdict:
 * race"; its statement has the same headings and hints in both languages. A line for each. */
bool prove(const struct puzzle_entry *entry, const char *scratch);

#endif
