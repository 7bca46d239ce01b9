/* SPDX-License-Identifier: MIT */
/* Barriers in shared memory (mbarrier): they count threads that arrive and bytes that come, and are
 * through with a phase when all have. And what comes: bulk copies, and stores to other blocks, each
 * of which a barrier waits for.
 *
 * Like copies (copies.h) the bytes move as late as they may under a forward schedule, when somebody
 * asks the barrier and it is not through, and at once under a reverse one.
 */
#ifndef MBARRIER_H
#define MBARRIER_H

#include "block.h"

/* What is on its way to a block that has ended. */
void mbarrier_forget(struct block *block);

#endif
