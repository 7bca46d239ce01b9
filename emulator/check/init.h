/* SPDX-License-Identifier: MIT */
/* Init checker: finds reads of device and shared memory that nobody wrote, byte by byte.
 *
 * It watches device memory that the program allocated. It does not watch variables, which have
 * values from the start, or memory that the host may write unseen (managed and page-locked).
 */
#ifndef CHECK_INIT_H
#define CHECK_INIT_H

#include "check/report.h"

struct check_init;

/* One that watches the machine. */
struct check_init *check_init_new(struct machine *machine, struct reports *reports);
void check_init_free(struct check_init *init);

/* See check.h. */
void check_init_allocated(struct check_init *init, uint64_t address, size_t size,
                          const void *caller);
void check_init_freed(struct check_init *init, uint64_t address);
void check_init_written(struct check_init *init, uint64_t address, size_t size);
void check_init_copied(struct check_init *init, const char *function, uint64_t to, uint64_t from,
                       size_t size);
bool check_init_read(struct check_init *init, const char *function, const char *what,
                     uint64_t address, size_t size);
/* The program ends: say in one line what kernels wrote and nobody read, if anything. */
void check_init_unread(struct check_init *init, FILE *file);

#endif
