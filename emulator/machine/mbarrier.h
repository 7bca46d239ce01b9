/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory (mbarrier): they count threads and bytes that arrive, and a phase is
 * over when all have. The bytes are those of bulk copies and of stores to other blocks. A thread
 * may also arrive when all copies are done that it has begun (cp.async.mbarrier.arrive).
 *
 * Like those of copies (copies.h), they move as late as possible under a forward schedule, that is
 * when a thread asks the barrier and its phase is not over, and at once under a reverse one.
 */
#ifndef MBARRIER_H
#define MBARRIER_H

#include "block.h"

/* What the barrier's phase still waits for. Fewer bytes than 0: so many came that nobody announced.
 */
void mbarrier_missing(const char *barrier, int64_t *bytes, uint32_t *threads);
/* What is on its way to a block that has ended. */
void mbarrier_forget(struct block *block);

#endif
