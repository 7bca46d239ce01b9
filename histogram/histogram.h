/* Chapter: histograms. How many of n samples are of each value?
 *
 * Here is what every step shares: the inputs, the CPU's answer, the sizes to check, the options and
 * the report. What happens on the device is in the step.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HISTOGRAM_N = 32 * 1024 * 1024,
    HISTOGRAM_EMULATED_N = 1024 * 1024, /* where a model runs it, unless --n says otherwise */
    BINS = 256, /* of most steps */
    MANY_BINS = 65536, /* of the others */
};

/* The device side of a step: from n host samples, each below the number of bins, to how many there
 * are of each value. The host has set nothing. */
typedef void histogram_words(const unsigned *a, int n, struct run *run, unsigned *counts);
typedef void histogram_bytes(const unsigned char *a, int n, struct run *run, unsigned *counts);

/* What a step does: words and bytes into BINS bins, or only words. */
struct histogram_step {
    histogram_words *words;
    histogram_bytes *bytes; /* NULL: it has none */
    int bins; /* if not BINS */
    struct chapter_wave wave; /* whose blocks stay on the device */
    bool wide; /* a thread loads 16 bytes at once, not one sample */
};

/* main() of a step, STEP. Every count must equal the CPU's. Returns the exit code. */
int histogram_main(int argc, char **argv, struct step step, struct histogram_step how);

#ifdef __cplusplus
}
#endif

#endif
