/* SPDX-License-Identifier: MIT */
/* Where in the program the host's own code is. */
#ifndef HOST_PLACE_H
#define HOST_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Write where the instruction before `code`, as a call that returns there, comes from:
 * "src/vadd.cu:12" if the program was compiled with -g, with a path as of places in kernels, else
 * "main+0x2c in vadd" or "vadd+0x9c3". Returns whether it is the former. */
bool host_place(const void *code, char *text, size_t size);

/* The first of `count` places that is in the program itself, and not in a library; or the first. */
const void *host_first_own(void *const *places, int count);

#endif
