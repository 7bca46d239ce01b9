/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "fresh_pages.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pieces of an allocation that show the same part of memory: 80 GiB are 5120 of the 65530 mappings
 * that Linux allows a process (vm.max_map_count). */
enum { CHUNK = 16 << 20 };

/* Is it still ours? A program may have closed all files. */
static bool is_open(const struct fresh_pages *pages)
{
    struct stat status;

    return pages->made && !fstat(pages->file, &status) && status.st_dev == pages->device &&
           status.st_ino == pages->inode;
}

static bool fill(int file)
{
    char bytes[1 << 16];
    size_t filled = 0;

    memset(bytes, FRESH_BYTE, sizeof bytes);
    while (filled < CHUNK && write(file, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        filled += sizeof bytes;
    return filled == CHUNK;
}

static bool make(struct fresh_pages *pages)
{
    struct rlimit longest; /* of files: to write beyond ends the process */
    struct stat status;

    if (getrlimit(RLIMIT_FSIZE, &longest) || longest.rlim_cur < CHUNK)
        return false;
    const int file = memfd_create("emulated memory", MFD_CLOEXEC);
    if (file < 0)
        return false;
    if (!fill(file) || fstat(file, &status)) {
        close(file);
        return false;
    }
    *pages = (struct fresh_pages){true, file, status.st_dev, status.st_ino};
    return true;
}

bool fresh_pages_map(struct fresh_pages *pages, void *start, size_t size)
{
    if (!is_open(pages) && !make(pages))
        return false;
    for (size_t from = 0; from < size; from += CHUNK)
        if (mmap((char *)start + from, size - from < CHUNK ? size - from : CHUNK,
                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pages->file,
                 0) == MAP_FAILED)
            return false;
    return true;
}

void fresh_pages_free(struct fresh_pages *pages)
{
    if (is_open(pages))
        close(pages->file);
}
