/* SPDX-License-Identifier: MIT */
/* One SM, instruction by instruction. Each warp issues in order, as soon as the registers it reads
 * are ready and its scheduler has a slot. Units and memory serve requests in the order in which
 * they are made. run_warp() is the main loop. */
#include "time/cycle_sm.h"

#include <stdlib.h>
#include <string.h>

#include "gpus/coalesce.h"
#include "machine/observer_memory.h"

/* Warps. */

/* Where `ready` and `origins` have a register: each copy of an unrolled loop has its own. */
static uint32_t value_of(const struct sm *sm, const struct cycle_item *item, uint32_t reg)
{
    return sm->code->carried[reg] ? reg : reg + item->copy * sm->code->register_count;
}

/* When all registers of the warp's next instruction are ready, and what gives the last one of them
 * its value. */
static double ready_time(const struct sm *sm, const struct sm_warp *warp, enum origin *origin)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;
    double time = warp->next;

    *origin = FROM_UNIT;
    for (int i = 0; i < op->source_count + op->result_count; i++) {
        const uint32_t value = value_of(sm, item, registers[i]);
        if (warp->ready[value] > time) {
            time = warp->ready[value];
            *origin = (enum origin)warp->origins[value];
        }
    }
    return time;
}

static void set_results(const struct sm *sm, struct sm_warp *warp, double time, enum origin origin)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;

    for (int i = op->source_count; i < op->source_count + op->result_count; i++) {
        const uint32_t value = value_of(sm, item, registers[i]);
        warp->ready[value] = time;
        warp->origins[value] = (uint8_t)origin;
    }
}

static void start_block(struct sm *sm, struct sm_block *block, double now);

static void end_warp(struct sm *sm, struct sm_warp *warp, double now)
{
    struct sm_block *block = warp->block;

    if (sm->work->paths)
        sm_add_point(sm, warp, warp->log->full ? warp->log->kept : warp->log->instructions, now);
    sm->ends[block->number] = later(sm->ends[block->number], now);
    block->live--;
    if (block->live == 0) {
        phases_stop(&block->phases);
        sm->sums.allows =
            later(sm->sums.allows, block->allows > 0 ? block->allows : sm->ends[block->number]);
        sm_draw_block(sm, block);
        /* The block keeps its slot until L2 has answered its stores. */
        const double left = later(sm->ends[block->number], block->stored);
        start_block(sm, block, left + sm->gpu->block_latency);
        return;
    }
    sm_open(sm, block);
}

/* An instruction that costs nothing, such as a move: its results are ready when its operands are.
 */
static void pass_on(const struct sm *sm, struct sm_warp *warp)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;
    enum origin origin = FROM_UNIT;
    double time = 0;

    for (int i = 0; i < op->source_count; i++) {
        const uint32_t value = value_of(sm, item, registers[i]);
        if (warp->ready[value] > time) {
            time = warp->ready[value];
            origin = (enum origin)warp->origins[value];
        }
    }
    set_results(sm, warp, time, origin);
}

/* Go on to the next instruction that is issued, past those that cost nothing. Returns false at the
 * end of the log. */
static bool advance(struct sm *sm, struct sm_warp *warp)
{
    for (;;) {
        if (warp->item == warp->item_count) {
            if (warp->at == 0)
                sm_load_parameters(sm, warp);
            if (!sm_take_block(sm, warp))
                return false;
            if (warp->jumped && warp->next > 0)
                warp->next += sm->gpu->jump_latency;
            warp->next += (double)sm->gpu->part_latency * warp->partings;
            continue;
        }
        if (sm->code->ops[warp->items[warp->item].index].kind != CYCLE_FREE)
            return true;
        pass_on(sm, warp);
        warp->item++;
    }
}

static enum origin origin_of(const union cycle_word *request)
{
    const enum request_kind space = request->request.space;

    return space == REQUEST_SHARED || space == REQUEST_CONSTANT || space == REQUEST_SWAP
               ? FROM_SHARED
               : FROM_MEMORY;
}

static bool is_store(const union cycle_word *request)
{
    return request->request.space == REQUEST_STORE;
}

/* All that the warp has begun of this kind since the last group becomes a group. */
static void commit(struct sm_warp *warp, enum background kind)
{
    const uint32_t number = warp->background[kind].groups++;

    warp->background[kind].group[number % GROUPS_MOST] = warp->background[kind].done;
}

/* Wait until all of this kind are complete, or all except the last few groups. */
static void await(struct sm *sm, struct sm_warp *warp, const struct cycle_op *op)
{
    const uint32_t groups = warp->background[op->background].groups;
    double when = 0;

    if (op->all)
        when = warp->background[op->background].done;
    else if (op->groups < GROUPS_MOST && op->groups < groups)
        when = warp->background[op->background].group[(groups - 1 - op->groups) % GROUPS_MOST];
    if (when <= warp->next)
        return;
    sm->sums.request += when - warp->next;
    warp->next = when;
}

static bool is_copy(const union cycle_word *request)
{
    const enum request_kind space = request->request.space;

    return space == REQUEST_COPY || space == REQUEST_COPY_L2;
}

/* The index in `requests` of the next instruction. */
static uint32_t request_index(const struct sm_warp *warp)
{
    const struct cycle_item *item = &warp->items[warp->item];

    return item->copy * warp->length + item->index - warp->first;
}

/* The next request of the same instruction, which makes several if its lanes are in several spaces
 * or blocks; or NULL. */
static const union cycle_word *next_request(const struct sm_warp *warp,
                                            const union cycle_word *request)
{
    const union cycle_word *next = word_behind(request), *end = warp->log->words + warp->log->count;

    return next < end && next->head.kind == WORD_REQUEST && next->head.index == request->head.index
               ? next
               : NULL;
}

static void finish_later(struct sm_warp *warp, enum background kind, double when)
{
    warp->background[kind].done = later(warp->background[kind].done, when);
}

/* The warp asks the engine for a bulk store. That takes it as long as asking for a copy. */
static void store_bulk(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                       struct arrival arrival)
{
    const double asked = later(start + sm->gpu->bulk_latency, warp->next);
    double read;
    const double done = sm_store_bulk(sm, asked, index, arrival, &read) + sm->work->l2_latency;

    warp->next = asked + sm->gpu->bulk_clocks;
    finish_later(warp, OF_STORES_READ, read);
    finish_later(warp, OF_STORES, done);
    warp->block->stored = later(warp->block->stored, done);
}

/* The warp meets what other blocks write or read. */
static void cross(const struct sm *sm, struct sm_warp *warp, double start, uint64_t number)
{
    if (!sm->work->waits)
        return;
    sm->work->waits->met[number] = start;
    warp->early = start < sm->work->waits->until[number];
}

/* The warp has read in vain, and has it `there`: it compares, branches, and reads again. */
static void read_again(struct sm *sm, struct sm_warp *warp, double start, double there)
{
    enum { COMPARE_AND_BRANCH = 2 };

    begin(&warp->scheduler->slots, start, COMPARE_AND_BRANCH);
    sm->sums.request += there - start;
    warp->next = there + cycle_poll_clocks(sm->gpu);
}

/* Make the requests to memory of the next instruction. */
static void request(struct sm *sm, struct sm_warp *warp, double start)
{
    const struct cycle_item *item = &warp->items[warp->item];
    enum origin origin = FROM_MEMORY;
    double last = start;

    for (const union cycle_word *request = warp->requests[request_index(warp)]; request;
         request = next_request(warp, request)) {
        if (request->request.space == REQUEST_BULK_STORE) {
            store_bulk(sm, warp, start, item->index, request[1].arrival);
            continue;
        }
        if (request->request.space == REQUEST_CROSSING) {
            cross(sm, warp, start, request[1].crossing);
            continue;
        }
        const double when = request->request.space == REQUEST_PHASE
                                ? sm_at_phases(sm, warp, start, item->index, request)
                            : request->request.space == REQUEST_CONSTANT
                                ? sm_load_constant(sm, warp, start, item->index, request)
                                : sm_access(sm, start, item->index, request);
        if (when >= last)
            origin = origin_of(request);
        last = later(last, when);
        if (is_copy(request))
            finish_later(warp, OF_COPIES, when + sm->gpu->copy_latency);
        if (request->request.space == REQUEST_SWAP) /* a loop */
            warp->next = when;
        if (is_store(request))
            warp->block->stored = later(warp->block->stored, when + sm->work->l2_latency);
    }
    if (warp->early)
        read_again(sm, warp, start, last);
    else if (sm->code->ops[item->index].loads)
        set_results(sm, warp, last, origin);
}

/* Take a slot of the scheduler, and the unit that `op` needs, from `time` on. Returns when it has
 * both. A conflict of registers delays the warp by all of `conflict`, the scheduler by half: in
 * the other half it reads registers of other warps. */
static double take_slot(struct scheduler *scheduler, const struct cycle_op *op, double conflict,
                        double time)
{
    const double start = begin(&scheduler->slots, time, op->slots + conflict / 2);
    struct server *unit = &scheduler->units[op->unit];

    if (op->either && scheduler->units[UNIT_MULTIPLY].free < unit->free)
        unit = &scheduler->units[UNIT_MULTIPLY];
    return op->busy ? begin(unit, start, op->busy) : start;
}

/* What comes of the warp's instruction `op`, which was issued at `start`. */
static void follow_up(struct sm *sm, struct sm_warp *warp, const struct cycle_op *op, double start)
{
    switch (op->kind) {
    case CYCLE_MEMORY:
        request(sm, warp, start);
        break;
    case CYCLE_EXCHANGE:
        sm->sums.shared += 1;
        set_results(sm, warp, serve(&sm->load_store, start, 1) - 1 + op->latency, FROM_SHARED);
        break;
    case CYCLE_FENCE:
        warp->next = start + op->latency;
        sm->sums.result += op->latency;
        break;
    case CYCLE_BARRIER:
        sm_arrive(sm, warp, start);
        break;
    case CYCLE_CLUSTER_ARRIVE:
        sm_arrive_in_cluster(sm, warp, start, op->latency);
        break;
    case CYCLE_CLUSTER_WAIT:
        sm_wait_in_cluster(warp, start);
        break;
    case CYCLE_WGMMA:
        warp->background[OF_WGMMA].done = start + op->busy + op->latency;
        break;
    case CYCLE_COMMIT:
        commit(warp, op->background);
        if (op->background == OF_STORES)
            commit(warp, OF_STORES_READ);
        break;
    case CYCLE_AWAIT:
        await(sm, warp, op);
        break;
    case CYCLE_AFTER_LAUNCH:
        sm->sums.waits = later(sm->sums.waits, start);
        break;
    case CYCLE_NEXT_LAUNCH:
        warp->block->allows = warp->block->allows > 0 ? warp->block->allows : start;
        break;
    case CYCLE_CLOCK:
        if (sm->work->paths)
            sm_add_point(sm, warp, warp->before + request_index(warp) + 1, start);
        /* fall through */
    default:
        set_results(sm, warp, start + op->latency, FROM_UNIT);
    }
}

/* Issue the warp's instruction. Returns when it did. */
static double issue(struct sm *sm, struct sm_warp *warp, double time)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const double conflict = (double)item->conflict / CLOCK_PARTS;
    const double start = take_slot(warp->scheduler, op, conflict, time);

    sm->sums.issuing += start - time + op->slots;
    warp->next = start + later(op->slots, op->alone) + conflict;
    follow_up(sm, warp, op, start);
    if (warp->early) {
        warp->early = false;
        return start;
    }
    warp->address += op->slots;
    warp->item++;
    return start;
}

/* Fetch a code line that a warp comes to. One that was here before is asked for when the warp
 * enters the line before it. A new one comes from L2, a chunk of lines at once and a chunk
 * ahead of the first warp; the kernel's first chunk is there when it begins. */
static double fetch(struct sm *sm, const struct code_line *line, const struct sm_warp *warp)
{
    const ptrdiff_t number = line - sm->code_lines, chunk = sm->gpu->code_chunk / CODE_LINE;
    const double clocks = CODE_LINE * sm->gpu->code_clocks;

    if (line->fetched)
        return serve(&sm->code_fetch, warp->code_time, clocks);
    if (number < chunk)
        return serve(&sm->code_fetch, 0, clocks);
    return serve(&sm->code_fetch, line[-chunk].entered,
                 clocks + (number % chunk == 0 ? sm->work->l2_latency : 0));
}

/* When the warp's next instruction is in the instruction cache, at `time` or later. The cache has
 * CODE_SETS sets of lines; the oldest one of a set leaves it. */
static double when_fetched(struct sm *sm, struct sm_warp *warp, double time)
{
    struct code_line *line = &sm->code_lines[warp->address / CODE_LINE];
    const uint64_t room = (uint64_t)sm->gpu->code_instructions / CODE_LINE / CODE_SETS;
    uint64_t *fetches = &sm->fetches[warp->address / CODE_LINE % CODE_SETS];

    if (warp->code_line == warp->address / CODE_LINE + 1)
        return later(time, line->ready);
    if (!line->fetched || *fetches - line->fetched >= room) {
        line->ready = fetch(sm, line, warp);
        line->entered = line->fetched ? line->entered : later(time, line->ready);
        line->fetched = ++*fetches;
    }
    warp->code_line = warp->address / CODE_LINE + 1;
    warp->code_time = later(time, line->ready);
    return warp->code_time;
}

/* Add up what the warp waited for since its last instruction. */
static void note_wait(struct sm *sm, const struct sm_warp *warp, enum origin origin, double time)
{
    const double waited = time - warp->next;

    if (origin == FROM_MEMORY)
        sm->sums.request += waited;
    else if (origin == FROM_SHARED)
        sm->sums.shared_request += waited;
    else
        sm->sums.result += waited;
}

/* Let the warp issue until another warp could issue before it, or it has to wait for other warps.
 * Of several that are ready, one of the oldest block issues. So warps of the youngest end last, too
 * few to keep the scheduler busy (benchmarks/model/launch.cu, 528 blocks of 256 threads). */
static void run_warp(struct sm *sm, struct entry entry)
{
    struct sm_warp *warp = entry.warp;
    const struct server *slots = &warp->scheduler->slots;

    for (;;) {
        enum origin origin;
        if (!advance(sm, warp)) {
            end_warp(sm, warp, warp->next);
            return;
        }
        const double time = when_fetched(sm, warp, ready_time(sm, warp, &origin));
        if (slots->free > later(entry.time, time) && sm->heap_count &&
            sm->heap[0].time <= slots->free) {
            sm_push(sm, (struct entry){slots->free, time, entry.number, warp});
            return;
        }
        if (sm->heap_count && sm->heap[0].time < time) {
            sm_push_ready(sm, warp, time);
            return;
        }
        const struct cycle_op *op = &sm->code->ops[warp->items[warp->item].index];
        note_wait(sm, warp, origin, time);
        const double start = issue(sm, warp, time);
        if (sm->work->timeline) {
            sm_draw(sm, warp, origin == FROM_UNIT ? TIMELINE_OTHER : TIMELINE_MEMORY, time);
            sm_draw(sm, warp, TIMELINE_OTHER, start);
            sm_draw(sm, warp, TIMELINE_ISSUES, start + op->slots);
        }
        if (warp->stop != RUNS) {
            sm_open(sm, warp->block);
            return;
        }
    }
}

/* Blocks. */

static void start_warp(struct sm *sm, struct sm_block *block, int i, double now)
{
    struct sm_warp *warp = &block->warps[i];
    const size_t values = (size_t)sm->code->register_count * CYCLE_UNROLL + 1;
    double *ready = warp->ready;
    uint8_t *origins = warp->origins;
    const union cycle_word **requests = warp->requests;

    memset(ready, 0, values * sizeof(*ready));
    *warp = (struct sm_warp){
        .log = &sm->work->logs[block->number * sm->work->warps + i],
        .block = block,
        .scheduler = &sm->schedulers[(block->first_warp + i) % sm->gpu->schedulers],
        .next = now,
        .drawn = now,
        .ready = ready,
        .origins = origins,
        .requests = requests,
    };
    sm_push_ready(sm, warp, now);
}

static void start_block(struct sm *sm, struct sm_block *block, double now)
{
    if (sm->next_block == sm->work->blocks)
        return;
    block->number = sm->next_block++;
    block->live = sm->work->warps;
    block->waiting = 0;
    block->latest = 0;
    block->stored = 0;
    block->allows = 0;
    block->cluster = (struct cluster_barrier){0};
    if (sm->code->has_phases)
        phases_start(&block->phases, &sm->work->logs[block->number * sm->work->warps],
                     sm->work->warps);
    /* The GPU starts its blocks one after the other, whatever SM they are for. */
    const double turn = block->number / sm->work->sm_fraction * sm->work->block_clocks;
    block->begin = later(now, turn);
    if (sm->work->waits)
        sm->work->waits->begins[block->number] = block->begin;
    for (int i = 0; i < sm->work->warps; i++)
        start_warp(sm, block, i, block->begin);
}

/* Add up how long units were busy: of several of a kind, the busiest. */
static void add_units(struct sm *sm)
{
    double *issue = &sm->sums.issue, *load_store = &sm->sums.load_store;

    sm->sums.end = sm->drained;
    for (int i = 0; i < sm->work->blocks; i++)
        sm->sums.end = later(sm->sums.end, sm->ends[i]);
    for (int i = 0; i < sm->gpu->schedulers; i++) {
        *issue = later(*issue, sm->schedulers[i].slots.busy);
        for (int unit = 0; unit < UNIT_COUNT; unit++)
            *issue = later(*issue, sm->schedulers[i].units[unit].busy);
    }
    *load_store = later(later(sm->load_store_busy, sm->port.busy), sm->l2.busy);
    for (int i = 0; i < sm->gpu->atomic_slices; i++)
        *load_store = later(*load_store, sm->slices[i].busy);
    sm->sums.memory = sm->dram.busy;
}

/* Room for the warps and blocks that fit at once. */
static void make_room(struct sm *sm)
{
    const struct sm_work *work = sm->work;
    const size_t warps = (size_t)sm->resident * work->warps;
    const size_t values = (size_t)sm->code->register_count * CYCLE_UNROLL + 1;
    const size_t items = sm->code->longest + 1;

    sm->blocks = observer_allocate((size_t)sm->resident, sizeof(*sm->blocks));
    sm->warps = observer_allocate(warps, sizeof(*sm->warps));
    sm->ready = observer_allocate(warps * values, sizeof(*sm->ready));
    sm->origins = observer_allocate(warps * values, sizeof(*sm->origins));
    sm->requests = observer_allocate(warps * items, sizeof(*sm->requests));
    sm->code_lines = observer_allocate(sm->code->length / CODE_LINE + 2, sizeof(*sm->code_lines));
    sm->heap = observer_allocate(warps + 1, sizeof(*sm->heap));
    sm->misses_due = observer_allocate((size_t)sm->code->op_count + 1, sizeof(*sm->misses_due));
    cache_start(&sm->l1, work->l1_bytes / LINE_BYTES, true);
    for (size_t i = 0; i < warps; i++) {
        sm->warps[i].ready = &sm->ready[i * values];
        sm->warps[i].origins = &sm->origins[i * values];
        sm->warps[i].requests = &sm->requests[i * items];
    }
    for (int b = 0; b < sm->resident; b++) {
        sm->blocks[b].first_warp = b * work->warps;
        sm->blocks[b].warps = &sm->warps[b * work->warps];
    }
}

static void free_room(struct sm *sm)
{
    cache_stop(&sm->l1);
    free(sm->misses_due);
    free(sm->heap);
    free(sm->code_lines);
    free(sm->requests);
    free(sm->origins);
    free(sm->ready);
    free(sm->warps);
    free(sm->blocks);
}

double cycle_sm_run(const struct sm_work *work, double *ends, struct cycle_sums *sums)
{
    struct sm sm = {
        .work = work,
        .gpu = work->gpu,
        .code = work->code,
        .resident = work->resident < work->blocks ? work->resident : work->blocks,
        .ends = ends,
    };

    make_room(&sm);
    for (int b = 0; b < sm.resident; b++)
        start_block(&sm, &sm.blocks[b], 0);
    for (bool any = true; any;) {
        while (sm.heap_count)
            run_warp(&sm, sm_pop(&sm));
        any = false;
        for (int b = 0; b < sm.resident; b++)
            any |= sm_open_all(&sm, &sm.blocks[b]);
    }
    add_units(&sm);
    *sums = sm.sums;
    free_room(&sm);
    return sm.drained;
}

void cycle_split_time(struct timing_launch *last, double launch, double clocks,
                      const struct cycle_sums *sums)
{
    const double parts = sums->on_the_way + sums->in_memory + sums->latency;
    const double request = parts > 0 ? sums->request / parts : 0;
    double waits[TIMING_LIMIT_COUNT] = {
        [TIMING_ISSUE] = sums->issuing,
        [TIMING_LATENCY] = sums->result + request * sums->latency,
        [TIMING_LOAD_STORE] = request * sums->on_the_way,
        [TIMING_MEMORY] = request * sums->in_memory,
        [TIMING_SHARED] = sums->shared_request,
        [TIMING_BARRIER] = sums->barrier,
    };
    double busy[TIMING_LIMIT_COUNT] = {
        [TIMING_ISSUE] = sums->issue,
        [TIMING_LOAD_STORE] = sums->load_store,
        [TIMING_MEMORY] = sums->memory,
        [TIMING_SHARED] = sums->shared,
    };
    double all = 0;

    for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
        all += waits[i];
    for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
        last->shares[i] = all > 0 ? waits[i] / all * clocks / (launch + clocks) : 0;
    last->shares[TIMING_LAUNCH] = launch + clocks > 0 ? launch / (launch + clocks) : 0;
    if (sums->end > 0)
        for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
            busy[i] /= sums->end;
    timing_find_bound(last, busy);
}
