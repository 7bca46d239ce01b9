/* SPDX-License-Identifier: MIT */
#include "host_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
