/* SPDX-License-Identifier: MIT */
/* Memory that a launch both fetches through textures and writes. Their cache does not hear of
 * writes: such a fetch may give what was there before the launch, and no barrier changes that (CUDA
 * C++ Programming Guide, "Read/Write Coherency"). */
#ifndef CHECK_FETCHED_H
#define CHECK_FETCHED_H

#include "check/report.h"

/* Of the launch under way, by word of 4 bytes. */
struct fetched {
    struct reports *reports;
    struct word *words; /* open addressing; address 0: free */
    size_t count, room;
};

/* A fetch, and a store or an atomic to global memory. */
void fetched_read(struct fetched *fetched, const struct fetch_event *event);
void fetched_write(struct fetched *fetched, const struct access_event *event);
/* The launch has ended. */
void fetched_clear(struct fetched *fetched);

#endif
