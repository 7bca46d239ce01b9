/* SPDX-License-Identifier: MIT */
/* The file that tells another process how far a launch is. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmocka_main.h"
#include "profile/progress.h"

/* Who looks while it is being made finds no file yet, not one whose bytes cannot be read. */
TEST(test_being_made)
{
    const int fd = memfd_create("progress", 0);
    char path[32];

    assert_true(fd >= 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_null(progress_map(path, false));
    struct progress_file *writes = progress_map(path, true);
    const struct progress_file *reads = progress_map(path, false);
    assert_non_null(writes);
    assert_non_null(reads);
    assert_int_equal(reads->launches, 0);
    writes->launches = 3;
    assert_int_equal(reads->launches, 3);
    assert_null(progress_map("/nonexistent/progress", false));
    munmap(writes, sizeof(*writes));
    munmap((void *)reads, sizeof(*reads));
    close(fd);
}

TEST_MAIN()
