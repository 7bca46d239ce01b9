/* SPDX-License-Identifier: MIT */
/* A verdict on every save. */
#include "practice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "child.h"
#include "text.h"

enum { LOOK_MS = 200 };

/* What tells one save from another; all 0 where there is no file. */
static struct stat look_at(const char *path)
{
    struct stat status;

    return stat(path, &status) || !S_ISREG(status.st_mode) ? (struct stat){0} : status;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void pause_a_little(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};

    nanosleep(&pause, NULL); /* an interrupt ends it */
}

/* Returns whether it is as it should be. */
static bool show(const struct practice *practice, const struct puzzle_entry *entry,
                 const char *path)
{
    const time_t now = time(NULL);
    char clock[16];

    strftime(clock, sizeof(clock), "%H:%M:%S", localtime(&now));
    printf("\n--- %s %s\n", clock, path);
    fflush(stdout);
    const int code = entry ? grade_file(practice, entry, path) : run_own(practice, path);
    fflush(stdout);
    return !code;
}

static void announce(const char *path)
{
    tell("watching %s: save it and see; Ctrl-C ends this\n", path);
    fflush(stdout);
}

/* Until interrupted. From a puzzle that is `asked` for, once it has passed, on to the next. */
static void follow(const struct practice *practice, const struct puzzle_entry *entry, char *path,
                   bool asked)
{
    struct stat shown = {0};

    announce(path);
    while (!child_interrupted()) {
        const struct stat now = look_at(path);
        const struct puzzle_entry *const before = entry;
        char *next = NULL;
        if (!same(&now, &shown)) {
            shown = now;
            if (!now.st_ino)
                tell("%s is gone: waiting for it to come back\n", path);
            else if (show(practice, entry, path) && asked && !child_interrupted())
                next = lay_out_next(practice, &entry);
            fflush(stdout);
        }
        if (next) {
            path = next;
            shown = look_at(path);
            tell("puzzle %ld: passed\n", strtol(before->name, NULL, 10)); /* it is far above */
            announce(path);
        }
        pause_a_little();
    }
}

int watch(const struct practice *practice, const char *name)
{
    const bool is_file = strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".cu");
    const struct puzzle_entry *entry = is_file ? puzzle_of(name) : puzzle_find(name);
    char *path = copy_text(name);
    bool is_new;

    errno = 0;
    if (is_file && !look_at(path).st_ino) {
        complain("cannot read %s: %s", path, errno ? strerror(errno) : "not a file");
        return EXIT_USAGE;
    }
    if (!is_file) {
        path = entry ? lay_out(practice, entry, &is_new) : NULL;
        if (!path)
            return entry ? EXIT_FAILED : EXIT_USAGE;
    }
    struct practice watched = *practice;
    watched.watched = true;
    follow(&watched, entry, path, !is_file);
    return 0;
}
