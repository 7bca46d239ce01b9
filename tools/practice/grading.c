/* SPDX-License-Identifier: MIT */
#include "grading.h"

#include <signal.h>
#include <string.h>
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

static struct verdict run_trials(const struct grading *grading, const char *ptx,
                                 const char *predicted)
{
    struct work work = {grading, ptx, predicted};
    struct child child = child_call(run, &work, &trial_limits);

    return hear(&child);
}

struct verdict grade(const struct grading *grading)
{
    const struct puzzle *puzzle = grading->entry->puzzle;
    struct verdict verdict;
    char *ptx = compile_ptx(grading->source, grading->shown, puzzle_capability(puzzle),
                            grading->trust, grading->scratch, &verdict);
    /* What a submission has in the place of the kernel in question proves nothing. */
    char *predicted = ptx && puzzle->predict ? own_ptx(grading, &verdict) : NULL;

    if (ptx && (predicted || !puzzle->predict))
        verdict = run_trials(grading, ptx, predicted);
    return verdict;
}

struct verdict grade_own(const struct grading *grading)
{
    struct grading own = *grading;
    struct verdict verdict = verdict_of(VERDICT_BROKEN, copy_text(""));
    const char *ptx = own_ptx(grading, &verdict);

    own.source = file_read(text_format(PUZZLES "/%s/solution.cu", grading->entry->name));
    return ptx && own.source ? run_trials(&own, ptx, ptx) : verdict;
}
