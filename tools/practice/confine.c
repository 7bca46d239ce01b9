/* SPDX-License-Identifier: MIT */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

enum { OUTPUT_LIMIT = 1 << 20, TICK_MS = 200 };

static volatile sig_atomic_t interrupted; /* the signal */

static void interrupt(int signal)
{
    interrupted = signal;
}

int confine_interrupted(void)
{
    return interrupted;
}

void confine_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt}; /* and no SA_RESTART */

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

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

__attribute__((noreturn)) static void be_child(void (*body)(void *self, int fd), void *self,
                                               const struct limits *limits, int fd, pid_t parent)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        signal(usual[i], SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    apply(limits);
    body(self, fd);
    _exit(0);
}

/* Take in what is there now; false at the end. What is beyond the limit is dropped. */
static bool take_in(int fd, struct confined *confined)
{
    char data[16384];
    const ssize_t count = read(fd, data, sizeof(data));

    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    if (count == 0)
        return false;
    size_t kept = (size_t)count;
    if (confined->length + kept > OUTPUT_LIMIT)
        kept = OUTPUT_LIMIT - confined->length;
    confined->output = reallocate(confined->output, confined->length + kept + 1);
    memcpy(confined->output + confined->length, data, kept);
    confined->length += kept;
    return true;
}

/* Read until the stream ends or the time is up. */
static void follow(int fd, double until, struct confined *confined)
{
    for (;;) {
        const double left = until - now();
        struct pollfd polled = {fd, POLLIN, 0};

        if (left <= 0 || interrupted) {
            confined->timed_out = true;
            return;
        }
        if (poll(&polled, 1, left * 1000 < TICK_MS ? (int)(left * 1000) + 1 : TICK_MS) > 0 &&
            !take_in(fd, confined))
            return;
    }
}

/* It has closed its stream; that it ends as well is not said. */
static void wait_for(pid_t pid, double until, struct confined *confined)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    while (!confined->timed_out && waitpid(pid, &confined->status, WNOHANG) == 0) {
        nanosleep(&pause, NULL);
        confined->timed_out = now() > until || interrupted;
    }
    if (!confined->timed_out)
        return;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &confined->status, 0) < 0 && errno == EINTR)
        continue;
}

struct confined confine(void (*body)(void *self, int fd), void *self, const struct limits *limits)
{
    struct confined confined = {.output = copy_text("")};
    const double until = now() + limits->seconds;
    const pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC)) {
        confined.start_error = errno;
        return confined;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_child(body, self, limits, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        confined.start_error = errno;
    } else {
        setpgid(pid, pid); /* whoever of the two is first */
        follow(ends[0], until, &confined);
        wait_for(pid, until, &confined);
        kill(-pid, SIGKILL);
    }
    close(ends[0]);
    confined.output[confined.length] = '\0';
    return confined;
}
