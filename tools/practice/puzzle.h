/* SPDX-License-Identifier: MIT */
/* What a puzzle's check.c is written in: plain C that prepares the inputs, launches the kernel of a
 * submission as any host program would, and computes what should have come out.
 *
 * A check defines one THIS_PUZZLE. Its trial function runs once for every size, under several
 * orders of warps and blocks, each time on a fresh device and with other random numbers. The grader
 * looks after the rest: poisoned outputs, guarded arrays, all checkers, limits, counters, and what
 * to say.
 *
 * Nothing here returns an error: what goes wrong ends the run of the submission with its verdict.
 */
#ifndef PUZZLE_H
#define PUZZLE_H

#include <stddef.h>
#include <stdint.h>

enum { PUZZLE_GOALS = 8 };

/* One run of a submission. */
struct trial {
    int n; /* the size, one of the puzzle's */
};

struct puzzle {
    const char *title; /* as in "Neighbours read neighbours" */
    const char *group; /* one of the five: threads, memory, shared, warps, algorithms */
    const char *read; /* what to read first: a page with its anchor, "docs/sumsq.md#v3" */
    const int *sizes; /* SIZES(...). Counters are those of the last one */
    int size_count;
    void (*trial)(struct trial *trial);
    /* Goals over the counters of emulator/profile/profile.h and n, each with what is counted in
     * front: "sectors per load: global_load_sectors / global_loads <= 4". */
    const char *goals[PUZZLE_GOALS];
    /* What the comment "// prediction:" of a submission must say, likewise, without a comparison:
     * "global_load_sectors / global_loads". */
    const char *prediction;
    /* Where the prediction is about a kernel that is complete in the file: what runs it. */
    void (*predict)(struct trial *trial);
    int predict_n;
    const char *given; /* the verdict on the file as given; NULL: "result" */
    int capability; /* to compile for, as in 80; 0: 75 */
    uint64_t instructions; /* warp instructions a launch may take; 0: 400 000 + 100 n */
};

#define SIZES(...)                       \
    .sizes = (const int[]){__VA_ARGS__}, \
    .size_count = (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* Host memory, gone after the trial: `count` elements of zeros; random whole numbers from `low` to
 * `high`; random floats from `low` up to `high`. */
void *trial_zeros(struct trial *trial, size_t count, size_t size);
int *trial_ints(struct trial *trial, size_t count, int low, int high);
float *trial_floats(struct trial *trial, size_t count, float low, float high);
/* A random whole number below `bound`. */
uint32_t trial_random(struct trial *trial, uint32_t bound);

/* An array on the device. `name` is what the statement calls it. */
typedef uint64_t buffer;
/* With a copy of host memory in it, which the kernel must leave as it is. */
buffer trial_input(struct trial *trial, const char *name, const void *data, size_t count,
                   size_t size);
/* The same, but for the kernel to change. */
buffer trial_inout(struct trial *trial, const char *name, const void *data, size_t count,
                   size_t size);
/* Poisoned: a checker reports who reads an element before somebody wrote it. */
buffer trial_output(struct trial *trial, const char *name, size_t count, size_t size);

struct shape {
    unsigned grid[3], block[3];
    size_t shared; /* dynamic, in bytes */
};

/* Blocks and threads in one dimension, and in two. */
struct shape shape_line(unsigned blocks, unsigned threads);
struct shape shape_plane(unsigned blocks_x, unsigned blocks_y, unsigned threads_x,
                         unsigned threads_y);
/* How many times `part` it takes to hold `whole`; at least 1. */
unsigned parts(size_t whole, unsigned part);

/* Launch the kernel `name` (without a signature) of the submission and wait for it:
 *
 *     LAUNCH(trial, "shift", shape_line(parts(n, 256), 256), ARG(out), ARG(in), ARG(n));
 */
struct argument {
    const void *at;
    size_t size;
    const char *name; /* messages say it, unless it is an array's */
};
#define ARG(variable) ((struct argument){&(variable), sizeof(variable), #variable})
#define LAUNCH(trial, name, shape, ...)                                      \
    trial_launch(trial, name, shape, (const struct argument[]){__VA_ARGS__}, \
                 sizeof((const struct argument[]){__VA_ARGS__}) / sizeof(struct argument))
void trial_launch(struct trial *trial, const char *kernel, struct shape shape,
                  const struct argument *arguments, size_t count);

/* The array must hold `expected`, compute which only after the launch. Floats may be off by
 * `tolerance`; NaN never passes. */
void expect_ints(struct trial *trial, buffer address, const int *expected, size_t count);
void expect_longs(struct trial *trial, buffer address, const int64_t *expected, size_t count);
void expect_floats(struct trial *trial, buffer address, const float *expected, size_t count,
                   double tolerance);

/* What follows is said of an array as one with rows of that many elements. */
void trial_rows(struct trial *trial, buffer address, size_t row);

/* For what has more than one right answer: copy the array to the host; and say that element `index`
 * of it is wrong, and what is wrong with it. */
void trial_read(struct trial *trial, buffer address, void *to, size_t count, size_t size);
void trial_wrong(struct trial *trial, buffer address, size_t index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
