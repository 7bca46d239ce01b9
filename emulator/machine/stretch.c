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
        atomic_init(&op->plain, op->quiet && op->guard < 0);
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
    const struct stretch stretch = stretch_untold(warp);
    if (!stretch.count)
        return;
    const struct stretch_event event = {
        .worker = warp->worker->number, .warp = warp, .stretch = &stretch};
    if (!TURNS_KEEP(stretch, warp, &stretch))
        NOTIFY(warp->block->listeners->stretch, &event);
    stretch_told(warp);
}

/* The path goes on at `next`; the instructions in front of it have run, or the last of them is
 * about to. */
static void advance(const struct progress *progress, const struct op *next)
{
    struct warp *warp = progress->warp;
    const int pc = (int)(next - (const struct op *)progress->ops);
    warp->issued += (uint64_t)(pc - warp->path->pc);
    warp->path->pc = pc;
}

/* Run one that others may hear of. False: the path stops, or goes on elsewhere. */
static inline bool run_heard(struct progress *progress, const struct op *op, uint32_t lanes)
{
    struct warp *warp = progress->warp;
    const struct path *path = warp->path;
    advance(progress, op + 1);
    if (!op->request)
        stretch_tell(warp);
    if (!op->request && !op->always)
        turns_end(warp);
    const int next = path->pc;
    op->handler(warp, op, lanes);
    return !warp->stop && path->pc == next;
}

static inline bool interpret(struct progress *progress, const struct op *op)
{
    struct warp *warp = progress->warp;
    uint32_t lanes = progress->active;
    if (op->guard >= 0) {
        lanes &= ((const lane_u32 *)warp->base[FILE_PREDICATES])[op->guard] ^ op->guard_flip;
        progress->held += (uint32_t)__builtin_popcount(progress->active & ~lanes);
    }
    if (!lanes && !op->always)
        return true;
    if (!op->quiet)
        return run_heard(progress, op, lanes);
    op->handler(warp, op, lanes);
    return true;
}

static const struct op *op_at(const struct progress *progress, int pc)
{
    return (const struct op *)progress->ops + pc;
}

static bool step(struct progress *progress, int pc)
{
    return interpret(progress, op_at(progress, pc));
}

static bool branch(struct progress *progress, int pc, uint32_t taken)
{
    struct warp *warp = progress->warp;
    const struct op *op = op_at(progress, pc);
    progress->held += (uint32_t)__builtin_popcount(progress->active & ~taken);
    advance(progress, op + 1);
    stretch_tell(warp);
    op->handler(warp, op, taken);
    progress->told = op_at(progress, op->instr->target);
    if (taken != progress->active || warp->stop)
        return false;
    turns_begin(warp, progress->told);
    return true;
}

/* Run the stretch at `op`, or as much of it as lies in front of the path's meeting point. */
static void run_one(struct progress *progress, const struct op *op)
{
    struct warp *warp = progress->warp;
    const struct path *path = warp->path;
    const struct op *end = op + op->stretch;
    const int to_meeting = path->record->pc - path->pc;
    progress->told = op;
    progress->held = 0;
    progress->active = path->mask;
    progress->ops = (const char *)path->frame->code->ops;
    if (to_meeting > 0 && to_meeting < op->stretch)
        end = op + to_meeting;
    while (op < end) {
        if (atomic_load_explicit(&op->plain, memory_order_relaxed)) {
            op->handler(warp, op, progress->active);
            op++;
            continue;
        }
        compiled_run *run = atomic_load_explicit(&op->run, memory_order_acquire);
        const int length = run && op->run_length <= end - op ? op->run_length : 0;
        if (length ? !run(progress) : !interpret(progress, op))
            break;
        op += length ? length : 1;
    }
    if (op == end && progress->told != end) {
        advance(progress, end);
        stretch_tell(warp);
    }
}

void stretch_run(struct warp *warp, bool heard)
{
    const struct path *path = warp->path;
    struct progress progress = {
        .warp = warp, .base = warp->base, .heard = heard, .step = step, .branch = branch};
    const struct op *op = NULL;
    warp->progress = &progress;
    while (!warp->stop) {
        const struct op *const next = &path->frame->code->ops[path->pc];
        if (next->stretch < 2)
            break;
        if (next <= op)
            turns_begin(warp, next);
        op = next;
        run_one(&progress, op);
        if (!warp->stop && path->pc == path->record->pc)
            path_arrive(warp);
    }
    turns_end(warp);
    warp->progress = NULL;
}
