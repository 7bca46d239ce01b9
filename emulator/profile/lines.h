/* SPDX-License-Identifier: MIT */
/* An observer that counts by line of the source: what each line of a kernel asked of the GPU.
 *
 * An instruction that was inlined from another file, a header's as a rule, counts where the
 * kernel's own file has it. Needs -lineinfo; without it lines are of the PTX.
 */
#ifndef LINES_H
#define LINES_H

#include <stdio.h>

#include "machine/observer.h"

struct lines;

/* A profile that watches `machine`, which must outlive it, with nothing counted yet. */
struct lines *lines_new(struct machine *machine);
void lines_free(struct lines *lines);

/* Print each kernel's source with its counts beside it, where the file can be read; else its lines
 * alone. */
void lines_print(struct lines *lines, FILE *file);

#endif
