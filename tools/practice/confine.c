/* SPDX-License-Identifier: MIT */
#include "confine.h"

#include <sys/resource.h>

#include "child.h"
#include "text.h"

static void limit(int resource, size_t value, size_t most)
{
    const struct rlimit limit = {value, most};

    setrlimit(resource, &limit);
}

static void apply(const struct limits *limits)
{
    const size_t seconds = limits->cpu_seconds ? limits->cpu_seconds : (size_t)limits->seconds + 1;

    limit(RLIMIT_CPU, seconds, seconds + 1); /* SIGXCPU, which says why it ended; then SIGKILL */
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, limits->file, limits->file);
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
    if (limits->memory)
        limit(RLIMIT_AS, limits->memory, limits->memory);
#endif
}

struct work {
    child_body *body;
    void *self;
    const struct limits *limits;
};

static void begin(void *self, int fd)
{
    const struct work *work = self;

    apply(work->limits);
    work->body(work->self, fd);
}

struct confined confine(void (*body)(void *self, int fd), void *self, const struct limits *limits)
{
    struct work work = {body, self, limits};
    const struct child_terms terms = {limits->seconds, limits->grace, limits->tick, limits->self};
    const struct child child = child_call(begin, &work, &terms);

    return (struct confined){.output = lasting(child.streams[0]),
                             .status = child.status,
                             .timed_out =
                                 child.timed_out || (child_interrupted() && limits->grace <= 0),
                             .start_error = child.start_error};
}

void confine_signals(void)
{
    child_catch_signals();
}

int confine_interrupted(void)
{
    return child_interrupted();
}
