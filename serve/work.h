/* SPDX-License-Identifier: MIT */
/* One piece of work for the page, in a process of its own: a puzzle graded, a step or program run.
 *
 * The worker reads one JSON object and writes events, a line of JSON each; the last of them is
 * "verdict", "result", "ladder" or "failed"; "stopped" is for the server's log. It works in a cell
 * (tools/practice/cell.h) where the system allows one. It frees nothing: it is over soon. */
#ifndef WORK_H
#define WORK_H

#include <jansson.h>

#include "child.h"
#include "practice.h"
#include "translate.h"

/* The machine's own GPU, by a name beside those of the emulated ones. A driver is no sandbox: what
 * runs there is ours alone, a step as it is, with numbers for its sizes. */
#define OWN_GPU "own"

struct work {
    const json_t *request;
    enum language language;
    bool confined; /* in a cell: a stranger's host code may run */
    char *folder; /* where files may be written */
    struct practice practice; /* build, checkout, gpu */
};

/* Text at `key` of the request, or "". */
const char *work_text(const struct work *work, const char *key);
bool work_flag(const struct work *work, const char *key);

/* Write an event, which this frees. */
void work_emit(json_t *event);
void work_phase(const char *phase);
/* The end: why there is no result, in the person's language. */
void work_fail(const struct work *work, const char *english);

/* What nvcc, emu or the grader said, line by line in the person's language, without the emulator's
 * mark; and which lines of the file `name` it is about: [{line, text}]. */
char *work_say(const struct work *work, const char *text);
json_t *work_marks(const struct work *work, const char *text, const char *name);

/* Run a program in the cell within limits, and say how far it is. `own`: a stranger's, which gets
 * no rights. */
struct child work_child(char *const argv[], bool own);

/* Does the work, with its last event. */
void work_grade(struct work *work);
void work_run(struct work *work);
void work_ladder(struct work *work);

#endif
