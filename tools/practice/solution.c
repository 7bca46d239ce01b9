/* SPDX-License-Identifier: MIT */
/* The PTX of our own solutions: compiled once, and kept. */
#include "grading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "text.h"

/* Was `path` written after `source`? */
static bool is_newer(const char *path, const char *source)
{
    struct stat made, written;

    return !stat(path, &made) && !stat(source, &written) &&
           (made.st_mtim.tv_sec > written.st_mtim.tv_sec ||
            (made.st_mtim.tv_sec == written.st_mtim.tv_sec &&
             made.st_mtim.tv_nsec > written.st_mtim.tv_nsec));
}

/* Whole or not at all: others may be reading it. What cannot be kept is made again. */
static void keep(const char *path, const char *text)
{
    char *fresh = text_format("%s.%d", path, (int)getpid());

    if (!file_write(fresh, text) || rename(fresh, path))
        unlink(fresh);
}

int puzzle_capability(const struct puzzle *puzzle)
{
    return puzzle->capability ? puzzle->capability : 75;
}

char *own_ptx(const struct grading *grading, struct verdict *verdict)
{
    const char *name = grading->entry->name;
    char *source = text_format(PUZZLES "/%s/solution.cu", name);
    char *kept = text_format(KEPT "/%s.ptx", name);
    char *ptx = is_newer(kept, source) ? file_read(kept) : NULL;

    if (!ptx) {
        char *text = file_read(source);
        if (!text)
            *verdict = verdict_of(VERDICT_BROKEN,
                                  text_format("cannot read %s: %s\n", source, strerror(errno)));
        else
            ptx = compile_ptx(text, source, puzzle_capability(grading->entry->puzzle), TRUST_OWN,
                              grading->scratch, verdict);
        if (ptx)
            keep(kept, ptx);
    }
    return ptx;
}
