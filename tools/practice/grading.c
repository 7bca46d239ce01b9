/* SPDX-License-Identifier: MIT */
#include "grading.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "text.h"

/* Of the clock, for a machine that has much else to do. */
static const struct child_limits trial_limits = {
    .seconds = 180,
    .cpu_seconds = 30,
    .memory = (size_t)2 << 30,
    .file = 1 << 20,
};

struct work {
    const struct grading *grading;
    const char *ptx, *predicted;
};

static void run(void *self, int fd)
{
    const struct work *work = self;

    trials_run(work->grading, work->ptx, work->predicted, fd);
}

/* What the process that ran the trials says, or what its end does. */
static struct verdict hear(const struct child *child)
{
    if (child->start_error)
        return verdict_of(VERDICT_BROKEN, text_format("cannot start a process: %s\n",
                                                      strerror(child->start_error)));
    json_t *json = json_loads(child->streams[0], 0, NULL);
    if (json)
        return verdict_from_json(json);
    if (child->timed_out || (WIFSIGNALED(child->status) && WTERMSIG(child->status) == SIGXCPU))
        return verdict_of(VERDICT_TIME,
                          text_format("it took more than %u seconds\n", trial_limits.cpu_seconds));
    if (WIFSIGNALED(child->status) && WTERMSIG(child->status) == SIGXFSZ)
        return verdict_of(VERDICT_SPACE, text_format("the kernel printed more than %zu KiB\n",
                                                     trial_limits.file >> 10));
    if (WIFSIGNALED(child->status))
        return verdict_of(VERDICT_BROKEN,
                          text_format("the emulator died of signal %d\n", WTERMSIG(child->status)));
    return verdict_of(VERDICT_SPACE,
                      text_format("the emulator ended with code %d\n", WEXITSTATUS(child->status)));
}

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

/* The PTX of our own solution, for the kernel that a prediction is about: what a
 * submission has in its place proves nothing. NULL and why. */
static char *own_ptx(const struct grading *grading, int capability, struct verdict *verdict)
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
            ptx = compile_ptx(text, source, capability, TRUST_OWN, grading->scratch, verdict);
        if (ptx)
            keep(kept, ptx);
    }
    return ptx;
}

static struct verdict run_trials(const struct grading *grading, const char *ptx,
                                 const char *predicted)
{
    struct work work = {grading, ptx, predicted};
    struct child child = child_call(run, &work, &trial_limits);

    return hear(&child);
}

static int capability_of(const struct puzzle *puzzle)
{
    return puzzle->capability ? puzzle->capability : 75;
}

struct verdict grade(const struct grading *grading)
{
    const struct puzzle *puzzle = grading->entry->puzzle;
    const int capability = capability_of(puzzle);
    struct verdict verdict;
    char *ptx = compile_ptx(grading->source, grading->shown, capability, grading->trust,
                            grading->scratch, &verdict);
    char *predicted = ptx && puzzle->predict ? own_ptx(grading, capability, &verdict) : NULL;

    if (ptx && (predicted || !puzzle->predict))
        verdict = run_trials(grading, ptx, predicted);
    return verdict;
}

struct verdict grade_own(const struct grading *grading)
{
    struct grading own = *grading;
    struct verdict verdict = verdict_of(VERDICT_BROKEN, copy_text(""));
    const char *ptx = own_ptx(grading, capability_of(grading->entry->puzzle), &verdict);

    own.source = file_read(text_format(PUZZLES "/%s/solution.cu", grading->entry->name));
    return ptx && own.source ? run_trials(&own, ptx, ptx) : verdict;
}
