/* Chapter: the sum of n floats, block by block.
 *
 * Here is what every step shares: the inputs, the CPU's answers, the sizes to check, the options
 * and the report. What happens on the device is in the step.
 */
#ifndef REDUCTION_H
#define REDUCTION_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    REDUCTION_N = 32 * 1024 * 1024, /* the source's size */
    REDUCTION_EMULATED_N = 1024 * 1024, /* where a model runs it, unless --n says otherwise */
    REDUCTION_THREADS = 256,
};

/* What is added up: --input. */
enum reduction_input {
    INPUT_DIGITS, /* integers 0 to 99, as in the source: exact within a block */
    INPUT_SIGNED, /* integers -99 to 99: exact in any order, so no element may be lost */
    INPUT_GENERAL, /* floats between -1 and 1 */
    INPUT_COUNT,
};

/* How elements fall to blocks. */
enum reduction_map {
    MAP_RUNS, /* element i to block i / (elements a block): neighbours stay together */
    MAP_STRIDES, /* element i to block i / threads, modulo blocks: the grid strides over it */
    MAP_ONE, /* one number for all: the step chooses its grid */
};

/* The launch of a step, and what its results are. A `max_` gives the step an option that takes
 * powers of two. */
struct reduction_launch {
    int64_t threads; /* of a block */
    int64_t max_threads; /* --threads, from 32 */
    int64_t block_elements; /* a block adds up; 0 where the step chooses its grid */
    int64_t blocks; /* of such a grid, if the user chose; else 0 */
    int64_t min_blocks, max_blocks; /* --blocks; also --sweep, over all of them */
    enum reduction_map map;
    int64_t chain; /* with MAP_ONE: most float additions that one element goes through */
    const char *wrong; /* why the step is wrong on purpose; NULL for one that must be right */
};

/* The device side of a step: from n host floats to run->blocks sums, one with MAP_ONE. The launch
 * is run->blocks blocks of run->threads threads; where run->blocks is 0, the step chooses, and says
 * there how many (with MAP_STRIDES max_blocks at most). */
typedef void reduction_function(const float *a, int n, struct run *run, float *sums);

/* main() of a step, STEP. Every block sum is compared with its elements' sum in double, and so is
 * the total. Returns the exit code; a step that is wrong on purpose says so and exits with 0
 * whatever its sums are. */
int reduction_main(int argc, char **argv, struct step step, reduction_function *gpu,
                   struct reduction_launch launch);

#ifdef __cplusplus
}
#endif

#endif
