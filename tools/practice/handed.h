/* SPDX-License-Identifier: MIT */
/* Which files of a student's folder are meant for which puzzle. */
#ifndef HANDED_H
#define HANDED_H

/* The paths of the files in `folder` or its folder my, one for each puzzle of puzzle_table; NULL:
 * there is none. The folder itself goes before my, the puzzle's own name before others, and of
 * those the last. A line on stderr for each other .cu file; `student` is the folder's name. */
char **handed_in(const char *folder, const char *student);

#endif
