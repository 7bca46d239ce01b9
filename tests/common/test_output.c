/* SPDX-License-Identifier: MIT */
/* output.c: what somebody else wrote is not written over. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "output.h"

static const char name[] = "output_file";

static bool may_replace(const char *text)
{
    FILE *file = fopen(name, "w");
    bool may;

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    may = output_may_replace(name);
    assert_int_equal(unlink(name), 0);
    return may;
}

TEST(test_contents)
{
    static const char *const ours[] = {
        "", "{\"device\"", "<!doctype html>\n", "<?xml version", "profile on T4", "student,passed"};
    static const char *const others[] = {"#include <stdio.h>\n",
                                         "__global__ void f() {}",
                                         "\n{",
                                         "<p align=center>",
                                         "profiles",
                                         "[1]",
                                         "\x7f"
                                         "ELF",
                                         "p"};

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        assert_true(may_replace(ours[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(may_replace(others[i]));
}

TEST(test_other_files)
{
    assert_true(output_may_replace("output_file"));
    assert_true(output_may_replace("/nowhere/file"));
    assert_true(output_may_replace("/dev/null"));
    assert_true(output_may_replace("."));
}

/* What cannot be read may be anything. */
TEST(test_unreadable)
{
    if (geteuid() == 0)
        skip();
    assert_int_equal(fclose(fopen(name, "w")), 0);
    assert_int_equal(truncate(name, 1), 0);
    assert_int_equal(chmod(name, S_IWUSR), 0);
    assert_false(output_may_replace(name));
    assert_int_equal(unlink(name), 0);
}

TEST_MAIN()
