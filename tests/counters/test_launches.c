/* SPDX-License-Identifier: MIT */
/* test_launches [-clu] [-s BYTES] [-e EMU] PROGRAM [ARGUMENT...]: a step launches what it says.
 *
 * The step runs RUNS times. With EMU, on the emulator, its grid, block, shared memory, times and
 * clock cycles are held against the profile of the emulator; without, on a GPU, against each other.
 * With -c there must be clock cycles; with -l the step is a library's, whose grid nobody knows;
 * with -u the step measures no times. With -s there is one kernel, with BYTES of static shared
 * memory, and the step must report the rest of a block's, the dynamic one.
 * Prints a line for each fault and exits with 1 if there is any; else with the step's own code.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <jansson.h>

#include "../temporary.h"

enum {
    RUNS = 3,
    WHOLE_RUNS = 1, /* a further launch of a step that reports total_ms */
    MAX_ARGUMENTS = 32,
};

/* Of emulator/gpus/default.txt, which every run has that names no GPU, and of its launches. */
static const double clock_khz = 1590000, launch_ms = 0.006;

/* A memset that belongs to the step's launch, and the event behind its kernel, take no longer. */
static const double memset_ms = 0.006;

extern char **environ;

static int faults;

static void expect(bool holds, const char *what, double found, double expected)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %.9g, which should be about %.9g\n", what, found, expected);
    faults++;
}

/* Run `arguments` with stdout to `file`. Returns the exit code. */
static int run(char **arguments, const char *file)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY | O_TRUNC, 0);
    if (posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) ||
        waitpid(child, &status, 0) != child) {
        perror(arguments[0]);
        exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static json_t *load(const char *file)
{
    json_error_t error;
    json_t *object = json_load_file(file, 0, &error);

    if (!object) {
        fprintf(stderr, "%s: %s\n", file, error.text);
        exit(1);
    }
    return object;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value)   ? strtod(json_string_value(value), NULL)
           : json_is_number(value) ? json_number_value(value)
                                   : NAN;
}

/* The only kernel of the profile; NULL where there are several. */
static const json_t *only_kernel(const json_t *profile)
{
    const json_t *kernels = json_object_get(profile, "kernels");

    return json_array_size(kernels) == 1 ? json_array_get(kernels, 0) : NULL;
}

/* RUNS times, all taken, in order. */
static void check_times(const json_t *report)
{
    const json_t *ms = json_object_get(report, "ms");
    const double min = number(ms, "min"), median = number(ms, "median"), max = number(ms, "max");

    expect(number(report, "runs") == RUNS, "runs", number(report, "runs"), RUNS);
    expect(min > 0, "shortest time in ms", min, 1);
    expect(min <= median, "median time in ms", median, min);
    expect(median <= max, "longest time in ms", max, median);
}

/* In the kernel's own clock nothing is longer than the launch, and not much shorter: a step that
 * asks one warp of many misses what the others do when that one is done. */
static void check_cycles(const json_t *report)
{
    const double launch = number(json_object_get(report, "ms"), "median") * clock_khz;
    const double cycles = number(report, "cycles"), span = number(report, "span_cycles");
    const double longest = isnan(span) ? cycles : span;

    if (isnan(cycles))
        return;
    expect(cycles > 0, "cycles", cycles, launch);
    expect(longest <= launch, "cycles", longest, launch);
    expect(longest >= (launch - launch_ms * clock_khz) / 2, "cycles", longest, launch);
    if (!isnan(span))
        expect(cycles <= span, "cycles of one block", cycles, span);
}

static void check_shape(const json_t *report, const json_t *kernel)
{
    static const char *const keys[] = {"grid", "block"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const json_t *said = json_object_get(report, keys[i]);
        const json_t *made = json_object_get(kernel, keys[i]);

        expect(json_equal(said, made), keys[i], json_number_value(json_array_get(said, 0)),
               json_number_value(json_array_get(made, 0)));
    }
}

static void check_launch(const json_t *report, const json_t *kernel, bool untimed)
{
    const bool whole = json_is_number(json_object_get(report, "total_ms"));
    const double launches = RUNS + (whole ? WHOLE_RUNS : 0);
    const json_t *ms = json_object_get(report, "ms");
    const double min = number(ms, "min"), max = number(ms, "max");
    const double modelled = number(kernel, "modelled_ms") / number(kernel, "launches");

    expect(number(kernel, "launches") == launches, "launches", number(kernel, "launches"),
           launches);
    check_shape(report, kernel);
    if (untimed)
        return;
    expect(min <= modelled + memset_ms, "shortest time in ms", min, modelled);
    expect(max >= modelled * (1 - 1e-5), "longest time in ms", max, modelled);
}

/* A profile does not tell static shared memory from dynamic; a step reports the dynamic one. */
static void check_shared(const json_t *report, const json_t *kernel, double fixed)
{
    const double said = number(report, "shared_bytes"), made = number(kernel, "shared_bytes");

    expect(said == made - fixed, "dynamic shared memory in bytes", said, made - fixed);
}

int main(int argc, char **argv)
{
    char report_file[TEMPORARY_FILE], profile_file[TEMPORARY_FILE];
    char *arguments[MAX_ARGUMENTS], option[64], *emulator = NULL;
    bool clocked = false, library = false, untimed = false;
    double fixed = NAN;
    int count = 0, letter, code;

    while ((letter = getopt(argc, argv, "+clus:e:")) != -1) {
        if (letter == 'c')
            clocked = true;
        else if (letter == 'l')
            library = true;
        else if (letter == 'u')
            untimed = true;
        else if (letter == 's')
            fixed = strtod(optarg, NULL);
        else if (letter == 'e')
            emulator = optarg;
        else
            return 2;
    }
    if (optind >= argc || argc + 9 > MAX_ARGUMENTS) {
        fprintf(stderr, "usage: test_launches [-clu] [-s BYTES] [-e EMU] PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    temporary_file(report_file);
    if (emulator) {
        temporary_file(profile_file);
        snprintf(option, sizeof(option), "--profile=json:%s", profile_file);
        arguments[count++] = emulator;
        arguments[count++] = option;
    }
    for (int i = optind; i < argc; i++)
        arguments[count++] = argv[i];
    arguments[count++] = "--runs";
    arguments[count++] = "3"; /* RUNS */
    arguments[count++] = "--json";
    arguments[count] = NULL;
    code = run(arguments, report_file);
    if (code)
        return code;

    json_t *report = load(report_file);

    if (!untimed)
        check_times(report);
    if (clocked)
        expect(number(report, "cycles") > 0, "cycles", number(report, "cycles"), 1);
    if (emulator) {
        json_t *profile = load(profile_file);
        const json_t *kernel = only_kernel(profile);

        check_cycles(report);
        if (kernel && !library)
            check_launch(report, kernel, untimed);
        if (!isnan(fixed))
            check_shared(report, kernel, fixed);
        json_decref(profile);
    }
    json_decref(report);
    return faults ? 1 : 0;
}
