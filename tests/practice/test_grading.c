/* SPDX-License-Identifier: MIT */
/* What the end of a submission's process says, and when our own solution is compiled again. The
 * compiler and the trials are stand-ins, to which the test's grading.c is compiled. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cmocka_main.h"
#include "files.h"
#include "grading.h"
#include "text.h"

static int own_compiled; /* how often our own solution was */
static int ends_with; /* signal, or the negative of an exit code */

char *compile_ptx(const char *source, const char *shown, int capability, enum trust trust,
                  const char *scratch, struct verdict *verdict)
{
    (void)source;
    (void)capability;
    (void)scratch;
    (void)verdict;
    own_compiled += trust == TRUST_OWN && strstr(shown, "solution.cu");
    return copy_text("// ptx");
}

void trials_run(const struct grading *grading, const char *ptx, const char *predicted, int fd)
{
    (void)grading;
    (void)ptx;
    (void)predicted;
    (void)fd;
    if (ends_with > 0)
        raise(ends_with);
    _exit(-ends_with);
}

/* A puzzle with a kernel that a prediction is about. */
static const struct puzzle_entry *predicted_puzzle(void)
{
    for (int i = 0; i < puzzle_count; i++)
        if (puzzle_table[i].puzzle->predict)
            return &puzzle_table[i];
    fail_msg("no puzzle has one");
    return NULL;
}

static struct verdict grade_it(void)
{
    const struct grading grading = {
        .entry = predicted_puzzle(), .source = "", .shown = "/nowhere/mine.cu", .scratch = "."};

    return grade(&grading);
}

TEST(test_ends)
{
    static const struct {
        int end;
        enum verdict_kind kind;
        const char *text;
    } ends[] = {
        {SIGXCPU, VERDICT_TIME, "it took more than 30 seconds"},
        {SIGXFSZ, VERDICT_SPACE, "printed more than"},
        {SIGKILL, VERDICT_BROKEN, "died of signal 9"},
        {-3, VERDICT_SPACE, "ended with code 3"},
    };

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        ends_with = ends[i].end;
        struct verdict verdict = grade_it();
        assert_string_equal(verdict_name(verdict.kind), verdict_name(ends[i].kind));
        assert_non_null(strstr(verdict.text, ends[i].text));
    }
}

static void set_time(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Once it is kept, not again, until the solution is newer. */
TEST(test_own_solution)
{
    const char *name = predicted_puzzle()->name;
    char *source = text_format(PUZZLES "/%s/solution.cu", name);
    char *kept = text_format(KEPT "/%s.ptx", name);
    struct stat status;

    assert_int_equal(stat(source, &status), 0);
    unlink(kept);
    ends_with = -3;
    for (int round = 0; round < 4; round++) {
        own_compiled = 0;
        if (round == 2)
            set_time(kept, status.st_mtime - 1);
        grade_it();
        assert_int_equal(own_compiled, round == 0 || round == 2);
    }
    free(source);
    free(kept);
}

TEST_MAIN()
