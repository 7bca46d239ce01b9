/* SPDX-License-Identifier: MIT */
/* fence.proxy.async: which ordinary accesses to a block's shared memory, and which of its barriers,
 * come before its bulk copies.
 *
 * The copy engine writes shared memory beside the threads, and does not wait for their accesses. A
 * barrier between an access and a copy is not enough: there must also be such a fence, by a thread
 * that knows of the access, and known to the thread that asks for the copy. The thread of the
 * access can execute it, before the barrier; or that of the copy, after it; or a third one.
 *
 * A barrier in shared memory that counts a copy's bytes must have been initialised in the same
 * sense. There fence.mbarrier_init will do, too, by the thread that initialised it.
 */
#ifndef PROXY_H
#define PROXY_H

#include "check/order.h"
#include "check/race_shadow.h"

struct proxy_fence;

/* A barrier in shared memory; `clock` of who initialised it is 0 once copies may count there. */
struct proxy_barrier {
    uint64_t address;
    struct stamp init;
};

/* The fences of a block. */
struct proxy_fences {
    struct proxy_fence **latest; /* by thread; NULL: none yet */
    uint32_t threads;
    struct proxy_barrier *barriers;
    size_t barrier_count;
};

/* Lanes of the warp fence; call order_fence() first. */
void proxy_fence(struct proxy_fences *fences, const struct warp_order *warp, uint32_t lanes);
/* Is there such a fence between an access by a thread of the block and what this one does now? */
bool proxy_is_fenced(const struct proxy_fences *fences, const struct warp_order *warp, int lane,
                     struct epoch access);
/* A barrier is initialised, as `init` says; the threads `first` + `lanes` fence what they have
 * initialised. */
void proxy_barrier_init(struct proxy_fences *fences, uint64_t address, const struct stamp *init);
void proxy_barriers_fence(struct proxy_fences *fences, uint32_t first, uint32_t lanes);
/* Who initialised the barrier, where no fence shows that to a copy that the thread asks for now.
 * False: a fence does, or this was reported before. */
bool proxy_barrier_unseen(struct proxy_fences *fences, const struct warp_order *warp, int lane,
                          uint64_t address, struct stamp *init);
void proxy_forget(struct proxy_fences *fences);

#endif
