/* SPDX-License-Identifier: MIT */
/* Run a function in a process of its own (child.h), with limits. */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>
#include <stddef.h>

struct limits {
    double seconds; /* of the clock */
    unsigned cpu_seconds; /* of each process; 0: as many as `seconds` */
    size_t memory; /* bytes of address space of each process; 0: no limit */
    size_t file; /* bytes of a file it writes */
    double grace; /* seconds that an interrupted child has after SIGTERM */
    void (*tick)(void *self, double seconds); /* called now and then while it runs; or NULL */
    void *self;
};

/* What became of it. */
struct confined {
    char *output; /* what was written to the descriptor, ended by a 0; at most 4 MiB */
    int status; /* as waitpid tells it */
    bool timed_out;
    int start_error; /* errno where it could not be started, or 0 */
};

/* Call `body(self, fd)` in a child, in a process group of its own. It ends the child with _exit; if
 * it returns, the child ends with 0. After `limits->seconds` the whole group is killed, and so it
 * is when somebody interrupts us. */
struct confined confine(void (*body)(void *self, int fd), void *self, const struct limits *limits);

/* From here on an interrupt (SIGINT, SIGTERM, SIGHUP) kills what is confined, and everything goes
 * on to a quick end that cleans up. */
void confine_signals(void);
/* The signal that has interrupted us, or 0. */
int confine_interrupted(void);

#endif
