/* SPDX-License-Identifier: MIT */
/* Kernels that run at the same time: which share of a GPU is in use when. Who comes first has what
 * it needs; who comes later has what is left, and is slower where that is less than it needs. */
#ifndef USAGE_H
#define USAGE_H

#include <stddef.h>

/* From `from` on, up to the next span, `share` of the GPU is in use: 0 to 1; in the last one, 0. */
struct usage_span {
    double from, share;
};

/* Times are milliseconds on the modelled clock. All zeros: nothing is in use. */
struct usage {
    struct usage_span *spans;
    size_t count, room;
};

/* The first time from `ms` on at which some of the GPU is free. */
double usage_free_from(const struct usage *usage, double ms);

/* From `from` on, use `share` of the GPU, above 0, or what is left of it, until as much is done as
 * in `ms` with all of that share. Returns by how much longer that takes; 0 if there is room for
 * both. Nobody asks any more for a time before `past`. */
double usage_take(struct usage *usage, double past, double from, double ms, double share);

void usage_clear(struct usage *usage);

#endif
