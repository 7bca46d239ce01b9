/* SPDX-License-Identifier: MIT */
/* fence.proxy.async: which ordinary accesses to a block's shared memory come before its bulk
 * copies.
 *
 * The copy engine writes shared memory beside the threads, and does not wait for their accesses. A
 * barrier between an access and a copy is not enough: there must also be such a fence, by a thread
 * that knows of the access, and known to the thread that asks for the copy. The thread of the
 * access can execute it, before the barrier; or that of the copy, behind it; or a third one.
 */
#ifndef PROXY_H
#define PROXY_H

#include "check/order.h"

struct proxy_fence;

/* The fences of a block. */
struct proxy_fences {
    struct proxy_fence **latest; /* by thread; NULL: none yet */
    uint32_t threads;
};

/* Lanes of the warp fence; call order_fence() first. */
void proxy_fence(struct proxy_fences *fences, const struct order *order,
                 const struct block_order *block, uint32_t warp, uint32_t lanes);
/* Is there such a fence between the access stamped (thread, clock), by a thread of the block, and
 * what this thread does now? */
bool proxy_is_fenced(const struct proxy_fences *fences, const struct order *order,
                     const struct block_order *block, uint32_t warp, int lane, uint32_t thread,
                     uint32_t clock);
void proxy_forget(struct proxy_fences *fences);

#endif
