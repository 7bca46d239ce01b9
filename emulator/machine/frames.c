/* SPDX-License-Identifier: MIT */
/* Frames: a function's registers and memory, while it is under way. */
#include "frames.h"
#include "fresh_pages.h"

#include <stdlib.h>

enum { FRAME_ALIGN = 64 };

static size_t aligned_size(size_t size)
{
    return round_up(size, FRAME_ALIGN);
}

/* Local memory is as it was before alloca was called. */
static void drop_stack(struct frame *frame)
{
    const struct ptx_function *function = frame->code->function;
    free(frame->stack);
    frame->stack = NULL;
    frame->local = frame->predicates + aligned_size((size_t)function->predicate_count * 4);
    frame->local_bytes = function->local_bytes;
    frame->local_stride = frame_stride(function->local_bytes);
}

bool frame_grow(struct frame *frame, size_t bytes)
{
    const size_t twice = 2 * frame->local_stride;
    const size_t stride = frame_stride(bytes > twice ? bytes : twice);
    struct stack *stack = malloc(sizeof *stack + WARP_SIZE * stride);
    if (!stack)
        return false;
    memset(stack->bytes, FRESH_BYTE, WARP_SIZE * stride);
    for (size_t i = 0; i < WARP_SIZE; i++) {
        stack->top[i] = frame->stack ? frame->stack->top[i] : frame->local_bytes;
        memcpy(stack->bytes + i * stride, frame->local + i * frame->local_stride,
               frame->local_bytes);
    }
    free(frame->stack);
    frame->stack = stack;
    frame->local = stack->bytes;
    frame->local_stride = stride;
    return true;
}

/* Most registers are written before they are read, and may hold what the block before left. */
void frame_reset(struct frame *frame)
{
    const struct code *code = frame->code;
    drop_stack(frame);
    for (int i = 0; i < code->fresh_count; i++)
        memset(frame->registers + code->fresh[i].first, FRESH_BYTE, code->fresh[i].bytes);
    if (code->fresh_predicates)
        memset(frame->predicates, FRESH_BYTE, (size_t)(frame->local - frame->predicates));
    memset(frame->local, FRESH_BYTE, (size_t)(frame->registers + frame->bytes - frame->local));
}

struct frame *frame_new(struct warp *warp, const struct code *code, struct frame *caller)
{
    const struct ptx_function *function = code->function;
    const size_t header = aligned_size(sizeof(struct frame));
    const size_t registers = aligned_size(function->register_file_bytes);
    const size_t predicates = aligned_size((size_t)function->predicate_count * 4);
    const size_t local = aligned_size(WARP_SIZE * frame_stride(function->local_bytes));
    const size_t params = aligned_size(WARP_SIZE * frame_stride(function->param_frame_bytes));
    const size_t bytes = registers + predicates + local + params;
    struct frame *frame = aligned_alloc(FRAME_ALIGN, header + bytes);
    if (!frame)
        return NULL;
    memset(frame, 0, sizeof *frame);
    frame->code = code;
    frame->caller = caller;
    frame->registers = (char *)frame + header;
    frame->predicates = frame->registers + registers;
    frame->params = frame->predicates + predicates + local;
    drop_stack(frame);
    frame->bytes = bytes;
    if (caller)
        frame_reset(frame);
    frame->older = warp->youngest;
    if (frame->older)
        frame->older->younger = frame;
    warp->youngest = frame;
    if (caller) {
        frame->depth = caller->depth + 1;
        frame->local_base = (caller->local_base + caller->local_bytes + 15) / 16 * 16;
    }
    return frame;
}

void frame_free(struct warp *warp, struct frame *frame)
{
    if (frame->older)
        frame->older->younger = frame->younger;
    if (frame->younger)
        frame->younger->older = frame->older;
    else
        warp->youngest = frame->older;
    free(frame->stack);
    free(frame);
}

void warp_end(struct warp *warp)
{
    struct frame *frame = warp->youngest;
    while (frame != warp->frame) { /* the kernel's, the oldest */
        struct frame *older = frame->older;
        free(frame->stack);
        free(frame);
        frame = older;
    }
    warp->youngest = frame;
    frame->younger = NULL;
}
