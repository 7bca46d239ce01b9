#include "grading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "confine.h"
#include "text.h"

static const struct limits trial_limits = {
    .seconds = 30,
    .memory = (size_t)2 << 30,
    .file = 1 << 20,
};

struct work {
    const struct grading *grading;
    const char *ptx;
};

static void run(void *self, int fd)
{
    const struct work *work = self;

    trials_run(work->grading, work->ptx, fd);
}

static struct verdict bare(enum verdict_kind kind, char *text)
{
    return (struct verdict){
        .kind = kind, .text = text, .printed = copy_text(""), .prediction = copy_text("")};
}

/* What the process that ran the trials says, or what its end does. */
static struct verdict hear(const struct confined *confined)
{
    if (confined->start_error)
        return bare(VERDICT_BROKEN,
                    text_format("cannot start a process: %s\n", strerror(confined->start_error)));
    json_t *json = json_loads(confined->output, 0, NULL);
    if (json) {
        const struct verdict verdict = verdict_from_json(json);
        json_decref(json);
        return verdict;
    }
    if (confined->timed_out ||
        (WIFSIGNALED(confined->status) && WTERMSIG(confined->status) == SIGXCPU))
        return bare(VERDICT_TIME,
                    text_format("it did not end within %.0f seconds\n", trial_limits.seconds));
    if (WIFSIGNALED(confined->status))
        return bare(VERDICT_BROKEN,
                    text_format("the emulator died of signal %d\n", WTERMSIG(confined->status)));
    return bare(VERDICT_SPACE,
                text_format("the emulator ended with code %d\n", WEXITSTATUS(confined->status)));
}

struct verdict grade(const struct grading *grading)
{
    const int capability = grading->entry->puzzle->capability;
    struct verdict verdict;
    char *ptx = compile_ptx(grading->source, grading->shown, capability ? capability : 75,
                            grading->trust, grading->scratch, &verdict);

    if (!ptx)
        return verdict;
    struct work work = {grading, ptx};
    struct confined confined = confine(run, &work, &trial_limits);
    verdict = hear(&confined);
    free(confined.output);
    free(ptx);
    return verdict;
}
