/* SPDX-License-Identifier: MIT */
/* What is said when the program ends, be it by a signal. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "cudart/runtime.h"
#include "cudart/whole_file.h"
#include "profile/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 2 }; /* seconds, until a signal ends the program without a word */
static const double ASKED_ONCE = 0.1; /* seconds within which two signals are one */

volatile sig_atomic_t runtime_signal;

/* The counters as text, which the caller frees, and its length; NULL if there is no memory. */
static char *profile_text(const struct runtime *runtime, bool json, size_t *length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, length);

    if (!file)
        return NULL;
    for (int i = 0; runtime->lines && i < runtime->device_count; i++) {
        if (runtime->device_count > 1)
            fprintf(file, "device %d\n", i);
        lines_print(runtime->devices[i].lines, file);
    }
    if (!runtime->lines)
        profile_print(runtime->devices->profile, file, json);
    if (fclose(file)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Write to `path`, or to stderr if that is NULL. Returns 0 or the number of the error. */
static int write_text(const char *path, const char *text, size_t length)
{
    FILE *file = path ? fopen(path, "w") : stderr;
    int error = 0;

    if (!file)
        return errno;
    if (fwrite(text, 1, length, file) != length || fflush(file))
        error = errno;
    if (path && fclose(file) && !error)
        error = errno;
    return error;
}

bool runtime_print_profile(const struct runtime *runtime)
{
    const struct settings *settings = &runtime->settings;
    size_t length;

    char *text = profile_text(runtime, settings->profile == PROFILE_JSON, &length);
    fflush(stdout);
    const int error = text ? write_text(settings->profile_file, text, length) : ENOMEM;
    free(text);
    if (error)
        runtime_say("--profile: cannot write %s: %s",
                    settings->profile_file ? settings->profile_file : "to stderr", strerror(error));
    return !error;
}

bool runtime_write_trace(const struct runtime *runtime)
{
    const struct settings *settings = &runtime->settings;
    size_t length;

    char *text =
        trace_text(runtime->trace, settings->trace_format, program_invocation_short_name, &length);
    const int error = text ? write_whole(settings->trace_file, text, length) : ENOMEM;
    free(text);
    if (error)
        runtime_say("--trace: cannot write %s: %s", settings->trace_file, strerror(error));
    return !error;
}

/* Has a kernel of any device faulted? */
static bool any_sticky(const struct runtime *runtime)
{
    bool any = false;

    for (int i = 0; i < runtime->device_count; i++)
        any |= runtime->devices[i].sticky != cudaSuccess;
    return any;
}

bool runtime_print_checks(const struct runtime *runtime, size_t *count)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return false;
    clearerr(stderr);
    *count += checks_finish(runtime->checks, any_sticky(runtime), file);
    fclose(file);
    runtime_say_lines(text);
    free(text);
    return !fflush(stderr) && !ferror(stderr);
}

/* --- Interrupts ------------------------------------------------------------------------------- */

double runtime_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void end_by_signal(int number)
{
    sigset_t mask;

    signal(number, SIG_DFL);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
}

void runtime_interrupted(struct runtime *runtime, const char *where, double seconds)
{
    size_t wrong = 0;

    alarm(PATIENCE);
    if (where)
        runtime_say("%s: ended by signal %d after %.1f s", where, (int)runtime_signal, seconds);
    else
        runtime_say("ended by signal %d while no kernel ran", (int)runtime_signal);
    runtime->device->sticky = cudaErrorLaunchFailure; /* so that memory not freed yet is no leak */
    if (runtime->checks)
        runtime_print_checks(runtime, &wrong);
    if (runtime->profile || runtime->lines)
        runtime_print_profile(runtime);
    end_by_signal((int)runtime_signal);
    _exit(128 + (int)runtime_signal);
}

/* What a call under way cannot stop at has kept us waiting. */
static void give_up(int number)
{
    (void)number;
    end_by_signal((int)runtime_signal);
}

/* The program's own process says something, unless it is asked twice; timeout(1), which sends a
 * signal to its program and to the group, has asked once. A call under way ends soon, as a kernel
 * does that notices; where there is none, nobody else would say it. */
static void on_interrupt(int number)
{
    static double asked;

    if (runtime_signal && runtime_seconds() < asked + ASKED_ONCE)
        return;
    if (runtime_signal || !runtime_reports()) {
        end_by_signal(number);
        return;
    }
    asked = runtime_seconds();
    runtime_signal = number;
    signal(SIGALRM, give_up);
    alarm(PATIENCE);
    if (pthread_mutex_trylock(&runtime_now()->lock) == 0)
        runtime_interrupted(runtime_now(), NULL, 0);
}

void runtime_watch_signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGALRM}; /* the last is of --timeout */

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        void (*const before)(int) = signal(numbers[i], on_interrupt);
        if (before != SIG_DFL)
            signal(numbers[i], before);
    }
}

void runtime_watch_progress(struct runtime *runtime)
{
    struct progress_file *file = progress_map(runtime->settings.progress_file, true);
    const struct observer observer = progress_observer(file);

    if (file)
        machine_observe(runtime->machine, &observer);
}
