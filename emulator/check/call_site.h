/* SPDX-License-Identifier: MIT */
/* Where in the program the host's own code is. */
#ifndef CALL_SITE_H
#define CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The call that returns to `code`, for call_site(). `frame` is that of the function called. If its
 * caller keeps frame pointers, as what is not optimised does, the call remembers who called that:
 * it may be a function of the toolkit's headers. */
const void *host_call(const void *code, const uintptr_t *frame);

/* Write where the instruction before `code`, as a call that returns there, comes from, or that of a
 * host_call(), and if that is in a header of the toolkit's, who called it: "src/vadd.cu:12" if the
 * program was compiled with -g, with a path as of lines in kernels, else "main+0x2c in vadd" or
 * "vadd+0x9c3". Returns whether it is the former. */
bool call_site(const void *code, char *text, size_t size);

/* The first of `count` addresses that is in the program itself, not in a library; or the first. */
const void *host_first_own(void *const *addresses, int count);

#endif
