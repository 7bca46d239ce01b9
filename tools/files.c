/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <dirent.h>
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
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8, as some editors begin a file */
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
    if (!strncmp(text, mark, strlen(mark)))
        memmove(text, text + strlen(mark), length - strlen(mark) + 1);
    return text;
}

const char *file_error(int code)
{
    switch (code) {
    case EILSEQ:
        return "it is no text: there are bytes 0 in it. Is it a compiled program, or saved as "
               "UTF-16? "
               "UTF-8 is wanted";
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

bool file_is_folder(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

bool file_is_source(const char *name)
{
    const char *suffix = strrchr(name, '.');

    return *name != '.' && suffix && !strcasecmp(suffix, ".cu");
}

static int is_source(const struct dirent *entry)
{
    return file_is_source(entry->d_name);
}

char **file_sources(const char *folder)
{
    const size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_source, alphasort);
    struct texts sources = {allocate(sizeof(*sources.list)), 0};

    for (int i = 0; i < count; i++)
        texts_add(&sources, text_format("%s%s%s", folder, slash, entries[i]->d_name));
    return sources.list;
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
