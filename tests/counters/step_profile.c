/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "../cmocka_main.h"
#include "step_profile.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../temporary.h"

enum { PATH_SIZE = 4096 };

extern char **environ;

char *step_profile_text(const char *folder, const char *step, const char *n, const char *workers)
{
    char file[TEMPORARY_FILE], program[PATH_SIZE], profile[64];
    const int descriptor = temporary_file(file);
    pid_t child;
    int status;

    snprintf(program, sizeof(program), "%s/%s", folder, step);
    snprintf(profile, sizeof(profile), "--profile=json:%s", file);
    char *arguments[] = {EMU,      profile, "--workers", (char *)workers, program, "--n", (char *)n,
                         "--runs", "1",     NULL};
    assert_int_equal(posix_spawn(&child, EMU, NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);

    char *text = NULL;
    size_t room = 0;
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    assert_true(getdelim(&text, &room, '\0', in) > 0);
    fclose(in);
    close(descriptor);
    return text;
}

json_t *step_profile(const char *folder, const char *step, const char *name, const char *n,
                     const json_t **kernel)
{
    /* One worker: blocks run in order, and one that waits for another's word need not ask again. */
    char *text = step_profile_text(folder, step, n, "1");
    json_error_t error;
    json_t *profile = json_loads(text, 0, &error);

    assert_non_null(profile);
    free(text);
    const json_t *kernels = json_object_get(profile, "kernels");
    assert_int_equal(json_array_size(kernels), 1);
    *kernel = json_array_get(kernels, 0);
    assert_string_equal(json_string_value(json_object_get(*kernel, "name")), name);
    assert_int_equal(json_integer_value(json_object_get(*kernel, "launches")), 1);
    return profile;
}

double step_counter(const json_t *kernel, const char *key)
{
    const json_t *value = json_object_get(kernel, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}
