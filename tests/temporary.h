/* SPDX-License-Identifier: MIT */
/* Files and folders that tests need for a moment, where TMPDIR says. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEMPORARY_PATH = 4096, TEMPORARY_FILE = 32 };

/* A name for mkstemp() or mkdtemp(), put into `name`. */
static inline char *temporary_name(char name[TEMPORARY_PATH])
{
    const char *folder = getenv("TMPDIR");

    snprintf(name, TEMPORARY_PATH, "%s/test.XXXXXX", folder && *folder ? folder : "/tmp");
    return name;
}

/* An empty file for a program that we start; `path` becomes its name there and here. It has none in
 * a folder, so that nothing is left however we end. Returns a descriptor to close. */
static inline int temporary_file(char path[TEMPORARY_FILE])
{
    char name[TEMPORARY_PATH];
    const int file = mkstemp(temporary_name(name));

    if (file < 0) {
        perror(name);
        exit(EXIT_FAILURE);
    }
    unlink(name);
    snprintf(path, TEMPORARY_FILE, "/dev/fd/%d", file);
    return file;
}

#endif
