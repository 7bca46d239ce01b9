/* SPDX-License-Identifier: MIT */
/* The checkers of a machine together, and what the host does that they must know of.
 *
 *   memory   bad addresses, and allocations misused by the host
 *   race     accesses that nothing orders        (race.h)
 *   sync     barriers and masks misused
 *   init     reads of device memory that nobody wrote
 *   leak     allocations that were never freed; "all" leaves it out
 *   call     calls of the host that were refused: always
 *
 * Blocks must run on one worker. Machines that share their memory have the same checkers, and what
 * they do to it at once is looked at by apart.h.
 */
#ifndef CHECK_H
#define CHECK_H

#include "check/apart.h"
#include "check/report.h"

struct checks;

/* The set of kinds (bit 1 << enum check_kind) that "memory,race" names; "all" names all but leak.
 * Anything else gives 0 and one line in `error`. */
unsigned checks_parse(const char *text, char *error, size_t error_size);

/* Watch `machine`, which must outlive this; memory among `kinds` makes it lenient. */
struct checks *checks_new(struct machine *machine, unsigned kinds);
/* Watch another machine too, whose kernels run between those of `first`. It has `from` of the
 * observers of `first`, and is to have the others. */
void checks_watch(struct checks *checks, struct machine *machine, struct machine *first, int from);
/* The checker that must hear what orders the work of several machines; NULL: there is only one
 * machine, or nobody looks for races. */
struct apart *checks_apart(const struct checks *checks);
void checks_free(struct checks *checks);

/* The next launch may begin while the last one still runs. */
void checks_overlap(struct checks *checks);

/* Memory was allocated by the program, at `caller` (a return address). `blank`: whoever reads it
 * before it is written makes a mistake. Not so managed and page-locked memory: the host may have
 * written it unseen. */
void checks_allocated(struct checks *checks, uint64_t address, size_t size, bool blank,
                      const void *caller);
/* Device memory is about to be freed. */
void checks_freed(struct checks *checks, uint64_t address, size_t size);
/* The program asked `function` to free what is no allocation. */
void checks_bad_free(struct checks *checks, const char *function, uint64_t address,
                     const void *caller);
/* A call of the program's was refused. */
void checks_refused(struct checks *checks, const char *what, const void *caller);
/* The host wrote [address, address + size). */
void checks_written(struct checks *checks, uint64_t address, size_t size);
/* `function` copies [from, from + size) to `to`, either of which may be the host's. */
void checks_copied(struct checks *checks, const char *function, uint64_t to, uint64_t from,
                   size_t size);
/* `function` of a library reads [address, address + size), its parameter `what`. Returns false
 * where some of it was never written. */
bool checks_read(struct checks *checks, const char *function, const char *what, uint64_t address,
                 size_t size);
/* Modules were unloaded. */
void checks_forget(struct checks *checks);

/* Was the fault of a launch reported? */
bool checks_report_faults(const struct checks *checks, enum fault_kind kind);

/* Print the races found beyond the first `shown`; returns how many there are by now. */
size_t checks_print_races(const struct checks *checks, size_t shown, FILE *file);

/* The program ends: look for leaks, unless a kernel's fault kept it from freeing (`broken`), print
 * all, and return how many reports there are. Where memory is checked and leaks are not, one line
 * counts the leaks, which are no reports. Where init is checked and nothing but leaks was found,
 * one line says what kernels wrote and nobody read. */
size_t checks_finish(struct checks *checks, bool broken, FILE *file);

#endif
