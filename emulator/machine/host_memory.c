/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "host_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pieces of an allocation that show the same part of memory: 80 GiB are 5120 of the 65530 mappings
 * that Linux allows a process (vm.max_map_count). */
enum { CHUNK = 16 << 20 };

/* The number behind `key`, at the start of a line of `folder`/`name`. False: there is none. */
static bool read_number(const char *folder, const char *name, const char *key, uint64_t *number)
{
    char path[PATH_MAX], line[256];
    const size_t length = strlen(key);
    bool found = false;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, key, length) && sscanf(line + length, "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* What a control group leaves its processes: its limit without what is used, caches of files left
 * aside, which give way. */
static uint64_t left_in_group(const char *folder, const char *limit_name, const char *used_name)
{
    uint64_t limit, used, active = 0, inactive = 0;

    if (!read_number(folder, limit_name, "", &limit) || !read_number(folder, used_name, "", &used))
        return UINT64_MAX;
    read_number(folder, "memory.stat", "active_file ", &active);
    read_number(folder, "memory.stat", "inactive_file ", &inactive);
    used -= used < active + inactive ? used : active + inactive;
    return used < limit ? limit - used : 0;
}

/* The least that the group at `path` and those around it leave. */
static uint64_t left_in_groups(const char *mount, char *path, bool unified)
{
    char folder[PATH_MAX];
    uint64_t least = UINT64_MAX;

    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = '\0';
        snprintf(folder, sizeof folder, "%s%s", mount, path);
        const uint64_t left =
            unified ? left_in_group(folder, "memory.max", "memory.current")
                    : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes");
        least = left < least ? left : least;
    }
    return least;
}

/* A line of /proc/self/cgroup, "4:memory:/a/b" or, of version 2, "0::/a/b". */
static uint64_t left_by_line(const char *root, char *line)
{
    char mount[PATH_MAX];
    char *groups = strchr(line, ':');
    const bool unified = groups && !strncmp(groups, "::/", 3);

    line[strcspn(line, "\n")] = '\0';
    if (!unified && (!groups || strncmp(groups, ":memory:/", 9) != 0))
        return UINT64_MAX;
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, unified ? "" : "/memory");
    return left_in_groups(mount, strchr(groups, '/'), unified);
}

uint64_t host_memory(const char *root)
{
    char path[PATH_MAX], line[PATH_MAX];
    uint64_t kib, least = UINT64_MAX;

    snprintf(path, sizeof path, "%s/proc", root);
    if (read_number(path, "meminfo", "MemAvailable:", &kib))
        least = kib * 1024;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const uint64_t left = left_by_line(root, line);
        least = left < least ? left : least;
    }
    if (file)
        fclose(file);
    return least;
}

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
