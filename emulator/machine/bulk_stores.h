/* SPDX-License-Identifier: MIT */
/* Bulk copies out of shared memory (cp.async.bulk with .bulk_group, and reductions by them): a
 * thread groups them and waits until a group has read its source, or until it is done.
 *
 * As with other copies (copies.h) the schedule says when: under a forward one the read and the
 * write are put off until they are waited for, under a reverse one both are done at once.
 * Reductions are always done at once, so that their order among blocks is that of the instructions.
 */
#ifndef BULK_STORES_H
#define BULK_STORES_H

#include "warp.h"

/* The warp's block ends: what is under way is done. And its room is given back. */
void bulk_stores_end(struct warp *warp);
void bulk_stores_free(struct warp *warp);

#endif
