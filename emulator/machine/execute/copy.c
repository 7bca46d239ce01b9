/* SPDX-License-Identifier: MIT */
/* Copies in the background: cp.async, and how a thread groups them and waits for them. */
#include "machine/copies.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"

#include <stdlib.h>

/* Find how many bytes each lane reads. Returns false after a fault: a lane would read more than
 * it copies. */
static bool find_sizes(struct warp *warp, const struct op *op, uint32_t lanes, uint8_t *sizes)
{
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint64_t size = op->b.present ? slot_read(warp, op->b, i) : op->bytes;
        if (lanes >> i & 1 && size > op->bytes) {
            warp_fault(warp, op->instr, i, FAULT_ADDRESS, "bad copy",
                       "it copies %u bytes and is to read %llu", op->bytes,
                       (unsigned long long)size);
            return false;
        }
        sizes[i] = (uint8_t)size;
    }
    return true;
}

static uint32_t reading(uint32_t lanes, const uint8_t *sizes)
{
    uint32_t set = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        set |= (uint32_t)(sizes[i] > 0) << i;
    return set & lanes;
}

EXECUTOR(copy_begin)
{
    struct copy copy = {.op = op};
    if (!find_sizes(warp, op, lanes, copy.reads))
        return;
    const uint32_t readers = reading(lanes, copy.reads);
    uint32_t read = 0;
    if (readers)
        read = access_part(warp, op->source, readers, ACCESS_LOAD, copy.reads, &copy.from);
    if (warp->block->failed)
        return;
    /* A lane whose source address is bad copies nothing. */
    copy.lanes = lanes & ~(readers & ~read);
    if (copy.lanes)
        copy.lanes = access_part(warp, op, copy.lanes, ACCESS_STORE, NULL, &copy.to);
    if (copy.lanes)
        copies_begin(warp, &copy);
}

EXECUTOR(copy_commit)
{
    (void)op;
    copies_commit(warp, lanes);
}

EXECUTOR(copy_wait)
{
    copies_wait(warp, lanes, op->immediate);
}

/* cp.async.wait_all waits for copies that are in no group yet, too. */
EXECUTOR(copy_wait_all)
{
    (void)op;
    copies_commit(warp, lanes);
    copies_wait(warp, lanes, 0);
}

/* [to], [from], bytes {, bytes to read} {, what the cache is to do} */
static void bind_piece(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const bool hinted = ptx_has(instr, MOD_CACHE_HINT);
    op->handler = copy_begin;
    op->copies = true;
    op->space = PTX_SHARED;
    op->bytes = (uint8_t)instr->operands[2].bits;
    op->vector = 1;
    bind_address(binder, 0);
    if (instr->operand_count - hinted > 3) {
        bind_source(binder, &op->b, 3, 4);
        if (instr->operands[3].kind == OPERAND_IMMEDIATE && instr->operands[3].bits > op->bytes)
            bind_refuse(binder, "it is to read more than it copies");
    }
    op->source = calloc(1, sizeof *op->source);
    if (!op->source) {
        bind_refuse(binder, "no memory");
        return;
    }
    *op->source = (struct op){.instr = instr, .guard = -1, .copies = true, .number = op->number};
    op->source->space = PTX_GLOBAL;
    op->source->bytes = op->bytes;
    op->source->vector = 1;
    binder->op = op->source;
    bind_address(binder, 1);
    binder->op = op;
}

void bind_copy(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    if (ptx_has(instr, MOD_MBARRIER)) {
        bind_mbarrier(binder);
    } else if (ptx_is_bulk_store(instr) || ptx_has(instr, MOD_PREFETCH)) {
        bind_bulk_store(binder);
    } else if (ptx_has(instr, MOD_BULK)) {
        bind_bulk(binder);
    } else if (ptx_has(instr, MOD_COMMIT_GROUP)) {
        op->handler = copy_commit;
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        op->handler = copy_wait;
        op->immediate = (uint32_t)instr->operands[0].bits;
    } else if (ptx_has(instr, MOD_WAIT_ALL)) {
        op->handler = copy_wait_all;
    } else {
        bind_piece(binder);
    }
}
