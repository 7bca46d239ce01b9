/* SPDX-License-Identifier: MIT */
/* What a stranger's program can do in a cell, and what is left of it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <netinet/in.h>

#include "../cmocka_main.h"
#include "cell.h"

enum { PROCESSES = 16, DISK = 4 << 20 };

static const char *const nothing[] = {NULL};
static const struct cell_plan small = {nothing, PROCESSES, DISK};

/* What `body` ends with, as the first process of a cell. */
static int ends_with(void (*body)(void *self), void *self)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        const int code = cell_run(&small, body, self);
        _exit(code >= 0 && WIFEXITED(code) ? WEXITSTATUS(code) : 99);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

static bool writes(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT, 0600);

    if (file >= 0)
        close(file);
    return file >= 0;
}

/* Ends with the number of the first thing that is not as it should be. */
static void look_around(void *self)
{
    const int out = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(*(uint16_t *)self)};

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (getpid() != 1 || getuid() == 0 || geteuid() == 0)
        _exit(1);
    if (!access("/etc/passwd", F_OK) || !access("/home", F_OK) || !access("/root", F_OK))
        _exit(2);
    if (writes("/usr/new"))
        _exit(3);
    if (!writes(CELL_FOLDER "/new") || !writes("/tmp/new"))
        _exit(4);
    if (out >= 0 && !connect(out, (struct sockaddr *)&here, sizeof(here)))
        _exit(5);
    _exit(0);
}

TEST(test_sees_nothing)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t size = sizeof(here);
    const int listener = socket(AF_INET, SOCK_STREAM, 0);

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listener, (struct sockaddr *)&here, sizeof(here)), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &size), 0);
    uint16_t port = ntohs(here.sin_port);
    assert_int_equal(ends_with(look_around, &port), 0);
    close(listener);
}

/* What is shown is there, wherever it lies. */
static void look_for(void *self)
{
    _exit(access(self, R_OK) != 0);
}

TEST(test_shows)
{
    static const char *const places[] = {"/mnt", "/srv", "/tmp"};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char folder[64], file[80];
        snprintf(folder, sizeof(folder), "%s/test_cell.XXXXXX", places[i]);
        if (!mkdtemp(folder))
            continue; /* not ours to write */
        chmod(folder, 0755);
        snprintf(file, sizeof(file), "%s/seen", folder);
        assert_true(writes(file));
        chmod(file, 0644);
        const char *const shown[] = {folder, NULL};
        const struct cell_plan plan = {shown, PROCESSES, DISK};
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            _exit(cell_run(&plan, look_for, file) != 0);
        waitpid(child, &status, 0);
        unlink(file);
        rmdir(folder);
        assert_int_equal(status, 0);
    }
}

static void fill_disk(void *self)
{
    static char block[1 << 16];
    const int file = open(CELL_FOLDER "/large", O_WRONLY | O_CREAT, 0600);
    size_t written = 0;

    (void)self;
    for (ssize_t count; written < 4 * (size_t)DISK; written += (size_t)count)
        if ((count = write(file, block, sizeof(block))) <= 0)
            _exit(written > DISK);
    _exit(1);
}

static void fork_bomb(void *self)
{
    int started = 0;

    (void)self;
    for (; started < 2 * PROCESSES; started++) {
        const pid_t child = fork();
        if (child < 0)
            break;
        if (child == 0)
            pause();
    }
    _exit(started == 0 || started >= PROCESSES);
}

TEST(test_limits)
{
    assert_int_equal(ends_with(fill_disk, NULL), 0);
    assert_int_equal(ends_with(fork_bomb, NULL), 0);
}

/* As a stranger's program: it is refused what could lead out. */
static void try_doors(void *self)
{
    const pid_t child = fork();
    int status = -1;

    (void)self;
    if (child == 0) {
        if (!cell_lock())
            _exit(1);
        if (!unshare(CLONE_NEWUSER) || errno != EPERM)
            _exit(2);
        if (!mount("none", CELL_FOLDER, "tmpfs", 0, NULL))
            _exit(3);
        if (fork() == 0)
            _exit(0);
        _exit(wait(&status) < 0 || status ? 4 : 0);
    }
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
}

TEST(test_locks)
{
    assert_int_equal(ends_with(try_doors, NULL), 0);
}

/* A process in a session of its own, that nobody waits for: it holds the pipe for as long as it
 * lives. */
static void leave_behind(void *self)
{
    const int *held = self;

    if (fork() == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        pause();
    }
    pause_ms(50);
    if (write(*held, "x", 1) == 1 && self)
        pause();
}

/* Whoever made the cell is killed: its processes end. */
TEST(test_killed)
{
    int held[2];
    char byte;

    assert_int_equal(pipe(held), 0);
    const pid_t maker = fork();
    if (maker == 0) {
        close(held[0]);
        _exit(cell_run(&small, leave_behind, &held[1]) < 0);
    }
    close(held[1]);
    assert_int_equal(read(held[0], &byte, 1), 1);
    kill(maker, SIGKILL);
    waitpid(maker, NULL, 0);
    alarm(10); /* or the next line would wait for ever */
    assert_int_equal(read(held[0], &byte, 1), 0);
    alarm(0);
    close(held[0]);
}

static void clear(void *self)
{
    static char megabytes[8 << 20];

    (void)self;
    if (fork() == 0) {
        setsid();
        memset(megabytes, 1, sizeof(megabytes));
        pause();
    }
    pause_ms(100);
    const size_t before = cell_memory();
    cell_clear();
    if (before == 0) /* no /proc: nothing to compare */
        _exit(77);
    _exit(before < sizeof(megabytes) || cell_memory() > 0);
}

TEST(test_clears)
{
    const int code = ends_with(clear, NULL);

    assert_true(code == 0 || code == 77);
}

int main(void)
{
    if (!cell_works()) {
        puts("no user namespaces here: skipped");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
