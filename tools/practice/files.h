/* Whole files, and a folder for half-made things. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>

enum { FILE_LIMIT = 1 << 20 };

/* What is in a regular file of at most FILE_LIMIT bytes (PTX may be longer), ended by a 0 and to be
 * freed; a byte 0 in it ends it early. NULL with errno set. */
char *file_read(const char *path);
/* False with errno set. */
bool file_write(const char *path, const char *text);

/* A new folder for things that nobody keeps, to be freed; NULL with errno set. */
char *scratch_make(void);
/* Remove it with all that is in it. */
void scratch_remove(const char *path);

#endif
