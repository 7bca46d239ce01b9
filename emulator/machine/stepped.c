/* SPDX-License-Identifier: MIT */
/* Launches that a timing model drives: it says when blocks start and warps go on. */
#include "machine/stepped.h"

#include <stdlib.h>

#include "spin.h"
#include "steady.h"
#include "observer_memory.h"
#include "launch.h"
#include "stretch.h"

struct launch_state *stepped_launch(struct machine *machine, const struct launch_request *request,
                                    struct fault *fault)
{
    struct launch_state *launch = observer_allocate(1, sizeof *launch);

    if (launch_begin(launch, machine, request, true))
        return launch;
    stepped_finish(launch, fault);
    return NULL;
}

void stepped_finish(struct launch_state *launch, struct fault *fault)
{
    launch_end(launch, fault);
    free(launch);
}

const struct launch *stepped_info(const struct launch_state *launch)
{
    return &launch->launch;
}

struct block *stepped_start(struct launch_state *launch)
{
    struct worker *worker = &launch->workers[0];

    return worker_start_block(worker) ? worker->blocks : NULL;
}

void stepped_end(struct block *block)
{
    worker_end_block(block);
}

struct warp *stepped_warp(struct block *block, int index)
{
    return &block->warps[index];
}

bool stepped_failed(const struct block *block)
{
    return block->failed || block->launch->failed_position != UINT64_MAX;
}

void stepped_deadlock(struct block *block)
{
    block_deadlock(block);
}

bool stepped_is_independent(const struct launch_state *launch)
{
    const struct program *program = launch->code->program;

    if (launch->code->orders_blocks || code_reads_clock(launch->code))
        return false;
    for (int f = 0; f < program->module->function_count; f++)
        if (!program->codes[f].function->is_entry && code_reads_clock(&program->codes[f]))
            return false;
    return true;
}

uint64_t stepped_started(const struct launch_state *launch)
{
    return launch->next_position < launch->block_count ? launch->next_position
                                                       : launch->block_count;
}

uint64_t stepped_issued(const struct launch_state *launch, uint64_t *ended)
{
    uint64_t issued = 0;

    *ended = 0;
    for (int i = 0; i < launch->worker_count; i++) {
        issued += launch->workers[i].issued;
        *ended += launch->workers[i].ended;
    }
    return issued;
}

/* Exchange the blocks that the workers have for those in `blocks`. */
static void exchange_blocks(struct launch_state *launch, struct block **blocks)
{
    for (int i = 0; i < launch->worker_count; i++) {
        struct worker *worker = &launch->workers[i];
        struct block *had = worker->blocks;
        worker->blocks = blocks[i];
        blocks[i] = had;
        atomic_store(&worker->stuck_at, WORKER_BUSY);
    }
}

/* Run the blocks from `first` to `end` - 1; those that sampling leaves out lie around them. */
static void skip_blocks(struct launch_state *launch, uint64_t first, uint64_t end)
{
    enum { OF = 16 };
    const bool samples = launch->machine->sampling && launch->code->slice;
    const uint64_t left_out = samples ? (end - first) / OF * (OF - 1) : 0;

    atomic_store(&launch->next_position, first + left_out / 2);
    launch->until_position = end - (left_out - left_out / 2);
    workers_run(launch);
    launch->workers[0].sliced += left_out;
    atomic_store(&launch->next_position, end);
}

bool stepped_skip(struct launch_state *launch, uint64_t count)
{
    const uint64_t first = stepped_started(launch), left = launch->block_count - first;
    const uint64_t parts = launch->machine->sampling ? 8 : 1;
    struct block **kept = observer_allocate((size_t)launch->worker_count, sizeof(*kept));

    count = count < left ? count : left;
    launch_translate(launch);
    exchange_blocks(launch, kept);
    for (uint64_t i = 0; i < parts; i++)
        skip_blocks(launch, first + count * i / parts, first + count * (i + 1) / parts);
    launch->until_position = launch->block_count;
    exchange_blocks(launch, kept);
    free(kept);
    return launch->failed_position == UINT64_MAX;
}

uint64_t stepped_writes(const struct launch_state *launch)
{
    return launch_writes(launch);
}

int stepped_op_count(const struct launch_state *launch)
{
    return launch->code->program->op_count;
}

void stepped_visit(const struct launch_state *launch,
                   void (*visit)(void *self, int number, const struct ptx_function *function,
                                 const struct ptx_instr *instr),
                   void *self)
{
    const struct program *program = launch->code->program;

    for (int f = 0; f < program->module->function_count; f++) {
        const struct code *code = &program->codes[f];
        for (int i = 0; i < code->op_count; i++)
            visit(self, code->ops[i].number, code->function, code->ops[i].instr);
    }
}

/* What became of the instruction just run, for its word. */
static uint64_t outcome(const struct warp *warp, const struct op *op, const struct path *path)
{
    const bool at_barrier =
        op->instr && (op->instr->opcode == OP_BAR || op->instr->opcode == OP_BARRIER);

    return at_barrier && path->state == PATH_AT_BARRIER && warp_has_ready(warp) ? STEPPED_PARTIAL
                                                                                : 0;
}

/* Run the instructions before the next one that is to be looked at. False: it comes first. */
static bool run_quiet(struct warp *warp, const struct op *op, struct stepped_trace *trace)
{
    const bool heard = warp_is_heard(warp);
    if (!op->quiet || !stretch_is_allowed(warp, heard))
        return false;
    const uint32_t count = stretch_run_quiet(warp, heard, trace->room - trace->count);
    for (uint32_t i = 0; i < count; i++)
        trace->words[trace->count++] = (uint64_t)op[i].number;
    return true;
}

enum stepped_stop stepped_run(struct warp *warp, struct stepped_trace *trace, bool pending)
{
    while (!warp->block->failed) {
        struct path *path = warp->path;
        bool polls = false;
        if (warp->stop || !path)
            path = warp_advance(warp, &polls);
        if (polls)
            return STEPPED_POLLING;
        if (!path)
            break;
        if (trace->count == trace->room)
            return STEPPED_LIMIT;
        const struct op *op = &path->frame->code->ops[path->pc];
        if (run_quiet(warp, op, trace))
            continue;
        if (op->stops && !pending)
            return op->stops;
        if (op->stops == STEPPED_ORDERED)
            warp->polled_again = warp->watches && path_would_poll_again(warp, path);
        pending = false;
        const uint32_t at = trace->count++;
        trace->words[at] = (uint64_t)op->number;
        warp_step(warp);
        trace->words[at] |= outcome(warp, op, path);
    }
    warp->state = warp->live == 0 ? WARP_DONE : WARP_WAITING;
    return warp->live == 0 || warp->block->failed ? STEPPED_DONE : STEPPED_WAITING;
}

bool stepped_polled_again(const struct warp *warp)
{
    return warp->polled_again;
}

int stepped_next(const struct warp *warp)
{
    return warp->path->frame->code->ops[warp->path->pc].number;
}

bool stepped_ready(const struct warp *warp)
{
    return warp_has_ready(warp);
}
