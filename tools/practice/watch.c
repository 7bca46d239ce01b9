/* SPDX-License-Identifier: MIT */
/* A verdict on every save. */
#include "practice.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "child.h"
#include "text.h"

enum { LOOK_MS = 200 };

/* What tells one save from another. */
struct look {
    bool there;
    struct timespec time;
    off_t size;
    ino_t inode;
};

static struct look look_at(const char *path)
{
    struct stat status;

    if (stat(path, &status) || !S_ISREG(status.st_mode))
        return (struct look){0};
    return (struct look){true, status.st_mtim, status.st_size, status.st_ino};
}

static bool same(const struct look *a, const struct look *b)
{
    return a->there == b->there && a->time.tv_sec == b->time.tv_sec &&
           a->time.tv_nsec == b->time.tv_nsec && a->size == b->size && a->inode == b->inode;
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
    printf("watching %s: save it and see; Ctrl-C ends this\n", path);
    fflush(stdout);
}

/* Until interrupted. From a puzzle that is `asked` for, once it has passed, on to the next. */
static void follow(const struct practice *practice, const struct puzzle_entry *entry, char *path,
                   bool asked)
{
    struct look shown = {0};
    bool missed = false;

    announce(path);
    while (!child_interrupted()) {
        const struct look now = look_at(path);
        if (!now.there) {
            if (!missed)
                printf("%s is gone: waiting for it to come back\n", path);
            fflush(stdout);
            missed = true;
            shown = now;
        } else if (!same(&now, &shown)) {
            missed = false;
            shown = now;
            char *next = show(practice, entry, path) && asked && !child_interrupted()
                             ? lay_out_next(practice, &entry)
                             : NULL;
            if (next) {
                path = next;
                shown = look_at(path);
                announce(path);
            }
        }
        pause_a_little();
    }
}

static bool is_source(const char *name)
{
    return strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".cu");
}

int watch(const struct practice *practice, const char *name)
{
    const struct puzzle_entry *entry = NULL;
    char *path = NULL;
    bool is_new;

    if (!is_source(name)) {
        entry = puzzle_find(name);
        path = entry ? lay_out(practice, entry, &is_new) : NULL;
        if (!path)
            return entry ? EXIT_FAILED : EXIT_USAGE;
    } else {
        path = copy_text(name);
        if (!look_at(path).there) {
            complain("cannot read %s: %s", path, errno ? strerror(errno) : "not a file");
            return EXIT_USAGE;
        }
        entry = puzzle_of(path);
    }
    follow(practice, entry, path, !is_source(name));
    return 0;
}
