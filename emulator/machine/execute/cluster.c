/* SPDX-License-Identifier: MIT */
/* Clusters: the blocks whose shared memory an address points into, and the barrier that all
 * their threads wait at. */
#include "machine/execute/lanes.h"
#include "machine/launch.h"

#include <inttypes.h>

/* The rank of the block into whose shared memory the address points. */
static uint32_t rank_of(const struct warp *warp, uint64_t address)
{
    const uint32_t marked = (uint32_t)address >> RANK_SHIFT;
    return marked ? marked - 1 : warp->block->rank;
}

static bool is_shared(struct warp *warp, const struct op *op, int lane, uint64_t address)
{
    if (op->space == PTX_SHARED || (address & WINDOW_MASK) == SHARED_WINDOW)
        return true;
    warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "no shared address",
               "0x%" PRIx64 " does not point into shared memory", address);
    return false;
}

/* d = the address in the block with rank b that has the offset that a has in one's own. */
EXECUTOR(map_address)
{
    EACH_LANE(i, lanes) {
        const uint64_t address = slot_read(warp, op->a, i);
        const uint64_t rank = slot_read(warp, op->b, i);
        const uint32_t size = warp->block->launch->cluster_size;
        if (!is_shared(warp, op, i, address))
            return;
        if (rank >= size) {
            warp_fault(warp, op->instr, i, FAULT_ADDRESS, "no such block",
                       "rank %" PRIu64 " of a cluster of %u block%s", rank, size,
                       size == 1 ? "" : "s");
            return;
        }
        const uint64_t offset = address & ~(UINT64_C(0xFF) << RANK_SHIFT);
        slot_write(warp, op->d, i, offset | (rank + 1) << RANK_SHIFT);
    }
}

EXECUTOR(get_rank)
{
    EACH_LANE(i, lanes) {
        const uint64_t address = slot_read(warp, op->a, i);
        if (!is_shared(warp, op, i, address))
            return;
        slot_write(warp, op->d, i, rank_of(warp, address));
    }
}

EXECUTOR(arrive)
{
    cluster_arrive(warp, op, lanes);
}

EXECUTOR(wait)
{
    if (!divide_guarded(warp, lanes))
        cluster_wait(warp, op, lanes);
}

void bind_cluster(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    binder->program->clusters = true;
    if (instr->opcode == OP_BARRIER) {
        op->handler = ptx_has(instr, MOD_ARRIVE) ? arrive : wait;
        return;
    }
    op->space = instr->space;
    op->handler = instr->opcode == OP_MAPA ? map_address : get_rank;
    bind_operands(binder);
}
