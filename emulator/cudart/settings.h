/* SPDX-License-Identifier: MIT */
/* What `emu` tells the runtime of its options, through the environment. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "machine/machine.h"
#include "time/timing.h"
#include "trace/trace.h"

enum { SETTINGS_ERROR_SIZE = GPU_ERROR_SIZE };

enum settings_profile { PROFILE_NONE, PROFILE_TEXT, PROFILE_JSON, PROFILE_LINES };

/* When to stop in a debugger: a set of bits. */
enum settings_break { BREAK_RACE = 1, BREAK_FAULT = 2 };

struct settings {
    const char *gpus; /* EMU_GPUS: the folder of descriptions */
    const char *gpu; /* EMU_GPU: a name in it */
    int workers; /* EMU_WORKERS: CPU threads; 0: one a core */
    struct schedule schedule; /* EMU_SCHEDULE: forward, reverse or random:SEED */
    bool scheduled; /* it was given */
    enum timing_model model; /* EMU_TIME: best or plain */
    enum settings_profile profile; /* EMU_PROFILE: text, json or lines; unset: none */
    unsigned checks; /* EMU_CHECK: a set of enum check_kind; unset: none */
    unsigned break_on; /* EMU_BREAK_ON: race, fault or both; unset: never */
    int error_exitcode; /* EMU_ERROR_EXITCODE: where there are errors; -1: the program's own */
    const char *profile_file; /* EMU_PROFILE_FILE; NULL: stderr */
    const char *trace_file; /* EMU_TRACE, .html or .json; NULL: no trace */
    enum trace_format trace_format;
    const char *progress_file; /* EMU_PROGRESS: kept up to date (profile/progress.h); or NULL */
};

/* Read the environment; what is not set has its default. Returns false with one line in `error`
 * (SETTINGS_ERROR_SIZE bytes) that names the option. The strings are the environment's. */
bool settings_read(struct settings *settings, char *error);

/* The description of the GPU that `settings` name. Errors as above. */
bool settings_gpu(const struct settings *settings, struct gpu *gpu, char *error);

/* The name of a GPU that takes PTX for `capability` (as in 90), to be freed; NULL if none does. */
char *settings_gpu_for(const struct settings *settings, int capability);

#endif
