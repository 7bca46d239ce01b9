/* SPDX-License-Identifier: MIT */
/* Branches, exits, and barriers of the block. */
#include "machine/spin.h"
#include "machine/execute/lanes.h"
#include "machine/launch.h"
#include "machine/paths.h"

static void notify_branch(struct warp *warp, const struct op *op, uint32_t taken)
{
    const struct branch_event event = {.worker = warp->worker->number,
                                       .warp = warp,
                                       .instr = op->instr,
                                       .active = warp->path->mask,
                                       .taken = taken};
    if (!TURNS_KEEP(branch, warp, &event))
        NOTIFY(warp->block->listeners->branch, &event);
}

/* The lanes of the warp that already wait at the barrier, for the checkers. Not counted are
 * those on paths beside the current one (path_beside): the machine had let them go on before the
 * others had met them, and at this barrier they meet again. */
static uint32_t lanes_at(const struct warp *warp, int number)
{
    uint32_t lanes = 0;
    if (warp->path_limit == 1)
        return 0;
    for (int i = 0; i < warp->path_limit; i++)
        if (warp->paths[i].state == PATH_AT_BARRIER && warp->paths[i].barrier == number &&
            !path_beside(&warp->paths[i], warp->path))
            lanes |= warp->paths[i].mask;
    return lanes;
}

static void notify_barrier(struct warp *warp, const struct op *op, uint32_t lanes, int number,
                           uint32_t expected, bool waits)
{
    const struct barrier_event event = {.worker = warp->worker->number,
                                        .warp = warp,
                                        .instr = op->instr,
                                        .lanes = lanes,
                                        .number = number,
                                        .expected = expected,
                                        .waits = waits,
                                        .before = lanes_at(warp, number),
                                        .live = warp->live,
                                        .block_live = warp->block->live};
    NOTIFY(warp->block->listeners->barrier, &event);
}

static void jump(struct warp *warp, uint32_t lanes, int target, int reconverge)
{
    if (lanes == 0)
        return;
    if (lanes == warp->path->mask)
        path_jump(warp, target);
    else
        path_split(warp, lanes, target, warp->path->pc, reconverge);
}

/* The executor runs even if the guard leaves no lane: a branch that no lane takes is an event
 * too. */
EXECUTOR(branch)
{
    if (op->guard >= 0)
        notify_branch(warp, op, lanes);
    jump(warp, lanes, op->instr->target, op->instr->reconverge);
}

/* A branch through a table. The lanes with one target leave the path together; the others
 * execute the instruction again. */
EXECUTOR(branch_indexed)
{
    const lane_u32 *index = slot_lanes(warp, op->a);
    const int lane = first_lane(lanes);
    if (index[lane] >= (uint32_t)op->instr->target_count) {
        warp_fault(warp, op->instr, lane, FAULT_ADDRESS, "branch out of its table",
                   "index %u of %d", index[lane], op->instr->target_count);
        return;
    }
    uint32_t same = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1 && index[i] == index[lane])
            same |= 1u << i;
    notify_branch(warp, op, same);
    if (same == warp->path->mask)
        jump(warp, same, op->instr->targets[index[lane]], op->instr->reconverge);
    else /* the others stay, and come here again */
        path_split(warp, same, op->instr->targets[index[lane]], warp->path->pc - 1,
                   op->instr->reconverge);
}

EXECUTOR(leave)
{
    (void)op;
    path_exit(warp, lanes);
}

EXECUTOR(return_)
{
    (void)op;
    if (warp->path->frame->caller)
        call_return(warp, lanes);
    else
        path_exit(warp, lanes);
}

void control_end(struct warp *warp, const struct op *op, uint32_t lanes)
{
    return_(warp, op, lanes);
}

bool divide_guarded(struct warp *warp, uint32_t lanes)
{
    const int next = warp->path->pc;
    if (lanes == warp->path->mask)
        return false;
    path_split(warp, lanes, next - 1, next, next);
    return true;
}

EXECUTOR(block_barrier)
{
    if (divide_guarded(warp, lanes))
        return;
    const int lane = first_lane(lanes);
    const uint64_t number = slot_read(warp, op->a, lane);
    const uint64_t expected = op->b.present ? slot_read(warp, op->b, lane) : 0;
    const bool arrives = ptx_has(op->instr, MOD_ARRIVE);
    if (number >= MAX_BARRIERS || expected % WARP_SIZE != 0 || (arrives && expected == 0)) {
        warp_fault(warp, op->instr, lane, FAULT_BARRIER, "bad barrier",
                   "barrier %llu for %llu threads (allowed: 0 to 15, a multiple of 32)",
                   (unsigned long long)number, (unsigned long long)expected);
        return;
    }
    notify_barrier(warp, op, lanes, (int)number, (uint32_t)expected, !arrives);
    block_arrive(warp, op, lanes, (int)number, (uint32_t)expected, !arrives);
}

EXECUTOR(sleep_)
{
    (void)op;
    (void)lanes;
    path_spin(warp, SPIN_SLEEP);
}

/* Does the function look for the barrier of its grid, as grid.sync() does before it traps? */
static bool wants_grid(const struct ptx_function *function)
{
    for (int i = 0; i < function->instr_count; i++) {
        const struct ptx_instr *instr = &function->instrs[i];
        for (int j = 0; j < instr->operand_count; j++)
            if (instr->operands[j].kind == OPERAND_SPECIAL &&
                instr->operands[j].number == SREG_ENVREG2)
                return true;
    }
    return false;
}

EXECUTOR(trap)
{
    const struct launch_state *launch = warp->block->launch;
    const bool alone = !launch->launch.workspace && wants_grid(launch->code->function);

    warp_fault(warp, op->instr, first_lane(lanes), FAULT_TRAP, op->instr->text, "%s",
               alone ? "grid.sync() needs cudaLaunchCooperativeKernel()" : "");
}

void do_nothing(struct warp *warp, const struct op *op, uint32_t lanes)
{
    (void)warp;
    (void)op;
    (void)lanes;
}

/* Kernels run one after the other, so there is nothing to wait for. The race checker is told,
 * because on a GPU a kernel that does not wait may overlap the one before it. */
EXECUTOR(dependency)
{
    const struct instruction_event event = instruction_event_of(warp, op, lanes);
    NOTIFY(warp->block->listeners->dependency, &event);
}

/* bar.sync a {, b}; bar.arrive a, b; bar.red.op d, a {, b}, {!}c */
static void bind_barrier(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->handler = block_barrier;
    bind_operands(binder);
    if (ptx_has(instr, MOD_RED) && !op->c.present) {
        op->c = op->b;
        op->b = (struct slot){0};
    }
}

static void bind_branch(struct binder *binder)
{
    struct op *op = binder->op;
    op->handler = branch;
    op->always = true;
    if (binder->instr->target < 0)
        bind_refuse(binder, "the label is not known");
}

void bind_control(struct binder *binder)
{
    struct op *op = binder->op;
    switch (binder->instr->opcode) {
    case OP_BRA:
        bind_branch(binder);
        break;
    case OP_BRX:
        op->handler = branch_indexed;
        bind_operands(binder);
        break;
    case OP_CALL:
        bind_call(binder);
        break;
    case OP_RET:
        op->handler = return_;
        break;
    case OP_EXIT:
        op->handler = leave;
        break;
    case OP_BAR:
    case OP_BARRIER:
        if (ptx_has(binder->instr, MOD_WARP))
            bind_collective(binder);
        else if (ptx_has(binder->instr, MOD_CLUSTER))
            bind_cluster(binder);
        else
            bind_barrier(binder);
        break;
    case OP_NANOSLEEP:
        op->handler = sleep_;
        break;
    case OP_TRAP:
    case OP_BRKPT:
        op->handler = trap;
        break;
    case OP_PMEVENT:
        op->handler = do_nothing; /* there is no hardware profiler */
        break;
    case OP_GRIDDEPCONTROL:
        op->handler = dependency;
        break;
    default:
        bind_refuse(binder, NULL);
    }
}
