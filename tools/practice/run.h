/* SPDX-License-Identifier: MIT */
/* One run of a submission: what trial.c, results.c and judge.c share. */
#ifndef RUN_H
#define RUN_H

#include "check/check.h"
#include "goal.h"
#include "grading.h"
#include "machine/machine.h"
#include "picture.h"
#include "rng.h"

enum { MAX_BUFFERS = 16, MAX_MEMORY = 100, ERROR_SIZE = 1024 };

/* Who wrote a byte last. */
struct writer {
    const struct ptx_instr *instr; /* NULL: nobody */
    struct dim block, thread;
};

struct array {
    const char *name;
    uint64_t address;
    size_t size; /* bytes */
    size_t element;
    bool poisoned; /* an output: what nobody writes in it says nothing */
    void *before; /* what an input must still hold; NULL: it may change */
    struct writer *writers; /* one for each element */
    size_t row; /* elements of a row; 0: it has none */
};

/* One trial, with the device it runs on. */
struct run {
    struct trial trial; /* what the check sees */
    const struct grading *grading;
    const char *ptx;
    int fd; /* for the verdict */
    const char *way; /* "in reverse" */
    struct gpu gpu;
    struct rng rng;
    struct machine *machine;
    struct program *program;
    const struct ptx_module *module;
    struct checks *checks;
    struct profile *profile;
    struct array arrays[MAX_BUFFERS];
    int array_count;
    void *memory[MAX_MEMORY];
    int memory_count;
    uint64_t instructions, most_instructions; /* executed by this launch, and allowed */
    char *sizes; /* what it was called with: "rows = 20, columns = 40"; NULL: nothing yet */
    struct picture picture; /* of what a prediction is about */
    uint64_t launches;
    char *prediction; /* what is to be said of it so far */
    char *counted; /* what is to be said of a wrong one when all else is right, or NULL */
    bool predicted;
};

/* The verdict, with lines on it: ends the process. */
__attribute__((noreturn)) void run_finish(const struct run *run, enum verdict_kind kind,
                                          char *text);
/* The same, behind them the sizes and the order of blocks and warps. */
__attribute__((noreturn)) void run_stop(const struct run *run, enum verdict_kind kind,
                                        const char *text);
/* The check, not the submission, is wrong. */
__attribute__((noreturn, format(printf, 2, 3))) void run_broken(const struct run *run,
                                                                const char *format, ...);

/* The array that an address lies in, or NULL; and as people say it who wrote an element. */
struct array *run_array(struct run *run, uint64_t address);
char *run_writer(const struct run *run, const struct writer *writer);

/* judge.c: adds a line for each goal to `*text`; returns whether all are met. */
bool judge_goals(const struct run *run, char *const *goals, int count, const struct counts *counts,
                 char **text);
/* judge.c: compares the prediction of the submission with what was counted. */
void judge_prediction(struct run *run, const struct counts *counts);

#endif
