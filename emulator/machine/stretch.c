/* SPDX-License-Identifier: MIT */
/* Running stretches. */
#include "stretch.h"

#include "execute/collective.h"
#include "laps.h"
#include "launch.h"
#include "paths.h"
#include "spin.h"

/* Products of matrices are counted: observers hear of each. */
void stretch_mark_code(struct code *code)
{
    for (int i = 0; i < code->op_count; i++)
        if (code->ops[i].always && code->ops[i].instr->target <= i)
            code->ops[code->ops[i].instr->target].heads = true;
    for (int i = code->op_count - 1; i >= 0; i--) {
        struct op *op = &code->ops[i];
        const bool alone =
            op->orders_blocks || (isa_rows[op->instr->opcode].cost == COST_TENSOR && !op->quiet);
        op->quiet &= op->stops != STEPPED_CLOCK;
        atomic_init(&op->plain, op->quiet && op->guard < 0 && !atomic_load(&op->run));
        op->stretch = alone ? 0 : op->jumps || op[1].heads ? 1 : op[1].stretch + 1;
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

/* The path goes on at `next`; the instructions before it have run, or the last of them is
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
    if (op->exchange && collective_shuffle(warp, op, lanes))
        return true;
    advance(progress, op + 1);
    if (!op->request) {
        stretch_tell(warp);
        turns_end(warp);
    }
    const int next = path->pc;
    op->handler(warp, op, lanes);
    return !warp->stop && path->pc == next;
}

/* The lanes that the guard lets through. */
static inline uint32_t guarded(struct progress *progress, const struct op *op)
{
    const struct warp *warp = progress->warp;
    const uint32_t lanes =
        progress->active &
        (((const lane_u32 *)warp->base[FILE_PREDICATES])[op->guard] ^ op->guard_flip);
    progress->held += (uint32_t)__builtin_popcount(progress->active & ~lanes);
    return lanes;
}

static inline bool interpret(struct progress *progress, const struct op *op)
{
    const uint32_t lanes = op->guard < 0 ? progress->active : guarded(progress, op);
    if (!lanes)
        return true;
    if (!op->quiet)
        return run_heard(progress, op, lanes);
    op->handler(progress->warp, op, lanes);
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

/* Report the branch and what leads to it, and jump. */
static void tell_branch(struct progress *progress, const struct op *op, uint32_t taken)
{
    struct warp *warp = progress->warp;
    struct turns *turns = &warp->worker->turns;
    const struct turn *turn = turns->turn;
    const uint32_t first = turns->at;
    struct kept kept = turns_kept(progress, op, taken, 0);
    stretch_tell(warp);
    op->handler(warp, op, taken);
    kept.reports = turns->at - first;
    if (warp->turning && !warp->stop && turn == turns->turn && first < turns->at)
        turns->turn->kept[first] = kept;
}

/* Run a branch, which `taken` take. False: the path stops. */
static bool take(struct progress *progress, const struct op *op, uint32_t taken)
{
    struct warp *warp = progress->warp;
    struct path *path = warp->path;
    advance(progress, op + 1);
    if (!turns_repeat(warp, &warp->worker->turns, op, taken, 0))
        tell_branch(progress, op, taken);
    else if (taken)
        path_jump(warp, op->instr->target);
    if (warp->stop)
        return false;
    progress->told = op_at(progress, path->pc);
    progress->held = 0;
    if (progress->told->heads || !warp->turning)
        turns_go_on(warp, &warp->worker->turns, progress->told);
    return true;
}

static bool branch(struct progress *progress, int pc, uint32_t taken)
{
    progress->held += (uint32_t)__builtin_popcount(progress->active & ~taken);
    return take(progress, op_at(progress, pc), taken) && taken;
}

/* Where the stretch at `op` ends, or where the path meets others, if that is before it. */
static const struct op *end_of(const struct path *path, const struct op *op)
{
    const int to_meeting = path->record->pc - path->pc;
    return op + (to_meeting > 0 && to_meeting < op->stretch ? to_meeting : op->stretch);
}

/* Run the stretch at `op`, and those that branches lead to. */
static void run_from(struct progress *progress, const struct op *op)
{
    struct warp *warp = progress->warp;
    const struct path *path = warp->path;
    const struct op *end = end_of(path, op);
    progress->told = op;
    progress->held = 0;
    progress->active = path->mask;
    progress->ops = (const char *)path->frame->code->ops;
    while (op < end) {
        if (atomic_load_explicit(&op->plain, memory_order_relaxed)) {
            op->handler(warp, op, progress->active);
            op++;
            continue;
        }
        if (op->always) {
            if (!take(progress, op, op->guard < 0 ? progress->active : guarded(progress, op)))
                return;
            op = progress->told;
            end = path->pc == path->record->pc ? op : end_of(path, op);
            continue;
        }
        compiled_run *run = atomic_load_explicit(&op->run, memory_order_acquire);
        const bool fits = run && op->run_length <= end - op &&
                          (!op->run_whole || progress->active == (uint32_t)FULL_WARP);
        const int length = fits ? op->run_length : 0;
        if (length ? !run(progress) : !interpret(progress, op)) {
            if (!progress->left)
                return;
            progress->left = false;
            op = op_at(progress, path->pc);
            end = path->pc == path->record->pc ? op : end_of(path, op);
            continue;
        }
        op += length ? length : 1;
    }
    if (progress->told != end) {
        advance(progress, end);
        stretch_tell(warp);
    }
}

uint32_t stretch_run_quiet(struct warp *warp, bool heard, uint32_t most)
{
    const struct path *path = warp->path;
    struct progress progress = {.warp = warp,
                                .active = path->mask,
                                .heard = heard,
                                .ops = (const char *)path->frame->code->ops};
    const struct op *const first = op_at(&progress, path->pc), *end = end_of(path, first), *op;
    progress.told = first;
    end = most < end - first ? first + most : end;
    for (op = first; op < end && op->quiet; op++)
        interpret(&progress, op);
    advance(&progress, op);
    warp->progress = &progress;
    stretch_tell(warp);
    warp->progress = NULL;
    if (path->pc == path->record->pc)
        path_arrive(warp);
    return (uint32_t)(op - first);
}

void stretch_run(struct warp *warp, bool heard)
{
    const struct path *path = warp->path;
    struct progress progress = {.warp = warp,
                                .base = warp->base,
                                .heard = heard,
                                .step = step,
                                .branch = branch,
                                .laps = laps_most,
                                .once = laps_once,
                                .leave = laps_leave,
                                .move = laps_move,
                                .tell = laps_tell,
                                .shapes = (char *)warp->worker->shapes,
                                .loaded = warp->worker->loaded};
    bool begun = false;
    warp->progress = &progress;
    while (!warp->stop) {
        const struct op *const next = &path->frame->code->ops[path->pc];
        if (!next->stretch)
            break;
        if (next->heads || !begun)
            turns_begin(warp, next);
        begun = true;
        run_from(&progress, next);
        if (!warp->stop && path->pc == path->record->pc)
            path_arrive(warp);
    }
    turns_end(warp);
    warp->progress = NULL;
}
