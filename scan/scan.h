/* Chapter: prefix sums. Each number becomes the sum of those before it.
 *
 * Here is what every step shares: the inputs, the CPU's answers, the sizes to check, the options
 * and the report. What happens on the device is in the step.
 */
#ifndef SCAN_H
#define SCAN_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SCAN_N = 32 * 1024 * 1024,
    SCAN_ONE_BLOCK_N = 1024 * 1024, /* of steps that leave most of a GPU idle */
    SCAN_EMULATED_N = 1024 * 1024, /* of all where a model runs them, unless --n says otherwise */
};

/* The device side of a step: from n host numbers to n sums on the host, of all numbers before each,
 * and with `inclusive` of itself, too. */
typedef void scan_ints(const int *a, int n, bool inclusive, struct run *run, int *sums);
typedef void scan_floats(const float *a, int n, bool inclusive, struct run *run, float *sums);

/* From n host numbers to the even ones among them, in their order. Returns how many. */
typedef int scan_select(const int *a, int n, struct run *run, int *kept);

/* From n host numbers to the first number of each run of equal ones, and its length. Returns how
 * many runs. */
typedef int scan_runs(const int *a, int n, struct run *run, int *values, int *lengths);

/* What a step does: it has the first two functions, or one of the others. */
struct scan_step {
    scan_ints *ints;
    scan_floats *floats;
    scan_select *select;
    scan_runs *runs;
    int64_t usual; /* --n, if not SCAN_N */
    int tile; /* a float goes through one addition for each tile of so many floats before it ... */
    int chain; /* ... and through so many more */
    struct chapter_wave wave; /* whose blocks take a tile each */
};

/* main() of a step, STEP. Every element is compared with the CPU's: ints must be equal, floats as
 * close as their additions allow. Returns the exit code. */
int scan_main(int argc, char **argv, struct step step, struct scan_step how);

#ifdef __cplusplus
}
#endif

#endif
