/* SPDX-License-Identifier: MIT */
/* Which files of a student's folder are meant for which puzzle. */
#ifndef HANDED_H
#define HANDED_H

#include "grading.h"

/* The path of the file for a puzzle in `folder` or its folder my; NULL: there is none.
 * The folder itself goes before my, the puzzle's own name before others, and of those the last. */
char *handed_in(const char *folder, const struct puzzle_entry *entry);

/* Say on stderr which .cu files there are graded as no puzzle; `student` is the folder's name. */
void handed_report(const char *folder, const char *student);

#endif
