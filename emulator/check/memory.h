/* SPDX-License-Identifier: MIT */
/* Memory checker: finds bad addresses in kernels, and allocations misused by the host. */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include "check/report.h"

struct check_memory;

struct check_memory *check_memory_new(const struct machine *machine, struct reports *reports);
void check_memory_free(struct check_memory *memory);
const struct observer *check_memory_observer(struct check_memory *memory);

/* See check.h. */
void check_memory_allocated(struct check_memory *memory, uint64_t address, size_t size,
                            const void *caller);
void check_memory_freed(struct check_memory *memory, uint64_t address);
void check_memory_bad_free(struct check_memory *memory, const char *function, uint64_t address,
                           const void *caller);
/* Report what was never freed. */
void check_memory_leaks(struct check_memory *memory);
/* Only say in one line how much was never freed, if anything. */
void check_memory_count_leaks(const struct check_memory *memory, FILE *file);

#endif
