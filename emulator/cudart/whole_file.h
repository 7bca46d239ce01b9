/* SPDX-License-Identifier: MIT */
/* Writes a file either completely or not at all. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <stddef.h>

/* Write `length` bytes of text to `path`: first into a temporary file next to it, which is
 * renamed once it is complete. If `path` is not a regular file (a pipe, say) it is written
 * directly. Returns 0 or the number of the error; then nothing is left behind. */
int write_whole(const char *path, const char *text, size_t length);

#endif
