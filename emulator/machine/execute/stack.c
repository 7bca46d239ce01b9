/* SPDX-License-Identifier: MIT */
/* Memory that a thread takes while its function runs: alloca, and to go back to where it was. */
#include "machine/execute/lanes.h"
#include "machine/frames.h"

#include <inttypes.h>

enum { MOST_LOCAL = 512 << 10, DEFAULT_ALIGN = 8 };

static void overflow(struct warp *warp, const struct op *op, int lane, uint64_t size)
{
    warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "stack overflow",
               "alloca of %" PRIu64 " bytes: a thread has %d bytes of local memory", size,
               MOST_LOCAL);
}

/* The stack of the path's frame, made when it is first asked for; NULL: a fault. */
static struct stack *find_stack(struct warp *warp, const struct op *op, int lane)
{
    struct frame *frame = warp->path->frame;
    if (!frame->stack && !frame_grow(frame, frame->local_bytes))
        overflow(warp, op, lane, 0);
    return frame->stack;
}

EXECUTOR(stack_take)
{
    struct frame *frame = warp->path->frame;
    size_t starts[WARP_SIZE], ends[WARP_SIZE], most = 0;
    const struct stack *stack = find_stack(warp, op, first_lane(lanes));
    if (!stack)
        return;
    EACH_LANE(i, lanes) {
        const uint64_t size = slot_read(warp, op->a, i), unit = op->immediate;
        const uint64_t top = frame->local_base + stack->top[i];
        starts[i] = (top + unit - 1) / unit * unit - frame->local_base;
        ends[i] = starts[i] + size;
        if (size > MOST_LOCAL || frame->local_base + ends[i] > MOST_LOCAL) {
            overflow(warp, op, i, size);
            return;
        }
        most = ends[i] > most ? ends[i] : most;
    }
    if (most > frame->local_stride && !frame_grow(frame, most)) {
        overflow(warp, op, first_lane(lanes), most);
        return;
    }
    if (most > frame->local_bytes)
        frame->local_bytes = most;
    EACH_LANE(i, lanes) {
        frame->stack->top[i] = ends[i];
        slot_write(warp, op->d, i, frame->local_base + starts[i]);
    }
}

EXECUTOR(stack_save)
{
    const struct frame *frame = warp->path->frame;
    const struct stack *stack = find_stack(warp, op, first_lane(lanes));
    if (!stack)
        return;
    EACH_LANE(i, lanes)
        slot_write(warp, op->d, i, frame->local_base + stack->top[i]);
}

/* Only what alloca has taken since can be given back. */
EXECUTOR(stack_restore)
{
    const struct frame *frame = warp->path->frame;
    struct stack *stack = find_stack(warp, op, first_lane(lanes));
    if (!stack)
        return;
    EACH_LANE(i, lanes) {
        const uint64_t top = slot_read(warp, op->a, i) - frame->local_base;
        if (top < frame->code->function->local_bytes || top > stack->top[i]) {
            warp_fault(warp, op->instr, i, FAULT_ADDRESS, "bad stackrestore",
                       "0x%" PRIx64 " is not what stacksave gave", slot_read(warp, op->a, i));
            return;
        }
        stack->top[i] = top;
    }
}

void bind_stack(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    const size_t bytes = ptx_type_size(ptx_type_of(instr));
    op->handler = instr->opcode == OP_ALLOCA      ? stack_take
                  : instr->opcode == OP_STACKSAVE ? stack_save
                                                  : stack_restore;
    if (instr->opcode == OP_STACKRESTORE) {
        bind_source(binder, &op->a, 0, bytes);
        return;
    }
    bind_destination(binder, &op->d, 0, bytes);
    if (instr->opcode == OP_ALLOCA) {
        const bool aligned = instr->operand_count > 2;
        bind_source(binder, &op->a, 1, bytes);
        op->immediate = aligned ? (uint32_t)instr->operands[2].bits : DEFAULT_ALIGN;
    }
}
