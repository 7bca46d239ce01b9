/* Chapter 0: first programs, for those who know C and have never seen CUDA.
 *
 * Each program fills `out` from the numbers in `a` and `b`, and has in its own file what element i
 * should be. Here is what they share: the numbers, the comparison with the CPU, options and report.
 * Nothing is timed: these programs are about how, not about how fast.
 */
#ifndef START_H
#define START_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { START_BELOW = 1000 }; /* the numbers are 0 to 999 */

/* All that a program does with the device: fill out[] from a[] and b[]. With run->poison it fills
 * device memory for results with 0xFF before the launch. It notes its launch in run->blocks and
 * run->threads, and in blocks_y and threads_y where there is a second dimension. */
typedef void start_function(const int *a, const int *b, int *out, int n, struct run *run);

/* What out[i] should be, worked out on the CPU. */
typedef int start_element(const int *a, const int *b, int n, int i);

struct start_program {
    start_function *gpu;
    start_element *element;
    int64_t usual_n, max_n;
    int rows; /* a, b and out hold so many times n numbers; 0 is 1 */
};

/* main() of a program, STEP: options, device, numbers, `gpu`, comparison, report. Returns the exit
 * code. */
int start_main(int argc, char **argv, struct step step, struct start_program program);

#ifdef __cplusplus
}
#endif

#endif
