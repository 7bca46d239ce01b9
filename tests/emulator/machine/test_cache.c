/* SPDX-License-Identifier: MIT */
/* Compiled kernels on disk: nothing is left of one that no process could be started for. */
#include "../../cmocka_main.h"
#include "../../temporary.h"
#include "machine/compile/compile.h"

#include <sys/resource.h>

TEST(test_no_process)
{
    char folder[TEMPORARY_PATH], path[CACHE_PATH_SIZE];
    struct rlimit before, one_more;

    assert_non_null(mkdtemp(temporary_name(folder)));
    snprintf(path, sizeof path, "%.200s/kernel.so", folder);
    /* The text can be opened, the two ends of a pipe cannot. */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = dup(0);
    close(next);
    one_more = (struct rlimit){(rlim_t)next + 1, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &one_more), 0);
    const int job = cache_compile("int unfinished;\n", path);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(job, -1);
    assert_int_equal(rmdir(folder), 0);
}

TEST_MAIN()
