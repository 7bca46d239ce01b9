/* SPDX-License-Identifier: MIT */
/* Memory that a launch both fetches through textures and writes. Their cache does not hear of
 * writes: such a fetch may give what was there before the launch, and no barrier changes that (CUDA
 * C++ Programming Guide, "Read/Write Coherency"). */
#ifndef TEXTURE_RACE_H
#define TEXTURE_RACE_H

#include "check/report.h"
#include "machine/hash_table.h"

/* Of the launch under way, by word of 4 bytes. */
struct texture_race {
    struct reports *reports;
    struct hash_table words;
};

/* Note a fetch; a store or an atomic to global memory. */
void texture_race_read(struct texture_race *race, const struct fetch_event *event);
void texture_race_write(struct texture_race *race, const struct access_event *event);
/* The launch has ended. */
void texture_race_clear(struct texture_race *race);

#endif
