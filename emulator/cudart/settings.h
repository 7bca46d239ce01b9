/* SPDX-License-Identifier: MIT */
/* The options of `emu`, which it passes to the runtime in the environment. */
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
    const char *gpus; /* EMU_GPUS: the folder with the descriptions */
    const char *gpu; /* EMU_GPU: the name of a description */
    int devices; /* EMU_DEVICES: how many, all alike */
    int workers; /* EMU_WORKERS: CPU threads; 0: as many as cores */
    struct schedule schedule; /* EMU_SCHEDULE: forward, reverse or random:SEED */
    enum kernel_engine engine; /* EMU_ENGINE: interpreter, background or compiled */
    bool scheduled; /* EMU_SCHEDULE is set */
    enum timing_model model; /* EMU_TIME: best, full or plain */
    bool sampling; /* EMU_SAMPLE is set */
    enum settings_profile profile; /* EMU_PROFILE: text, json or lines; unset: none */
    unsigned checks; /* EMU_CHECK: a set of enum check_kind; unset: none */
    unsigned break_on; /* EMU_BREAK_ON: race, fault or both; unset: never */
    int error_exitcode; /* EMU_ERROR_EXITCODE: the exit code after errors; -1: the program's own */
    const char *profile_file; /* EMU_PROFILE_FILE; NULL: stderr */
    const char *trace_file; /* EMU_TRACE, .html or .json; NULL: no trace */
    enum trace_format trace_format;
    int watched; /* EMU_WATCHED: the process that may prove to have no CUDA; 0: none */
    const char *progress_file; /* EMU_PROGRESS: the file of profile/progress.h; or NULL */
};

/* Read the environment; a variable that is not set has its default. On failure returns false
 * with one line in `error` (SETTINGS_ERROR_SIZE bytes) that names the option. The strings belong
 * to the environment. */
bool settings_read(struct settings *settings, char *error);

/* Read the description of the GPU that `settings` names. Fails like settings_read(). */
bool settings_gpu(const struct settings *settings, struct gpu *gpu, char *error);

/* The name of a GPU that takes PTX for `capability` (such as 90), which the caller frees; NULL
 * if there is none. */
char *settings_gpu_for(const struct settings *settings, int capability);

#endif
