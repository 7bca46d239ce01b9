/* SPDX-License-Identifier: MIT */
/* setmaxnreg: warps give registers back to their block, and others of it take them.
 *
 * Registers have no names here, so a number is all there is of them: a warp that takes more than
 * is free waits, as on a GPU. Without a bound on a thread's registers that holds at the kernel's
 * entry ptxas drops the instruction, and then it does nothing here either.
 */
#include "machine/execute/collective.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/paths.h"

enum { GROUP_WARPS = 4, UNIT = 8, LEAST = 24 };

static int threads_of(const struct ptx_function *function)
{
    const uint32_t *most =
        function->required_threads[0] ? function->required_threads : function->max_threads;
    return (int)(most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1));
}

/* The registers of a thread at the kernel's entry, as ptxas finds them: those of .maxnreg, or as
 * many as leave room for .minnctapersm blocks. 0: neither tells. */
static int registers_at_entry(const struct gpu *gpu, const struct ptx_function *function)
{
    const int threads = threads_of(function);
    int count = gpu->max_registers / UNIT * UNIT;
    if (function->max_registers)
        return function->max_registers / UNIT * UNIT;
    if (!threads || !function->min_blocks)
        return 0;
    while (count > LEAST &&
           gpu_blocks_per_multiprocessor(gpu, threads, count, 0) < function->min_blocks)
        count -= UNIT;
    return count;
}

/* Give the warp what it waits for, if the block has that. */
static bool take_registers(struct warp *warp)
{
    const int more = warp->wanted - warp->registers;
    if (more > (int)warp->block->registers)
        return false;
    warp->block->registers -= (uint32_t)more;
    warp->registers = warp->wanted;
    warp->wanted = 0;
    return true;
}

/* Registers are free: let warps go on that wait for them. */
static void serve(struct block *block)
{
    struct barrier_open_event first = {0};
    for (int i = 0; i < block->warp_count; i++)
        if (block->warps[i].wanted && take_registers(&block->warps[i]))
            barrier_let_go(&block->warps[i], REGISTER_POOL, &first);
}

static bool can_set(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const bool more = ptx_has(op->instr, MOD_INC);
    if ((int)(warp->index / GROUP_WARPS + 1) * GROUP_WARPS > warp->block->warp_count) {
        warp_fault(warp, op->instr, first_lane(lanes), FAULT_INSTRUCTION, "no warpgroup",
                   "four warps set it together, and the block has %d", warp->block->warp_count);
        return false;
    }
    if (more ? warp->registers <= op->immediate : warp->registers >= op->immediate)
        return true;
    warp_fault(warp, op->instr, first_lane(lanes), FAULT_INSTRUCTION, "bad number of registers",
               "each thread has %d registers: it cannot be %s to %u", warp->registers,
               more ? "increased" : "decreased", op->immediate);
    return false;
}

static void set(const struct op *op, struct exchange *x)
{
    struct warp *warp = x->warp;
    const struct launch_state *launch = warp->block->launch;
    if (!warp->registers)
        warp->registers =
            (uint16_t)registers_at_entry(&launch->machine->gpu, launch->code->function);
    if (!warp->registers || !can_set(warp, op, x->lanes))
        return;
    warp->wanted = (uint16_t)op->immediate;
    if (take_registers(warp))
        serve(warp->block);
}

static void bring_nothing(struct warp *warp, const struct op *op, uint32_t lanes,
                          struct exchange *x)
{
    (void)warp, (void)op, (void)lanes, (void)x;
}

static void wait_for_them(struct warp *warp, const struct op *op, uint32_t lanes,
                          const struct exchange *x)
{
    (void)op, (void)lanes, (void)x;
    if (!warp->wanted)
        return;
    warp->path->barrier = REGISTER_POOL;
    path_park(warp, PATH_AT_BARRIER);
}

void bind_register_pool(struct binder *binder)
{
    static const struct exchange_kind kind = {bring_nothing, set, wait_for_them, NULL};
    struct op *op = binder->op;
    op->handler = collective;
    op->exchange = &kind;
    op->immediate = (uint32_t)binder->instr->operands[0].bits;
    bind_members(binder);
}
