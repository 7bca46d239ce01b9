/* SPDX-License-Identifier: MIT */
/* The file that tells another process how far a launch is. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmocka_main.h"
#include "profile/progress.h"

/* Who looks while it is being made finds no file yet, not one whose bytes cannot be read. */
static void test_being_made(void **state)
{
    const int fd = memfd_create("progress", 0);
    char path[32];

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_being_made)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
