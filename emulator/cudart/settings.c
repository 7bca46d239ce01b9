/* SPDX-License-Identifier: MIT */
/* Reads the options that `emu` passes to the runtime. */
#include "cudart/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

enum { MAX_WORKERS = 1024 };

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

/* Reads a non-negative integer, decimal or, after 0x, hexadecimal. Nothing may follow it. */
static bool read_number(const char *text, uint64_t max, uint64_t *number)
{
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;

    errno = 0;
    *number = strtoull(text, &end, hexadecimal ? 16 : 10); /* 010 is ten, not eight */
    return *text >= '0' && *text <= '9' && !*end && !errno && *number <= max;
}

static bool read_workers(const char *text, int *workers, char *error)
{
    uint64_t number;

    if (!read_number(text, MAX_WORKERS, &number)) {
        snprintf(error, SETTINGS_ERROR_SIZE, "--workers: '%.100s' is not a number from 0 to %d",
                 text, MAX_WORKERS);
        return false;
    }
    *workers = (int)number;
    return true;
}

static bool read_devices(const char *text, int *devices, char *error)
{
    uint64_t number;

    if (!read_number(text, MACHINES_MOST, &number) || number == 0) {
        snprintf(error, SETTINGS_ERROR_SIZE, "--devices: '%.100s' is not a number from 1 to %d",
                 text, MACHINES_MOST);
        return false;
    }
    *devices = (int)number;
    return true;
}

static bool read_schedule(const char *text, struct schedule *schedule, char *error)
{
    static const char random[] = "random:";

    *schedule = (struct schedule){SCHEDULE_FORWARD, 0};
    if (!strcmp(text, "forward"))
        return true;
    if (!strcmp(text, "reverse")) {
        schedule->kind = SCHEDULE_REVERSE;
        return true;
    }
    if (!strncmp(text, random, strlen(random)) &&
        read_number(text + strlen(random), UINT64_MAX, &schedule->seed)) {
        schedule->kind = SCHEDULE_RANDOM;
        return true;
    }
    snprintf(error, SETTINGS_ERROR_SIZE,
             "--schedule: '%.100s' is none of forward, reverse, random:SEED", text);
    return false;
}

static bool read_model(const char *text, enum timing_model *model, char *error)
{
    static const char *const names[] = {
        [TIMING_BEST] = "best", [TIMING_PLAIN] = "plain", [TIMING_FULL] = "full"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(text, names[i])) {
            *model = (enum timing_model)i;
            return true;
        }
    snprintf(error, SETTINGS_ERROR_SIZE, "--time: '%.100s' is none of best, plain, full", text);
    return false;
}

static bool read_engine(const char *text, enum kernel_engine *engine, char *error)
{
    static const char *const names[] = {[ENGINE_INTERPRETER] = "interpreter",
                                        [ENGINE_BACKGROUND] = "background",
                                        [ENGINE_COMPILED] = "compiled"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(text, names[i])) {
            *engine = (enum kernel_engine)i;
            return true;
        }
    snprintf(error, SETTINGS_ERROR_SIZE,
             "--engine: '%.100s' is none of interpreter, background, compiled", text);
    return false;
}

static bool read_profile(const char *text, enum settings_profile *profile, char *error)
{
    *profile = PROFILE_NONE;
    if (!text)
        return true;
    if (!strcmp(text, "text"))
        *profile = PROFILE_TEXT;
    else if (!strcmp(text, "json"))
        *profile = PROFILE_JSON;
    else if (!strcmp(text, "lines"))
        *profile = PROFILE_LINES;
    else
        snprintf(error, SETTINGS_ERROR_SIZE, "--profile: '%.100s' is neither text, json nor lines",
                 text);
    return *profile != PROFILE_NONE;
}

/* The name of the file decides on the format. */
static bool read_trace(struct settings *settings, char *error)
{
    const char *file = settings->trace_file;
    const char *suffix = file ? strrchr(file, '.') : NULL;

    settings->trace_format = suffix && !strcmp(suffix, ".json") ? TRACE_EVENTS : TRACE_PAGE;
    if (file && settings->devices > 1) {
        snprintf(error, SETTINGS_ERROR_SIZE,
                 "--trace draws one device, not %d: leave out --devices", settings->devices);
        return false;
    }
    if (!file || (suffix && (!strcmp(suffix, ".json") || !strcmp(suffix, ".html"))))
        return true;
    snprintf(error, SETTINGS_ERROR_SIZE, "--trace: '%.100s' ends neither in .html nor in .json",
             file);
    return false;
}

static bool read_checks(const char *text, unsigned *checks, char *error)
{
    *checks = text ? checks_parse(text, error, SETTINGS_ERROR_SIZE) : 0;
    return !text || *checks;
}

static bool read_exitcode(const char *text, int *code, char *error)
{
    uint64_t number = 0;

    if (text && !read_number(text, 255, &number)) {
        snprintf(error, SETTINGS_ERROR_SIZE,
                 "--error-exitcode: '%.100s' is not a number from 0 to 255", text);
        return false;
    }
    *code = text ? (int)number : -1;
    return true;
}

/* Reads "race", "fault", or both with a comma between them. */
static bool read_break(const char *text, unsigned *set, char *error)
{
    *set = 0;
    for (const char *word = text; word; word = strchr(word, ',')) {
        word += *word == ',';
        const size_t length = strcspn(word, ",");
        if (length == 4 && !strncmp(word, "race", length)) {
            *set |= BREAK_RACE;
        } else if (length == 5 && !strncmp(word, "fault", length)) {
            *set |= BREAK_FAULT;
        } else {
            snprintf(error, SETTINGS_ERROR_SIZE, "--break-on: '%.100s' is neither race nor fault",
                     text);
            return false;
        }
    }
    return true;
}

/* Where not all blocks run, there is nothing to check or to draw, and only some models can tell. */
static bool read_sampling(const struct settings *settings, char *error)
{
    const char *other = settings->checks                     ? "--check"
                        : settings->trace_file               ? "--trace"
                        : settings->profile == PROFILE_LINES ? "--profile=lines"
                        : settings->model != TIMING_BEST     ? "--time"
                                                             : NULL;

    if (settings->sampling && other)
        snprintf(error, SETTINGS_ERROR_SIZE, "--sample does not go with %s", other);
    return !settings->sampling || !other;
}

bool settings_read(struct settings *settings, char *error)
{
    *settings = (struct settings){
        .gpus = setting("EMU_GPUS", EMU_GPUS),
        .gpu = setting("EMU_GPU", "default"),
        .scheduled = setting("EMU_SCHEDULE", NULL) != NULL,
        .sampling = setting("EMU_SAMPLE", NULL) != NULL,
        .profile_file = setting("EMU_PROFILE_FILE", NULL),
        .trace_file = setting("EMU_TRACE", NULL),
        .watched = atoi(setting("EMU_WATCHED", "0")),
        .progress_file = setting("EMU_PROGRESS", NULL),
    };
    return read_devices(setting("EMU_DEVICES", "1"), &settings->devices, error) &&
           read_workers(setting("EMU_WORKERS", "0"), &settings->workers, error) &&
           read_schedule(setting("EMU_SCHEDULE", "forward"), &settings->schedule, error) &&
           read_engine(setting("EMU_ENGINE", "background"), &settings->engine, error) &&
           read_model(setting("EMU_TIME", "best"), &settings->model, error) &&
           read_profile(setting("EMU_PROFILE", NULL), &settings->profile, error) &&
           read_trace(settings, error) &&
           read_checks(setting("EMU_CHECK", NULL), &settings->checks, error) &&
           read_sampling(settings, error) &&
           read_break(setting("EMU_BREAK_ON", NULL), &settings->break_on, error) &&
           read_exitcode(setting("EMU_ERROR_EXITCODE", NULL), &settings->error_exitcode, error);
}

bool settings_gpu(const struct settings *settings, struct gpu *gpu, char *error)
{
    return gpu_read(settings->gpus, settings->gpu, gpu, error);
}

char *settings_gpu_for(const struct settings *settings, int capability)
{
    char error[GPU_ERROR_SIZE];
    char *names = gpu_list(settings->gpus, error);
    char *found = NULL, *rest;
    struct gpu gpu;

    for (char *name = names ? strtok_r(names, " ", &rest) : NULL; name && !found;
         name = strtok_r(NULL, " ", &rest))
        if (gpu_read(settings->gpus, name, &gpu, error) && 10 * gpu.major + gpu.minor >= capability)
            found = strdup(name);
    free(names);
    return found;
}
