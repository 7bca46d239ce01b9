/* SPDX-License-Identifier: MIT */
/* Sync checker: finds barriers that not all threads reach, or that lanes of a warp reach apart, and
 * masks that name lanes which do not take part. */
#ifndef CHECK_SYNC_H
#define CHECK_SYNC_H

#include "check/report.h"

struct check_sync;

/* One that watches the machine. */
struct check_sync *check_sync_new(struct machine *machine, struct reports *reports);
void check_sync_free(struct check_sync *sync);

#endif
