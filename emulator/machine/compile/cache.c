/* SPDX-License-Identifier: MIT */
/* Libraries on disk. A library is code that the user's programs run, so only the user may be able
 * to write it or the folder it is in; and several processes may make the same one at a time, so
 * each appears under its name when it is complete. */
#define _GNU_SOURCE /* clone() */
#include "compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* As our own code is compiled; see cmake/Compilers.cmake. */
#define FLAGS "-O3 -march=native -ffp-contract=off -fno-math-errno -w -fPIC -shared"

enum { OTHERS_WRITE = 022, OTHERS = 077, STACK_SIZE = 1 << 16, PATIENCE = 10 };

/* Is it the user's own, and nobody else's to change? */
static bool is_own(const struct stat *status, mode_t type, mode_t forbidden)
{
    return (status->st_mode & S_IFMT) == type && status->st_uid == geteuid() &&
           !(status->st_mode & forbidden);
}

static bool find_folder(char path[CACHE_PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat status;
    int length = -1;
    if (cache && *cache == '/')
        length = snprintf(path, CACHE_PATH_SIZE, "%s", cache);
    else if (home && *home == '/')
        length = snprintf(path, CACHE_PATH_SIZE, "%s/.cache", home);
    if (length < 0 || length > CACHE_PATH_SIZE - 100)
        return false;
    mkdir(path, 0700);
    strcat(path, "/emu");
    mkdir(path, 0700);
    return lstat(path, &status) == 0 && is_own(&status, S_IFDIR, OTHERS);
}

/* FNV-1a. */
static uint64_t hash(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
    return sum;
}

/* The compiler that the shell would find. */
static bool find_compiler(struct stat *status)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        char name[PATH_MAX];
        const size_t length = strcspn(at, ":");
        snprintf(name, sizeof name, "%.*s/cc", (int)length, at);
        if (*at == '/' && stat(name, status) == 0 && S_ISREG(status->st_mode))
            return true;
        at += length;
    }
    return false;
}

/* What the library depends on beside its text: the compiler and this CPU. */
static uint64_t hash_place(uint64_t sum, const struct stat *compiler)
{
    const uint64_t figures[] = {(uint64_t)compiler->st_size, (uint64_t)compiler->st_mtime,
                                (uint64_t)compiler->st_ino, getauxval(AT_HWCAP),
                                getauxval(AT_HWCAP2)};
    sum = hash(sum, figures, sizeof figures);
#ifdef __x86_64__
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        const unsigned model[] = {a, c & ~bit_OSXSAVE, d};
        sum = hash(sum, model, sizeof model);
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        const unsigned features[] = {b, c & ~16u, d}; /* 16: OSPKE */
        sum = hash(sum, features, sizeof features);
    }
#endif
    return sum;
}

bool cache_place(const char *text, char path[CACHE_PATH_SIZE])
{
    struct stat compiler;
    if (!find_folder(path) || !find_compiler(&compiler))
        return false;
    uint64_t sums[] = {UINT64_C(0xCBF29CE484222325), UINT64_C(0x9AE16A3B2F90404F)};
    for (int i = 0; i < 2; i++)
        sums[i] =
            hash_place(hash(hash(sums[i], FLAGS, sizeof FLAGS), text, strlen(text)), &compiler);
    sprintf(path + strlen(path), "/%016" PRIx64 "%016" PRIx64 ".so", sums[0], sums[1]);
    return true;
}

void *cache_load(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && is_own(&status, S_IFREG, OTHERS_WRITE)
               ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
               : NULL;
}

static bool write_text(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const size_t length = strlen(text);
    if (file < 0)
        return false;
    const bool written = write(file, text, length) == (ssize_t)length;
    return close(file) == 0 && written;
}

struct job {
    char *const *words;
    char **environment;
    int pipe;
    char *stack; /* of the inner process */
};

/* The shell's process. Nothing of the program's reaches it: no signal, no file, no library. */
static int run_shell(void *self)
{
    const struct job *job = self;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDERR_FILENO);
    dup2(job->pipe, STDOUT_FILENO);
    setpriority(PRIO_PROCESS, 0, PATIENCE);
    execve("/bin/sh", job->words, job->environment);
    _exit(127);
}

static int run_between(void *self)
{
    const struct job *job = self;
    return clone(run_shell, job->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, self) < 0;
}

/* Returns a pipe that closes when the commands have ended. The program must not notice a child that
 * it knows nothing of, in wait() or by a SIGCHLD: so there is a process between, which ends at once
 * and tells nobody. */
static int spawn(char *const *words, char **environment)
{
    int pipes[2], status;
    char *stacks = malloc(2 * STACK_SIZE);
    sigset_t all, before;
    if (!stacks || pipe2(pipes, O_CLOEXEC) != 0) {
        free(stacks);
        return -1;
    }
    struct job job = {words, environment, pipes[1], stacks};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int between = clone(run_between, stacks + 2 * STACK_SIZE, CLONE_VM | CLONE_VFORK, &job);
    if (between > 0)
        waitpid(between, &status, __WCLONE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stacks);
    close(pipes[1]);
    if (between > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return pipes[0];
    close(pipes[0]);
    return -1;
}

int cache_compile(const char *text, const char *path)
{
    static const char script[] = "cc " FLAGS " -o \"$1.so\" \"$1.c\" && mv \"$1.so\" \"$2\"\n"
                                 "rm -f \"$1.c\" \"$1.so\"";
    char base[CACHE_PATH_SIZE + 32], source[sizeof base + 2];
    char search[PATH_MAX];
    const char *where = getenv("PATH");
    snprintf(base, sizeof base, "%s.%d", path, (int)getpid());
    snprintf(source, sizeof source, "%s.c", base);
    if (!where || (size_t)snprintf(search, sizeof search, "PATH=%s", where) >= sizeof search ||
        !write_text(source, text))
        return -1;
    char *words[] = {"sh", "-c", (char *)script, "sh", base, (char *)path, NULL};
    char *environment[] = {search, NULL};
    const int job = spawn(words, environment);
    if (job < 0)
        unlink(source);
    return job;
}

bool cache_compiled(int job, bool wait)
{
    struct pollfd end = {.fd = job};
    int ready;
    do
        ready = poll(&end, 1, wait ? -1 : 0);
    while (ready < 0 && errno == EINTR);
    if (ready != 0)
        close(job);
    return ready != 0;
}
