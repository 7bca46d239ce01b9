/* SPDX-License-Identifier: MIT */
/* What `emu --profile=json` says of a step, for tests under cmocka: whatever goes wrong fails the
 * test. */
#ifndef STEP_PROFILE_H
#define STEP_PROFILE_H

#include <jansson.h>

/* Run the step `step` in folder `folder` on the emulator with --n `n` and `workers` workers ("0":
 * one a core), to a match. Returns the profile's text, to be freed. */
char *step_profile_text(const char *folder, const char *step, const char *n, const char *workers);

/* The profile of a step under one worker, so that its counters do not vary, to be released with
 * json_decref, and in it the step's one kernel, `name`, which it launches once. */
json_t *step_profile(const char *folder, const char *step, const char *name, const char *n,
                     const json_t **kernel);

/* The counter `key` of a kernel. */
double step_counter(const json_t *kernel, const char *key);

#endif
