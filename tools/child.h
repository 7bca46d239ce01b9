/* SPDX-License-Identifier: MIT */
/* Run another program and take in what it says, with a limit on its time. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_STREAMS = 3 }; /* stdout, stderr, and the extra one */

struct child {
    char *streams[CHILD_STREAMS]; /* what it wrote, at most 4 MiB each; text, ended by a 0 */
    int start_error; /* errno of a program that could not be started, or 0 */
    int status; /* as waitpid tells it */
    bool timed_out; /* or killed because somebody interrupted us */
};

/* Called some ten times a second while a child runs. */
typedef void child_tick(void *self, double seconds);

/* What a child is allowed. */
struct child_limits {
    double seconds; /* of the clock: then it is ended */
    unsigned cpu_seconds; /* of each process; 0: no limit, here and below */
    size_t memory; /* bytes of address space of each process */
    size_t file; /* bytes of a file that it writes */
    double grace; /* seconds that it has then after SIGTERM, or when somebody interrupts us */
    child_tick *tick; /* or NULL */
    void *self; /* for it */
};

/* Seconds on a clock that never goes back. */
double child_clock(void);

/* From here on an interrupt (SIGINT, SIGTERM, SIGHUP) is noted, and ends what a child does. */
void child_catch_signals(void);

/* From here on an interrupt takes effect only while a child runs, and
 * printing what nobody reads any more is an error and no end. */
void child_hold_signals(void);

/* The signal that interrupted us, or 0. */
int child_interrupted(void);

/* Wait, with signals held, until there is something to read from `file`, at most `milliseconds`, or
 * for ever with -1. Returns false after that time, or when a signal came. */
bool child_await_input(int file, int milliseconds);

/* With signals held: let interrupts take effect from here on, or no longer. */
void child_allow_signals(bool allowed);

/* Signals act as usual again. If one has interrupted us, it ends the program now. */
void child_release_signals(void);

/* Run argv[0] (a path, or a name looked up in PATH) with nothing to read, in a process group of its
 * own; with `extra` its file descriptor 3 is read too. After its time, or once interrupted, the
 * whole group is killed. Processes that outlive the program are killed as well, and the program
 * does not outlive us. Only what `limits` says of the clock counts. */
struct child child_run(char *const argv[], bool extra, const struct child_limits *limits);

/* The same in two halves, so that something else can be done meanwhile. What it says waits to be
 * read, and so may it; its time begins with the second half. */
struct running *child_begin(char *const argv[], bool extra);
struct child child_await(struct running *running, const struct child_limits *limits);

/* Is it still at work? */
bool child_runs(const struct running *running);

/* End one that is not to be awaited; nothing, where it has been. */
void child_drop(struct running *running);

/* Call `body(self, fd)` likewise, within all limits; what it writes to `fd` is the first stream. If
 * it returns, the process ends with 0. */
typedef void child_body(void *self, int fd);
struct child child_call(child_body *body, void *self, const struct child_limits *limits);

/* A child_body: become the program of `argv`, which writes all it says to the one stream. Where
 * that cannot be, a line there says why, and the process ends with 127. */
void child_become(void *argv, int fd);

/* Did it end with 0, in time? */
bool child_succeeded(const struct child *child);

/* Start argv[0] likewise, beside us: what it says replaces what the file `log` holds. Returns its
 * process id, to wait for, or -1. */
pid_t child_start(char *const argv[], const char *log);

/* End it: within a second it may end what it has started itself. */
void child_end(pid_t pid);

#endif
