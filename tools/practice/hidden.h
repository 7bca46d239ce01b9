/* SPDX-License-Identifier: MIT */
/* An instructor's own sizes and goals: a folder with a text file for each puzzle that has some. */
#ifndef HIDDEN_H
#define HIDDEN_H

#include "grading.h"

/* Reads FOLDER/NN_name.txt for each of the puzzles to the place of `checks` that is its; where
 * there is none, that stays. UTF-8 with a mark at its beginning, lines that end as on Windows, and
 * the full-width signs of Chinese input methods are read as well. False after a line on stderr: of
 * what is no check, of a file that is named after no puzzle, of a folder without any. */
bool hidden_read(const char *folder, const struct puzzle_entry *const *puzzles, int count,
                 struct hidden *checks);

/* Grades our own solution with grading->hidden, if that says anything: goals are judged at the last
 * size, and not every size will do. False after a line on stderr where it does not pass; where it
 * misses only a goal of the instructor's own, the line alone. */
bool hidden_try(const struct grading *grading);

#endif
