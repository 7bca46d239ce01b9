/* SPDX-License-Identifier: MIT */
/* host_memory.c, on hosts that are folders. */
#define _GNU_SOURCE /* nftw */
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "unit.h"
#include "../temporary.h"
#include "host_memory.h"

/* Write `text` into a file below `root`, whose folders are made. */
static void put(const char *root, const char *name, const char *text)
{
    char path[TEMPORARY_PATH + 256];

    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
    (void)status;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void remove_all(const char *root)
{
    assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* A host with 8 GiB, and no groups yet. */
static char *new_host(char root[TEMPORARY_PATH])
{
    assert_non_null(mkdtemp(temporary_name(root)));
    assert_int_equal(host_memory(root), UINT64_MAX);
    put(root, "proc/meminfo", "MemTotal:  9 kB\nMemAvailable:    8388608 kB\nMapped: 7 kB\n");
    return root;
}

/* Of a group and those around it the one that leaves least counts; what files' caches take gives
 * way; "max" is no limit. */
TEST(test_groups_of_version_2)
{
    char root[TEMPORARY_PATH];

    new_host(root);
    put(root, "proc/self/cgroup", "0::/user/job:1\n");
    assert_int_equal(host_memory(root), (uint64_t)8 << 30);
    put(root, "sys/fs/cgroup/user/job:1/memory.max", "max\n");
    put(root, "sys/fs/cgroup/user/job:1/memory.current", "4096\n");
    assert_int_equal(host_memory(root), (uint64_t)8 << 30);
    put(root, "sys/fs/cgroup/user/memory.max", "1000000\n");
    put(root, "sys/fs/cgroup/user/memory.current", "700000\n");
    assert_int_equal(host_memory(root), 300000);
    put(root, "sys/fs/cgroup/user/memory.stat",
        "anon 400000\nfile 300000\ninactive_file 100000\nactive_file 50000\n");
    assert_int_equal(host_memory(root), 450000);
    put(root, "sys/fs/cgroup/user/job:1/memory.max", "5000\n");
    assert_int_equal(host_memory(root), 904);
    put(root, "sys/fs/cgroup/user/job:1/memory.max", "4000\n");
    assert_int_equal(host_memory(root), 0);
    remove_all(root);
}

/* A container of version 1 may see its own group as the outermost. */
TEST(test_groups_of_version_1)
{
    char root[TEMPORARY_PATH];

    new_host(root);
    put(root, "proc/self/cgroup", "3:cpuset:/\n2:memory:/docker/0123\n0::/\n");
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
    assert_int_equal(host_memory(root), (uint64_t)8 << 30);
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
    assert_int_equal(host_memory(root), 4000);
    put(root, "sys/fs/cgroup/memory/docker/0123/memory.limit_in_bytes", "9000\n");
    put(root, "sys/fs/cgroup/memory/docker/0123/memory.usage_in_bytes", "6000\n");
    assert_int_equal(host_memory(root), 3000);
    remove_all(root);
}

TEST_MAIN()
