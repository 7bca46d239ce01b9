/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static void read_back(FILE *file, char *text, size_t size)
{
    size_t length;

    rewind(file);
    length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
}

struct outcome run_child(int (*body)(void *data), void *data)
{
    struct outcome outcome;
    FILE *out = tmpfile(), *err = tmpfile();
    int status;
    pid_t child;

    assert_non_null(out);
    assert_non_null(err);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        exit(body(data));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_back(out, outcome.out, sizeof(outcome.out));
    read_back(err, outcome.err, sizeof(outcome.err));
    return outcome;
}

void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

void assert_one_line(const char *text, const char *part)
{
    const char *newline = strchr(text, '\n');

    assert_contains(text, part);
    if (!newline || newline[1])
        fail_msg("not one line: '%s'", text);
}

int setup_fake(void **state)
{
    (void)state;
    fake_reset();
    return 0;
}
