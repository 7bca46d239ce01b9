/* SPDX-License-Identifier: MIT */
#include "child.h"

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

enum { STREAM_LIMIT = 4 << 20, TICK_MS = 100 };

static volatile sig_atomic_t interrupted;
static sigset_t usual_mask;
static void (*usual_pipe)(int) = SIG_DFL;
static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
enum { INTERRUPTS = sizeof(interrupts) / sizeof(interrupts[0]) };

static void on_interrupt(int number)
{
    interrupted = number;
}

static void on_child(int number)
{
    (void)number; /* there so that ppoll wakes */
}

static sigset_t set_of_interrupts(void)
{
    sigset_t set;

    sigemptyset(&set);
    for (int i = 0; i < INTERRUPTS; i++)
        sigaddset(&set, interrupts[i]);
    return set;
}

void child_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* and no SA_RESTART */
    sigset_t ends;

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < INTERRUPTS; i++)
        sigaction(interrupts[i], &action, NULL);
    action.sa_handler = on_child;
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &usual_mask);
    sigdelset(&usual_mask, SIGCHLD);
}

void child_hold_signals(void)
{
    child_catch_signals();
    child_allow_signals(false);
    usual_pipe = signal(SIGPIPE, SIG_IGN);
}

int child_interrupted(void)
{
    return interrupted;
}

bool child_await_input(int file, int milliseconds)
{
    struct pollfd poll = {.fd = file, .events = POLLIN};
    const struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    return ppoll(&poll, 1, milliseconds < 0 ? NULL : &limit, &usual_mask) > 0;
}

void child_allow_signals(bool allowed)
{
    const sigset_t signals = set_of_interrupts();

    sigprocmask(allowed ? SIG_UNBLOCK : SIG_BLOCK, &signals, NULL);
}

/* As when a program begins. */
static void reset_signals(void)
{
    for (int i = 0; i < INTERRUPTS; i++)
        signal(interrupts[i], SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, usual_pipe);
}

void child_release_signals(void)
{
    reset_signals();
    sigprocmask(SIG_SETMASK, &usual_mask, NULL);
    if (interrupted)
        raise(interrupted);
}

double child_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One stream of the child. */
struct stream {
    int ends[2]; /* ours to read, its to write; -1: closed */
    FILE *said;
    char *text; /* what was said, once that is closed */
};

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* Take in what is there now. Returns false at the end of the stream. What goes beyond the limit is
 * read and dropped, so that the child does not wait for us. */
static bool take_in(struct stream *stream)
{
    char buffer[65536];

    for (;;) {
        const ssize_t count = read(stream->ends[0], buffer, sizeof(buffer));

        if (count < 0)
            return errno == EAGAIN || errno == EINTR;
        if (count == 0)
            return false;
        if (ftell(stream->said) + count <= STREAM_LIMIT)
            fwrite(buffer, 1, (size_t)count, stream->said);
    }
}

/* A byte 0 would end the text early: show it as a space. */
static char *finish_text(struct stream *stream)
{
    const long length = ftell(stream->said);

    fclose(stream->said);
    for (long i = 0; i < length; i++)
        if (!stream->text[i])
            stream->text[i] = ' ';
    return stream->text;
}

/* What a new process does. */
typedef void task(void *self, const struct stream *streams);

/* Start a process, which ends when we do, in a group of its own, with nothing to read. Returns its
 * id, or -1 with errno set. */
static pid_t spawn(task *does, void *self, const struct stream *streams)
{
    const pid_t parent = getpid(), pid = fork();
    sigset_t none;

    if (pid != 0) {
        setpgid(pid, pid); /* whoever of the two is first */
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    setpgid(0, 0);
    reset_signals();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO) == STDIN_FILENO)
        does(self, streams);
    _exit(EXIT_SUCCESS);
}

struct program {
    char *const *argv;
    int stream_count, report;
};

/* Become the program, or hand errno to `report`. */
static void become(void *self, const struct stream *streams)
{
    const struct program *program = self;
    int error;

    for (int i = 0; i < program->stream_count; i++)
        dup2(streams[i].ends[1], STDOUT_FILENO + i);
    execvp(program->argv[0], program->argv);
    error = errno;
    _exit(write(program->report, &error, sizeof(error)) < 0);
}

/* Start the program. Returns its process id, or -1 with errno set. */
static pid_t start(char *const argv[], struct stream *streams, int count)
{
    int report[2], error;
    pid_t pid;

    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    pid = spawn(become, &(struct program){argv, count, report[1]}, streams);
    error = errno;
    close(report[1]);
    /* Nothing comes of a program that has started: its end of the pipe is closed. */
    if (pid > 0 && read(report[0], &error, sizeof(error)) == sizeof(error)) {
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(report[0]);
    errno = error;
    return pid;
}

static bool open_streams(struct stream *streams, int count)
{
    for (int i = 0; i < count; i++) {
        streams[i] = (struct stream){.ends = {-1, -1}};
        streams[i].said = text_open(&streams[i].text);
    }
    for (int i = 0; i < count; i++) {
        if (pipe2(streams[i].ends, O_CLOEXEC) != 0)
            return false;
        fcntl(streams[i].ends[0], F_SETFL, O_NONBLOCK);
    }
    return true;
}

/* Read the streams until the program ends, its time is up, or someone interrupts us. */
static void follow(pid_t pid, struct stream *streams, int count, const struct child_limits *limits,
                   struct child *child)
{
    const double begin = child_clock();
    double until = begin + limits->seconds;
    bool asked = limits->grace <= 0; /* to end */
    const struct timespec pause = {.tv_nsec = TICK_MS * 1000000L};
    struct pollfd polled[CHILD_STREAMS];
    sigset_t mask = usual_mask;

    for (int i = 0; i < INTERRUPTS; i++)
        sigdelset(&mask, interrupts[i]);
    sigdelset(&mask, SIGCHLD);
    while (waitpid(pid, &child->status, WNOHANG) == 0) {
        for (int i = 0; i < count; i++)
            polled[i] = (struct pollfd){streams[i].ends[0], POLLIN, 0};
        ppoll(polled, (nfds_t)count, &pause, &mask);
        for (int i = 0; i < count; i++)
            if (streams[i].ends[0] >= 0 && !take_in(&streams[i]))
                close_end(&streams[i].ends[0]);
        const bool late = child_clock() > until;
        child->timed_out |= late || (interrupted && limits->grace <= 0);
        if ((interrupted || late) && !asked) {
            asked = true;
            until = child_clock() + limits->grace;
            kill(-pid, SIGTERM);
        } else if (late || (interrupted && limits->grace <= 0)) {
            kill(-pid, SIGKILL);
            waitpid(pid, &child->status, 0);
            break;
        }
        if (limits->tick && !interrupted)
            limits->tick(limits->self, child_clock() - begin);
    }
    kill(-pid, SIGKILL);
    for (int i = 0; i < count; i++)
        if (streams[i].ends[0] >= 0)
            take_in(&streams[i]);
}

struct running {
    pid_t pid;
    int start_error, count;
    struct stream streams[CHILD_STREAMS];
};

/* It has been started, or could not be, with errno set. */
static void note_start(struct running *running, pid_t pid)
{
    running->pid = pid;
    running->start_error = pid < 0 ? errno : 0;
    for (int i = 0; i < running->count; i++)
        close_end(&running->streams[i].ends[1]);
}

struct child child_await(struct running *running, const struct child_limits *limits)
{
    struct child child = {.start_error = running->start_error};

    if (running->pid >= 0)
        follow(running->pid, running->streams, running->count, limits, &child);
    for (int i = 0; i < running->count; i++)
        close_end(&running->streams[i].ends[0]);
    for (int i = 0; i < CHILD_STREAMS; i++)
        child.streams[i] = i < running->count ? finish_text(&running->streams[i]) : copy_text("");
    running->pid = 0;
    return child;
}

static struct running *new_running(int count)
{
    struct running *running = allocate(sizeof(*running));

    running->count = count;
    return running;
}

struct running *child_begin(char *const argv[], bool extra)
{
    struct running *running = new_running(extra ? CHILD_STREAMS : CHILD_STREAMS - 1);
    const bool open = open_streams(running->streams, running->count);

    note_start(running, open ? start(argv, running->streams, running->count) : -1);
    return running;
}

struct child child_run(char *const argv[], bool extra, const struct child_limits *limits)
{
    return child_await(child_begin(argv, extra), limits);
}

struct call {
    child_body *body;
    void *self;
    const struct child_limits *limits;
};

static void set_limit(int resource, size_t value, size_t most)
{
    const struct rlimit limit = {value, most};

    if (value)
        setrlimit(resource, &limit);
}

static void call(void *self, const struct stream *streams)
{
    static const struct rlimit none = {0, 0};
    const struct call *asked = self;
    const struct child_limits *limits = asked->limits;

    setrlimit(RLIMIT_CORE, &none);
    /* SIGXCPU, which says why it ended; then SIGKILL. */
    set_limit(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1);
    set_limit(RLIMIT_FSIZE, limits->file, limits->file);
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
    set_limit(RLIMIT_AS, limits->memory, limits->memory);
#endif
    asked->body(asked->self, streams[0].ends[1]);
}

struct child child_call(child_body *body, void *self, const struct child_limits *limits)
{
    struct running *running = new_running(1);
    struct call asked = {body, self, limits};

    const bool open = open_streams(running->streams, 1);
    note_start(running, open ? spawn(call, &asked, running->streams) : -1);
    return child_await(running, limits);
}

void child_become(void *argv, int fd)
{
    char *const *arguments = argv;

    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    execvp(arguments[0], arguments);
    dprintf(fd, "cannot run %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

bool child_succeeded(const struct child *child)
{
    return !child->start_error && !child->timed_out && child->status == 0;
}

pid_t child_start(char *const argv[], const char *log)
{
    const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    struct stream streams[] = {{.ends = {-1, file}}, {.ends = {-1, file}}};
    pid_t pid = -1;

    if (file >= 0) {
        pid = start(argv, streams, 2);
        close(file);
    }
    return pid;
}

void child_end(pid_t pid)
{
    enum { TRIES = 20, PAUSE_MS = 50 };

    kill(pid, SIGTERM);
    for (int i = 0; i < TRIES; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return;
        poll(NULL, 0, PAUSE_MS);
    }
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

bool child_runs(const struct running *running)
{
    siginfo_t ended = {0};

    return running->pid > 0 &&
           waitid(P_PID, (id_t)running->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

void child_drop(struct running *running)
{
    if (running->pid > 0) {
        child_end(running->pid);
        kill(-running->pid, SIGKILL);
    }
    for (int i = 0; i < running->count; i++)
        close_end(&running->streams[i].ends[0]);
}
