/* SPDX-License-Identifier: MIT */
/* Files that somebody names for what is printed. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

/* Whether `path` may be written over: not a file with something in it that does not begin as what
 * the programs of this project write. So a forgotten name costs nobody a source or a program. */
bool output_may_replace(const char *path);

#endif
