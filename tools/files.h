/* SPDX-License-Identifier: MIT */
/* Whole files, and a folder for half-made things. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>

enum { FILE_LIMIT = 1 << 20 };

/* The text in a regular file of at most 64 * FILE_LIMIT bytes, ended by a 0, without
 * UTF-8's mark at its beginning. NULL
 * with errno set: EILSEQ where it holds a byte 0, and so is no text, EINVAL where it is no regular
 * file. */
char *file_read(const char *path);
/* What `code`, the errno that file_read left, means to a person. */
const char *file_error(int code);
/* False with errno set. */
bool file_write(const char *path, const char *text);

/* Is it one, or a link to one? */
bool file_is_folder(const char *path);
/* Is it the name of a .cu file? A name that begins with a dot is none. */
bool file_is_source(const char *name);
/* The paths of the .cu files in a folder, in order, NULL behind the last. */
char **file_sources(const char *folder);

/* A new folder for things that nobody keeps; NULL with errno set. */
char *scratch_make(void);
/* Remove it with all that is in it. */
void scratch_remove(const char *path);

#endif
