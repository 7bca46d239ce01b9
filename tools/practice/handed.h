/* SPDX-License-Identifier: MIT */
/* Which puzzle a name means, and which files of a student's folder are for which. */
#ifndef HANDED_H
#define HANDED_H

#include "grading.h"
#include "text.h"

/* The puzzle of just that name; NULL for any other. */
const struct puzzle_entry *puzzle_named(const char *name);
/* The puzzle of that number, name or file name; NULL after a line on stderr. */
const struct puzzle_entry *puzzle_find(const char *name);
/* The puzzle whose full name the file `path` has, as my/07_neighbours.cu; NULL for any other. */
const struct puzzle_entry *puzzle_of(const char *path);

/* The paths of the files in `folder` or its folder my, one for each puzzle of puzzle_table; NULL:
 * there is none. The folder itself goes before my, the puzzle's own name before others, and of
 * those the last. A line on stderr for each other .cu file; `student` is the folder's name. Those
 * with no puzzle's name are added to `nameless`, by their paths in the folder, and so are files
 * that may be meant for a puzzle that has none, as 1.cu.txt or 1.zip, after a line. Where there are
 * none at all, but some one folder deeper, a line says so. */
char **handed_in(const char *folder, const char *student, struct texts *nameless);

#endif
