/* SPDX-License-Identifier: MIT */
/* What a sealed process can do, and what it cannot. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cmocka_main.h"
#include "sandbox.h"

enum { NO_SECCOMP = 99 };

/* The number of the first thing that is not as it should be. */
static int sealed(int fd)
{
    char *const arguments[] = {"/bin/true", NULL};

    if (!sandbox_seal())
        return NO_SECCOMP;
    if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM)
        return 1;
    if (fork() >= 0)
        return 2;
    if (execv(arguments[0], arguments) == 0 || errno != EPERM)
        return 3;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
        return 4;
    if (kill(getppid(), SIGTERM) == 0)
        return 5;
    if (mkdir("here", 0700) == 0 || unlink("/nowhere") == 0 || errno != EPERM)
        return 6;
    char *large = malloc(64 << 20);
    if (!large)
        return 7;
    memset(large, 1, 64 << 20);
    free(large);
    return write(fd, "x", 1) == 1 ? 0 : 8;
}

TEST(test_sealed)
{
    int ends[2], status = -1;
    char byte = 0;

    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(sealed(ends[1]));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_SECCOMP)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
}

TEST_MAIN()
