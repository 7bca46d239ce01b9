/* SPDX-License-Identifier: MIT */
/* A file that is there whole or not at all. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <stddef.h>

/* Write `length` bytes of text to `path`: to a file beside it, which takes its name once all has
 * arrived. What is no regular file, a pipe for one, is written to directly. Returns 0 or the number
 * of the error; there is nothing left behind then. */
int write_whole(const char *path, const char *text, size_t length);

#endif
