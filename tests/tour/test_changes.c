/* SPDX-License-Identifier: MIT */
/* The lines in which two sources differ. */
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "changes.h"
#include "temporary.h"
#include "text.h"

/* A file with `text`; its name goes to `path`. */
static int file_of(const char *text, char path[TEMPORARY_FILE])
{
    const int file = temporary_file(path);

    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    return file;
}

/* What changed from `a` to `b`, as a line each: "12+text"; what of it fits into `limit` lines, all
 * with 0, and how many of those that changed do not. */
static void expect_fit(const char *a, const char *b, int context, int limit, int left_out,
                       const char *wanted)
{
    static const char marks[] = {'=', '-', '+', '~'};
    char old[TEMPORARY_FILE], now[TEMPORARY_FILE];
    const int old_file = file_of(a, old), new_file = file_of(b, now);
    struct changes changes;
    char *text = copy_text("");

    assert_true(changes_read(old, now, context, &changes));
    if (limit > 0)
        assert_int_equal(changes_fit(&changes, limit), left_out);
    for (int i = 0; i < changes.count; i++) {
        const struct change *change = &changes.list[i];
        char *longer =
            text_format("%s%d%c%s\n", text, change->number, marks[change->kind], change->line);

        free(text);
        text = longer;
    }
    assert_string_equal(text, wanted);
    free(text);
    close(old_file);
    close(new_file);
}

static void expect_changes(const char *a, const char *b, int context, const char *wanted)
{
    expect_fit(a, b, context, 0, 0, wanted);
}

TEST(test_lines)
{
    expect_changes("a\nb\nc\n", "a\nx\nc\n", 1, "1=a\n2-b\n2+x\n3=c\n");
    expect_changes("a\nb\n", "a\nb\nc", 0, "1~\n3+c\n");
    expect_changes("a\nb\n", "b\n", 0, "1-a\n1~\n");
    expect_changes("", "a\n", 1, "1+a\n");
    expect_changes("", "", 1, "");
    expect_changes("a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", 1, "1~\n4=d\n5-e\n5+E\n");
    expect_changes("a\nb\nc\n", "a\nb\nC\n", -1, "1=a\n2=b\n3-c\n3+C\n");
}

/* Programs with the same code have no change, whatever their head comments say. */
TEST(test_head_comments)
{
    expect_changes("/* v1: one\n * thread\n */\n\ncode\n", "// v2\n// threads\ncode\n", 1, "3~\n");
    expect_changes("/* one */\ncode\n/* kept */\n", "/* two */\ncode\n/* new */\n", 0,
                   "2~\n3-/* kept */\n3+/* new */\n");
    expect_changes("/* never ends\n", "x\n", 0, "1+x\n");
}

/* A line that says something holds what is around it together, an empty one does not. */
TEST(test_lines_that_say_something)
{
    expect_changes("x\n\n\nsum += x;\n", "x\nsum += x;\n\n\n", -1,
                   "1=x\n2-\n3-\n2=sum += x;\n3+\n4+\n");
}

TEST(test_fit_to_print)
{
    expect_changes("a\n", "\033[1m\xff\n", 0, "1-a\n1+ [1m?\n");
}

/* What is equal goes first, then what says little; then runs are cut; then the host's code goes,
 * and what the GPU's code was. */
TEST(test_fit)
{
    static const char a[] = "x\n__global__ void k()\n{\n    a;\n    b;\n    c;\n}\ny\n";
    static const char b[] =
        "X\n__global__ void k()\n{\n    A;\n\n    // B\n    B;\n    C;\n    D;\n"
        "    E;\n}\nY\n";

    expect_fit("a\nb\nc\nd\n", "a\nB\nc\nD\n", 1, 6, 0, "1=a\n2-b\n2+B\n3=c\n4-d\n4+D\n");
    expect_fit("a\nb\nc\nd\n", "a\nB\nc\nD\n", 1, 5, 0, "2-b\n2+B\n4~\n4-d\n4+D\n");
    expect_fit(a, b, 1, 13, 2,
               "1-x\n1+X\n4-    a;\n5-    b;\n6-    c;\n4+    A;\n7+    B;\n8+    C;\n9+    D;\n"
               "10+    E;\n8-y\n12+Y\n");
    expect_fit(a, b, 1, 11, 4,
               "1-x\n1+X\n4-    a;\n5-    b;\n6-    c;\n4+    A;\n7+    B;\n8+    C;\n8-y\n12+Y\n");
    expect_fit(a, b, 1, 8, 7,
               "4-    a;\n5-    b;\n6-    c;\n4+    A;\n7+    B;\n8+    C;\n9+    D;\n");
    expect_fit(a, b, 1, 5, 10, "4+    A;\n7+    B;\n8+    C;\n9+    D;\n");
    expect_fit("a\nb\nc\nd\n", "A\nB\nC\nD\n", 1, 3, 6, "1-a\n2-b\n");
    expect_fit("a\n", "a\n", 1, 3, 0, "");
}

/* A prototype is no body, and a template belongs to what it is of. */
TEST(test_device_code)
{
    expect_fit(
        "1\n2\n3\n4\n",
        "__device__ int f(int);\nhost1\nhost2\nhost3\ntemplate <int N>\n__global__ void k()\n{\n"
        "    a;\n}\nhost4\n",
        1, 5, 10,
        "1+__device__ int f(int);\n5+template <int N>\n6+__global__ void k()\n8+    a;\n");
}

TEST(test_no_file)
{
    struct changes changes;
    char path[TEMPORARY_FILE];
    const int file = file_of("a\n", path);

    assert_false(changes_read(path, "/nowhere/at.cu", 1, &changes));
    assert_false(changes_read("/nowhere/at.cu", path, 1, &changes));
    close(file);
}

TEST_MAIN()
