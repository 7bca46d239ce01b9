/* SPDX-License-Identifier: MIT */
/* What became of a submission. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <jansson.h>

/* X(id, name, what it says in a line) */
#define VERDICTS(X)                                                          \
    X(PASSED, "passed", "passed")                                            \
    X(COMPILE, "compile", "it does not compile")                             \
    X(FILE, "file", "it is no regular file")                                 \
    X(INCLUDE, "include", "it includes what it must not")                    \
    X(KERNEL, "kernel", "the kernel is not there, or takes other arguments") \
    X(FAULT, "fault", "the kernel stopped")                                  \
    X(TIME, "time", "the kernel does not end")                               \
    X(INSTRUCTIONS, "instructions", "too many instructions")                 \
    X(SPACE, "space", "it takes more memory or files than it may")           \
    X(MEMORY, "memory", "a bad address")                                     \
    X(RACE, "race", "a race")                                                \
    X(SYNC, "sync", "a barrier or a mask misused")                           \
    X(INIT, "init", "memory read that nobody wrote")                         \
    X(RESULT, "result", "wrong result")                                      \
    X(GOAL, "goal", "right result, goal missed")                             \
    X(PREDICTION, "prediction", "all but the prediction")                    \
    X(MISSING, "missing", "there is no such file")                           \
    X(BROKEN, "broken", "the grader could not grade it")

enum verdict_kind {
#define X(id, name, words) VERDICT_##id,
    VERDICTS(X)
#undef X
        VERDICT_COUNT,
};

const char *verdict_name(enum verdict_kind kind);
const char *verdict_words(enum verdict_kind kind);
/* VERDICT_COUNT for a name that is none. */
enum verdict_kind verdict_find(const char *name);

struct verdict {
    enum verdict_kind kind;
    char *text; /* more on it: lines, each ended; may be empty */
    char *printed; /* what the kernels printed; may be empty */
    char *
        prediction; /* what is to be said of the prediction: a line without its end; may be empty */
    bool predicted; /* rightly */
};

/* One with no word of kernels or predictions. */
struct verdict verdict_of(enum verdict_kind kind, char *text);

/* As JSON: {"verdict": NAME, "text": ..., "printed": ..., "prediction": ..., "predicted": ...}. */
json_t *verdict_json(const struct verdict *verdict);
/* Of what verdict_json made; VERDICT_BROKEN for anything else. */
struct verdict verdict_from_json(const json_t *json);

#endif
