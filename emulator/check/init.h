/* SPDX-License-Identifier: MIT */
/* Init checker: reads of device and shared memory that nobody wrote, byte by byte.
 *
 * Device memory that the program allocated is watched; variables have values from the start, and
 * what the host can reach by itself (managed and page-locked memory) it may write unseen.
 */
#ifndef CHECK_INIT_H
#define CHECK_INIT_H

#include "check/report.h"

struct check_init;

struct check_init *check_init_new(const struct machine *machine, struct reports *reports);
void check_init_free(struct check_init *init);
const struct observer *check_init_observer(struct check_init *init);

/* See check.h. */
void check_init_allocated(struct check_init *init, uint64_t address, size_t size);
void check_init_freed(struct check_init *init, uint64_t address);
void check_init_written(struct check_init *init, uint64_t address, size_t size);
void check_init_copied(struct check_init *init, const char *function, uint64_t to, uint64_t from,
                       size_t size);

#endif
