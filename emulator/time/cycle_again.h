/* SPDX-License-Identifier: MIT */
/* Programs launch a kernel again and again, and mostly its warps do the same. What the modelled SM
 * made of the last few different launches is kept. */
#ifndef CYCLE_AGAIN_H
#define CYCLE_AGAIN_H

#include "time/cycle_parts.h"

enum { KEPT_RUNS = 16 };

struct kept_runs {
    struct kept_run {
        uint64_t digest[2]; /* of all that the run depends on, but for the GPU */
        double *ends; /* NULL: none is kept */
        double drained;
        struct cycle_sums sums;
    } all[KEPT_RUNS];
    unsigned next; /* to be replaced */
};

/* What cycle_sm_run() does, which runs only if this is new. */
double cycle_sm_run_again(struct kept_runs *runs, const struct sm_work *work, double *ends,
                          struct cycle_sums *sums);
void kept_runs_free(struct kept_runs *runs);

#endif
