/* SPDX-License-Identifier: MIT */
/* The user's compiler, in a process of its own, of which the program must not notice anything: it
 * is nobody's child, holds none of the program's files, and we hold none of its. The source, which
 * it removes at its end, tells whether it is still at work. Several processes may make the same
 * library at a time, so each appears under its name when it is complete. */
#define _GNU_SOURCE /* clone() */
#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range /* the C library is older than it; the number is that of all machines */
#define SYS_close_range 436
#endif

enum { STACK_SIZE = 1 << 16, PATIENCE = 10, LONGEST_TEXT = 3 << 19 };

/* In the cache's folder: `$1` without .so is the source's name without .c, `$2` the library's. If
 * memory runs short, the compiler goes and not the program. What is oldest goes once the folder
 * holds more than 64 MiB. */
static const char script[] = "trap 'rm -f \"$1.c\" \"$1.so\"' EXIT\n"
                             "trap 'exit 1' TERM\n"
                             "ulimit -t 60\n"
                             "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null\n"
                             "cc " COMPILER_FLAGS " -o \"$1.so\" \"$1.c\" && mv \"$1.so\" \"$2\"\n"
                             "ls -ts | sed 1d | while read -r size name; do\n"
                             "sum=$((${sum:-0} + size))\n"
                             "[ \"$sum\" -le 65536 ] || rm -f \"$name\"\n"
                             "done\n";

struct start {
    char *const *words;
    char *const *environment;
    const char *folder;
    bool waited; /* the program does nothing else */
    char *stack; /* of the inner process */
    pid_t shell;
};

/* The shell's process: a group of its own, to be ended at once, but in the program's session, as
 * sessions share a CPU whatever their priorities. Nothing of the program's reaches it: no signal,
 * ignored or not, no file, no library. */
static int run_shell(void *self)
{
    const struct start *start = self;
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nothing = open("/dev/null", O_RDWR);
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        dup2(nothing, file);
    setpgid(0, 0);
    if (!start->waited)
        setpriority(PRIO_PROCESS, 0, PATIENCE);
    umask(077);
    if (nothing >= 0 && syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0 &&
        chdir(start->folder) == 0)
        execve("/bin/sh", start->words, start->environment);
    _exit(127);
}

static int run_between(void *self)
{
    struct start *start = self;
    start->shell = clone(run_shell, start->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, self);
    return 0;
}

/* The program must not notice a child that it knows nothing of, in wait() or by a SIGCHLD: so there
 * is a process between, which ends at once and tells nobody. Not where what others leave behind
 * becomes the program's child. Returns the shell's process; -1: there is none. */
static pid_t spawn(struct start *start)
{
    int status, adopts = 0;
    char *stacks = malloc(2 * STACK_SIZE);
    sigset_t all, before;
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    if (!stacks || adopts || getpid() == 1) {
        free(stacks);
        return -1;
    }
    start->stack = stacks;
    start->shell = -1;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t between =
        clone(run_between, stacks + 2 * STACK_SIZE, CLONE_VM | CLONE_VFORK, start);
    while (between > 0 && waitpid(between, &status, __WCLONE) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stacks);
    return start->shell;
}

/* What would take minutes is left alone. A file larger than the program may write would end it. */
static bool write_text(char *path, const char *text)
{
    const size_t length = strlen(text);
    struct rlimit limit;
    if (length > LONGEST_TEXT || getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < length)
        return false;
    const int file = mkostemps(path, 2, O_CLOEXEC);
    if (file < 0)
        return false;
    const bool written = write(file, text, length) == (ssize_t)length;
    return close(file) == 0 && written;
}

bool job_start(struct job *job, const char *text, const char *path, bool waited)
{
    char base[CACHE_PATH_SIZE], folder[CACHE_PATH_SIZE], search[PATH_MAX], scratch[PATH_MAX];
    const char *where = getenv("PATH"), *name = strrchr(path, '/') + 1;
    snprintf(job->source, sizeof job->source, "%s.XXXXXX.c", path);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    snprintf(scratch, sizeof scratch, "TMPDIR=%s", folder);
    if (!where || (size_t)snprintf(search, sizeof search, "PATH=%s", where) >= sizeof search)
        return false;
    const bool written = write_text(job->source, text);
    snprintf(base, sizeof base, "%.*s", (int)strlen(job->source) - 2, job->source);
    char *words[] = {"sh", "-c", (char *)script, "sh", base, (char *)path, NULL};
    char *environment[] = {search, scratch, NULL};
    struct start start = {
        .words = words, .environment = environment, .folder = folder, .waited = waited};
    job->owner = getpid();
    job->shell = written ? spawn(&start) : -1;
    if (job->shell < 0)
        unlink(job->source);
    return job->shell >= 0;
}

static bool is_at_work(const struct job *job)
{
    return access(job->source, F_OK) == 0 && kill(-job->shell, 0) == 0;
}

bool job_ended(const struct job *job, bool wait)
{
    static const struct timespec moment = {.tv_nsec = 2000000};
    while (is_at_work(job)) {
        if (!wait)
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

void job_stop(const struct job *job)
{
    if (job->owner != getpid() || !is_at_work(job))
        return;
    kill(-job->shell, SIGTERM);
    unlink(job->source); /* the shell may not be ready for signals yet */
}
