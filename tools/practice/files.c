/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

char *file_read(const char *path)
{
    /* Not to wait for the other end of a pipe. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > 64 * FILE_LIMIT) {
        close(fd);
        errno = S_ISDIR(status.st_mode) ? EISDIR : S_ISREG(status.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    char *text = allocate((size_t)status.st_size + 1);
    size_t length = 0;
    ssize_t count;
    while (length < (size_t)status.st_size &&
           (count = read(fd, text + length, (size_t)status.st_size - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(fd);
    if (memchr(text, '\0', length)) {
        errno = EILSEQ;
        return NULL;
    }
    return text;
}

const char *file_error(int code)
{
    switch (code) {
    case EILSEQ:
        return "it is no text: there are bytes 0 in it. Was it saved as UTF-16? UTF-8 is wanted";
    case EINVAL:
        return "it is no regular file";
    default:
        return strerror(code);
    }
}

bool file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    const bool written = fputs(text, file) >= 0;
    return !fclose(file) && written;
}

char *scratch_make(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = text_format("%s/practice.XXXXXX", folder && *folder ? folder : "/tmp");

    return mkdtemp(path);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    remove(path);
    return 0;
}

void scratch_remove(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
