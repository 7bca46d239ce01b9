/* SPDX-License-Identifier: MIT */
/* Running stretches. */
#include "stretch.h"

#include "launch.h"
#include "paths.h"

/* Products of matrices are counted: observers hear of each. */
void stretch_mark_code(struct code *code)
{
    for (int i = code->op_count - 1; i >= 0; i--) {
        struct op *op = &code->ops[i];
        const bool alone =
            op->orders_blocks || (isa_rows[op->instr->opcode].cost == COST_TENSOR && !op->quiet);
        op->quiet &= op->stops != STEPPED_CLOCK;
        op->stretch = alone ? 0 : op->jumps ? 1 : op[1].stretch + 1;
    }
}

void stretch_mark(struct program *program)
{
    for (int f = 0; f < program->module->function_count; f++)
        if (program->codes[f].ops && !program->codes[f].failure)
            stretch_mark_code(&program->codes[f]);
}

bool stretch_is_allowed(const struct warp *warp, bool heard)
{
    const struct listeners *listeners = warp->block->listeners;
    return !heard || listeners->instruction.count == listeners->stretch.count;
}

void stretch_tell(struct warp *warp)
{
    const struct stretch_event event = {
        .worker = warp->worker->number, .warp = warp, .stretch = warp->untold};
    if (event.stretch.count)
        NOTIFY(warp->block->listeners->stretch, &event);
    warp->untold = (struct stretch){0};
}

/* A stretch under way. */
struct progress {
    const struct op *told; /* the first that nobody has been told of */
    uint32_t active;
    uint32_t held; /* lanes that guards held back since, an instruction each */
    bool heard;
};

/* The path goes on at `next`; the instructions in front of it have run, or the last of them is
 * about to. */
static void advance(struct warp *warp, struct progress *progress, const struct op *next)
{
    const uint32_t count = (uint32_t)(next - progress->told);
    const uint64_t lanes = (uint64_t)__builtin_popcount(progress->active);
    if (progress->heard && count)
        warp->untold = (struct stretch){.first = progress->told->instr,
                                        .count = count,
                                        .active = progress->active,
                                        .executing = count * lanes - progress->held};
    warp->issued += count;
    warp->path->pc += (int)count;
    progress->told = next;
    progress->held = 0;
}

/* Run one that others may hear of. False: the path stops, or goes on elsewhere. */
static bool run_heard(struct warp *warp, const struct op *op, uint32_t lanes,
                      struct progress *progress)
{
    const struct path *path = warp->path;
    advance(warp, progress, op + 1);
    if (!op->request)
        stretch_tell(warp);
    const int next = path->pc;
    op->handler(warp, op, lanes);
    return !warp->stop && path->pc == next;
}

void stretch_run(struct warp *warp, bool heard)
{
    const struct path *path = warp->path;
    const struct op *op = &path->frame->code->ops[path->pc], *end = op + op->stretch;
    const int to_meeting = path->record->pc - path->pc;
    struct progress progress = {.told = op, .active = path->mask, .heard = heard};
    if (to_meeting > 0 && to_meeting < op->stretch)
        end = op + to_meeting;
    for (; op < end; op++) {
        compiled_run *run = atomic_load_explicit(&op->run, memory_order_acquire);
        if (run && op->run_length <= end - op) {
            progress.held += run(warp->base, progress.active);
            op += op->run_length - 1;
            continue;
        }
        uint32_t lanes = progress.active;
        if (op->guard >= 0) {
            lanes &= ((const lane_u32 *)warp->base[FILE_PREDICATES])[op->guard] ^ op->guard_flip;
            progress.held += (uint32_t)__builtin_popcount(progress.active & ~lanes);
        }
        if (!lanes && !op->always)
            continue;
        if (op->quiet)
            op->handler(warp, op, lanes);
        else if (!run_heard(warp, op, lanes, &progress))
            break;
    }
    if (op == end) {
        advance(warp, &progress, end);
        stretch_tell(warp);
    }
    if (!warp->stop && path->pc == path->record->pc)
        path_arrive(warp);
}
