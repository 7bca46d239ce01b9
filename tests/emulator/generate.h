/* SPDX-License-Identifier: MIT */
/* Instructions made up from the table, right and wrong. */
#ifndef GENERATE_H
#define GENERATE_H

#include <stddef.h>
#include <stdint.h>

/* What stands around the lines of a text: a header for a target, and a kernel's beginning and end.
 * The kernel declares what the lines name. */
extern const char generated_kernel[];
extern const char generated_end[];

/* A line made from the sequence of `random`: an instruction of the table as it should be, one with
 * something wrong, or a declaration. */
void generate(uint64_t *random, char *line, size_t size);

#endif
