/* SPDX-License-Identifier: MIT */
#include "cudart/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns 0 or the number of the error; `file` is closed. */
static int write_all(int file, const char *text, size_t length)
{
    int error = 0;

    while (length && !error) {
        const ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        error = written < 0 ? errno : 0;
        text += written < 0 ? 0 : written;
        length -= written < 0 ? 0 : (size_t)written;
    }
    if (close(file) && !error)
        error = errno;
    return error;
}

int write_whole(const char *path, const char *text, size_t length)
{
    char real[PATH_MAX], beside[PATH_MAX + 32];
    struct stat status;
    const char *target = realpath(path, real) ? real : path; /* a link stays one */

    if (!stat(target, &status) && !S_ISREG(status.st_mode)) {
        const int file = open(target, O_WRONLY | O_CLOEXEC);
        return file < 0 ? errno : write_all(file, text, length);
    }
    snprintf(beside, sizeof(beside), "%s.%ld", target, (long)getpid());
    const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    int error = write_all(file, text, length);
    if (!error && rename(beside, target))
        error = errno;
    if (error)
        unlink(beside);
    return error;
}
