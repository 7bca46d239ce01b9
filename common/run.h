/* SPDX-License-Identifier: MIT */
/* One measurement: the same launch several times, each from a clean start, timed by CUDA events. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#include "init_cuda.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RUN_MAX_OUTPUTS = 64,
    RUN_MAX_RUNS = 10000,
    RUN_DEFAULT_RUNS = 21,
    RUN_CPU_RUNS = 3,
    RUN_WARMUPS = 3,
    RUN_WHOLE_RUNS = 5,
};

/* An output of the step under test: poisoned before every run, its guard checked after. */
struct run_output {
    void *data;
    size_t bytes; /* without the guard */
    int device; /* the current one when it was made */
};

struct run {
    /* The launch, as the step makes it. */
    unsigned blocks, threads; /* of the grid, of a block */
    unsigned blocks_y, threads_y; /* their second dimension; 0 is 1 */
    size_t shared_bytes; /* dynamic shared memory of a block, if the step says so */
    char reason[160]; /* why this launch, where the step chooses; "" where it does not */

    /* How to measure. */
    int warmups, runs;
    int wholes; /* calls that run_whole() makes before: RUN_WHOLE_RUNS, or 1 of a modelled device */
    bool poison, guard, cold;

    /* What was measured. */
    float *ms; /* `runs` times, in milliseconds, in the order they were taken */
    int done; /* runs finished; a warm-up is not one */
    long long cycles; /* in-kernel clock: longest time of one block, 0 if the step reads none */
    long long span_cycles; /* last end less first start over all blocks; 0: none read */
    double total_ms; /* of the whole device side, see run_whole(); 0: not measured */
    char *overrun; /* what a guard found, or NULL */

    /* The machinery behind TIMED. */
    struct run_output outputs[RUN_MAX_OUTPUTS];
    int output_count;
    const char *file; /* where TIMED stands */
    int line;
    bool in_flight;
    int warmed;
    cudaEvent_t begin, end;
    void *flush; /* more than the L2 cache holds */
    size_t flush_bytes;
};

/* A measurement as `options` say: with options->runs unset RUN_DEFAULT_RUNS timed runs, or one on a
 * modelled device, whose times do not vary. RUN_WARMUPS runs come before them on a GPU, none on a
 * modelled device. On a CPU (device->cpu) there are RUN_CPU_RUNS, and the step takes the times:
 * nothing of CUDA is called. Ends the program as CHECK does where CUDA reports an error. */
struct run run_new(const struct options *options, const struct device *device);

/* Free what a run holds. Device memory is the step's own and not touched. */
void run_free(struct run *run);

/* Repeat the statement that follows, a launch: warm-ups, then timed runs. Before each one every
 * output of the run is poisoned again (outside the timed region); after each one errors and guards
 * are checked. A CUDA error ends the program as in CHECK. */
#define TIMED(run) for (run_start((run), __FILE__, __LINE__); run_again(run);)

void run_start(struct run *run, const char *file, int line);
bool run_again(struct run *run);

/* All that a step does on the device, with TIMED on `run` in it. */
typedef void run_side(struct run *run, void *context);

/* Call `side`, and time it from its first allocation to its last cudaFree, copies included, with
 * one launch in it: into run->total_ms. The median of run->wholes calls made before, which
 * neither poison nor guard; where `run` is a single launch, as on a modelled device, the call
 * itself. What `side` leaves behind is what it found in the call for `run`. */
void run_whole(struct run *run, run_side *side, void *context);

/* With --cold, put other data in the L2 cache: overwrite twice its size. Part of TIMED. */
void run_flush(const struct run *run);

/* Median, minimum, maximum of the times in ms; NaN before the first run. The median of an even
 * number of runs is the mean of the middle two. */
struct run_times {
    double min, median, max;
};
struct run_times run_times(const struct run *run);

#ifdef __cplusplus
}
#endif
#endif
