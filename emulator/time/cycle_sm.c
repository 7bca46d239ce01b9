/* SPDX-License-Identifier: MIT */
/* One SM, instruction by instruction: each warp issues in order, as soon as what it reads is ready
 * and its scheduler has a slot; units and memory serve in the order of asking. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "gpus/coalesce.h"
#include "machine/observer_memory.h"
#include "time/cycle_parts.h"
#include "time/cycle_phases.h"

enum { SCHEDULERS_MOST = 8, SLICES_MOST = 256, GROUPS_MOST = 16, CODE_LINE = 8 };

/* What gives a register its value. */
enum origin { FROM_UNIT, FROM_MEMORY, FROM_SHARED, FROM_BARRIER };

struct scheduler {
    double slot; /* when the next instruction may issue */
    double pipes[PIPE_COUNT]; /* when each is free */
    double slots, busy[PIPE_COUNT]; /* clocks in use */
};

/* What a warp that does not go on waits for. */
enum stop { RUNS, AT_BARRIER, AT_CLUSTER, AT_PHASE };

struct sm_warp {
    const struct cycle_trace *trace;
    uint32_t at; /* in the trace */
    struct sm_block *block;
    struct scheduler *scheduler;
    double next; /* it issues no earlier */
    uint32_t place; /* in the machine code */
    uint32_t code_line; /* that it is in, + 1; when it came there */
    double code_time;
    enum stop stop;
    double arrived; /* where it waits */
    const struct phase *phase; /* that it waits for */
    /* Copies it began: when all are there; and so for groups, the last of them at `groups` - 1. */
    double copied, group[GROUPS_MOST];
    uint32_t groups;
    uint32_t meetings; /* barriers of the cluster that it has arrived at */
    double *ready; /* by register and copy */
    uint8_t *origins; /* likewise */
    double told; /* to the timeline, so far */
    const uint64_t **requests; /* of the items in hand, by copy and index in the block */
    const struct cycle_item *items; /* in hand */
    uint32_t first, length, copies, item, item_count;
    uint64_t before; /* instructions, in front of the block in hand */
    bool jumped; /* what follows does not stand behind what was done */
    bool over;
};

struct sm_block {
    int live, waiting;
    double latest; /* at the barrier */
    double stored; /* when L2 has answered its last store */
    /* Of the cluster's: those that arrived, the last of them; how often it opened, and when. */
    int met;
    double last_met, opened;
    uint32_t meetings;
    struct phases phases; /* of barriers in shared memory */
    int number;
    int slot; /* of its first warp */
    double begin;
    struct sm_warp *warps;
};

/* Of the machine code: as the how manieth it was last fetched (0: never), and when it is here. */
struct code_line {
    uint64_t fetched;
    double ready;
};

struct entry {
    double time;
    uint64_t turn;
    struct sm_warp *warp;
};

struct sm {
    const struct cycle_share *share;
    const struct gpu *gpu;
    const struct cycle_code *code;
    uint32_t register_count;
    struct scheduler schedulers[SCHEDULERS_MOST];
    struct cache l1;
    double pipe; /* of memory: free */
    double barrier; /* unit free */
    double port, l2, dram; /* free */
    double bulk, cluster; /* the engine of bulk copies and the way to other blocks: free */
    double slices[SLICES_MOST]; /* of L2, for atomics */
    double anywhere; /* any of them, for those of other SMs */
    double pipe_busy, port_busy, l2_busy, slices_busy[SLICES_MOST];
    double *owed; /* by instruction: part of a miss */
    struct entry *heap;
    int heap_count;
    uint64_t turns;
    struct code_line *code_lines;
    uint64_t fetches;
    double fetch; /* of instructions: free */
    int next_block;
    double *ends;
    double drained; /* when the last store has left */
    struct cycle_sums sums;
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* The heap: the earliest first, and of those the one that has waited longest. */

static bool is_before(const struct entry *a, const struct entry *b)
{
    return a->time != b->time ? a->time < b->time : a->turn < b->turn;
}

static void push(struct sm *sm, struct sm_warp *warp, double time)
{
    const struct entry entry = {time, ++sm->turns, warp};
    int at = sm->heap_count++;

    while (at > 0 && is_before(&entry, &sm->heap[(at - 1) / 2])) {
        sm->heap[at] = sm->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    sm->heap[at] = entry;
}

static struct entry pop(struct sm *sm)
{
    const struct entry top = sm->heap[0], last = sm->heap[--sm->heap_count];
    int at = 0;

    for (int child; (child = 2 * at + 1) < sm->heap_count; at = child) {
        child += child + 1 < sm->heap_count && is_before(&sm->heap[child + 1], &sm->heap[child]);
        if (!is_before(&sm->heap[child], &last))
            break;
        sm->heap[at] = sm->heap[child];
    }
    sm->heap[at] = last;
    return top;
}

/* Memory. */

/* Clocks of the L2 for requests of so many bytes: of this SM, for the others have theirs. */
static double l2_clocks(const struct sm *sm, double bytes, double requests)
{
    const double moving = bytes / sm->gpu->l2_clock_bytes;
    const double asking = requests / sm->gpu->l2_clock_requests;

    return (moving > asking ? moving : asking) / sm->share->part;
}

/* Through the SM's port, and its turn in L2. */
static double to_l2(struct sm *sm, double from, double bytes, double requests)
{
    const double moving = bytes / sm->gpu->l2_port_bytes;
    const double asking = l2_clocks(sm, bytes, requests);

    sm->port = later(sm->port, from) + moving;
    sm->l2 = later(sm->l2, from) + asking;
    sm->port_busy += moving;
    sm->l2_busy += asking;
    return later(sm->port, sm->l2);
}

/* Its turn in device memory. */
static void to_dram(struct sm *sm, double from, double clocks)
{
    if (clocks <= 0)
        return;
    sm->dram = later(sm->dram, from) + clocks;
    sm->sums.memory += clocks;
}

/* Does one of `requests` of the instruction go beyond L2? In turn, as many as there are misses. */
static bool goes_beyond(struct sm *sm, uint32_t index, double requests)
{
    double *owed = &sm->owed[index];

    *owed += requests * sm->share->misses[index].missing;
    if (*owed < 1 - 1e-9)
        return false;
    while (*owed >= 1 - 1e-9)
        *owed -= 1;
    return true;
}

/* Sectors that L1 lacks, from L2 or beyond: when they are here. */
static double fetch(struct sm *sm, double from, uint32_t index, unsigned sectors)
{
    const struct gpu *gpu = sm->gpu;
    const struct cycle_misses *misses = &sm->share->misses[index];
    const int count = __builtin_popcount(sectors);
    const double bytes = count * SECTOR_BYTES;

    const double when = to_l2(sm, from, bytes, 1);

    sm->sums.on_the_way += when - from;
    to_dram(sm, when, count * misses->written * sm->share->write_clocks);
    if (!goes_beyond(sm, index, 1)) {
        sm->sums.latency += sm->share->l2_latency;
        return when + sm->share->l2_latency;
    }
    to_dram(sm, when, count * sm->share->read_clocks);
    sm->sums.in_memory += sm->dram - when;
    sm->sums.latency += gpu->global_latency;
    return sm->dram + gpu->global_latency;
}

static double load_cached(struct sm *sm, double from, uint32_t index, uint64_t word, bool stays)
{
    const uint64_t number = word >> LINE_NUMBER;
    const unsigned sectors = word & LINE_SECTOR_MASK;

    if (!stays)
        return fetch(sm, from, index, sectors);
    struct cache_line *line = cache_find(&sm->l1, number, NULL);
    double *ready = cache_ready(&sm->l1, line);
    const unsigned missing = sectors & ~(unsigned)line->valid;
    double when = from;
    if (missing) {
        const double here = fetch(sm, from, index, missing);
        for (unsigned left = missing; left; left &= left - 1)
            ready[__builtin_ctz(left)] = here;
        line->valid |= missing;
    }
    for (unsigned left = sectors; left; left &= left - 1)
        when = later(when, ready[__builtin_ctz(left)]);
    return later(when, from + sm->gpu->l1_latency);
}

static double store_line(struct sm *sm, double from, uint32_t index, uint64_t word)
{
    const int count = __builtin_popcount(word & LINE_SECTOR_MASK);
    const double when =
        to_l2(sm, from, count * SECTOR_BYTES, (double)(word >> LINE_COST & LINE_COST_MASK));

    to_dram(sm, from, count * sm->share->misses[index].written * sm->share->write_clocks);
    sm->drained = later(sm->drained, later(when, sm->dram));
    return when;
}

/* What a thread writes to its local memory stays in L1, on its way to L2. */
static void keep_line(struct sm *sm, double from, uint64_t word)
{
    struct cache_line *line = cache_find(&sm->l1, word >> LINE_NUMBER, NULL);

    for (int i = 0; i < LINE_SECTORS; i++)
        if (word >> i & 1) {
            line->valid |= 1u << i;
            cache_ready(&sm->l1, line)[i] = from;
        }
}

/* Its slice of L2 serves what all SMs ask of it: of lines that they have in common just when this
 * one does, and of others anywhere. */
static double update_line(struct sm *sm, double from, uint32_t index, uint64_t word)
{
    const struct gpu *gpu = sm->gpu;
    const uint64_t address = (word >> LINE_NUMBER) * LINE_BYTES;
    const uint64_t slice =
        address / (uint64_t)gpu->atomic_slice_bytes % (uint64_t)gpu->atomic_slices;
    const double mine = (double)(word >> LINE_COST & LINE_COST_MASK) / 4;
    const double all = mine / sm->share->part, common = sm->share->misses[index].common;
    const double cost = mine + (all - mine) * common;
    const double elsewhere = (all - cost) / gpu->atomic_slices;

    sm->anywhere = later(sm->anywhere, from) + elsewhere;
    sm->slices[slice] = later(later(sm->slices[slice], from) + cost, sm->anywhere);
    sm->slices_busy[slice] += cost;
    sm->sums.on_the_way += sm->slices[slice] - from;
    sm->sums.latency += sm->share->l2_latency;
    sm->drained = later(sm->drained, sm->slices[slice]);
    return sm->slices[slice] + sm->share->l2_latency;
}

/* A bulk copy, line by line through an engine of its own: when it is there. */
static double copy_bulk(struct sm *sm, double from, uint32_t index, uint64_t amount)
{
    const struct gpu *gpu = sm->gpu;
    const double sectors = (double)(amount >> AMOUNT_SECTORS & AMOUNT_MASK);
    const double lines = (double)(amount >> AMOUNT_LINES & AMOUNT_MASK);
    const double asking = l2_clocks(sm, sectors * SECTOR_BYTES, lines);
    const struct cycle_misses *misses = &sm->share->misses[index];

    /* The other SMs may have had their turns while this one asked for nothing. */
    sm->bulk = later(sm->bulk, from) + lines * gpu->bulk_line_clocks;
    sm->l2 = later(sm->l2, from - asking) + asking;
    sm->l2_busy += asking;
    const double when = later(sm->bulk, sm->l2);
    sm->sums.on_the_way += when - from;
    if (!goes_beyond(sm, index, lines)) {
        sm->sums.latency += sm->share->l2_latency;
        return when + sm->share->l2_latency;
    }
    const double moving = sectors * (misses->missing * sm->share->read_clocks +
                                     misses->written * sm->share->write_clocks);
    to_dram(sm, from - moving, moving);
    sm->sums.in_memory += later(sm->dram, when) - when;
    sm->sums.latency += gpu->global_latency;
    return later(sm->dram, when) + gpu->global_latency;
}

/* To or from another block of the cluster, whose SM is as busy with this one. */
static double to_cluster(struct sm *sm, double from, double clocks)
{
    sm->cluster = later(sm->cluster, from) + clocks;
    return sm->cluster + sm->gpu->cluster_latency;
}

/* When the results of a request are there. */
static double serve(struct sm *sm, double time, uint32_t index, const uint64_t *request)
{
    const struct gpu *gpu = sm->gpu;
    const enum cycle_space space = request[0] >> WORD_SPACE & 15;
    const uint32_t passes = request[0] >> WORD_PASSES & WORD_PASSES_MASK;
    const uint32_t lines = request[0] >> WORD_LINES & WORD_LINES_MASK;
    double start = later(time, sm->pipe);
    double when = start;

    switch (space) {
    case SPACE_SHARED:
        sm->pipe = start + passes;
        sm->sums.shared += passes;
        return start + passes - 1 + gpu->shared_latency;
    case SPACE_CLUSTER:
        sm->pipe = start + passes;
        sm->sums.shared += passes;
        if (!request[1])
            return start + passes - 1 + gpu->cluster_own_latency;
        return to_cluster(sm, start, (double)request[1] / gpu->cluster_bytes);
    case SPACE_TEXTURE:
        sm->pipe = start + passes;
        sm->pipe_busy += passes;
        sm->sums.on_the_way += start + passes - 1 - time;
        sm->sums.latency += gpu->l1_latency;
        return start + passes - 1 + gpu->l1_latency;
    default:
        break;
    }
    for (uint32_t i = 0; i < lines; i++) {
        const uint64_t word = request[1 + i];
        const double from = start + i * gpu->tag_clocks;
        double here;
        if (space == SPACE_STORE || space == SPACE_LOCAL_STORE)
            here = store_line(sm, from, index, word);
        else if (space == SPACE_ATOMIC)
            here = update_line(sm, from, index, word);
        else
            here = load_cached(sm, from, index, word, space == SPACE_CACHED || space == SPACE_COPY);
        if (space == SPACE_LOCAL_STORE)
            keep_line(sm, from, word);
        when = later(when, here + i * gpu->tag_clocks);
    }
    const double tags = lines * gpu->tag_clocks;
    const double busy = tags > passes ? tags : passes;
    sm->pipe = start + busy;
    sm->pipe_busy += busy;
    sm->sums.on_the_way += start - time;
    return when;
}

/* Warps. */

static uint32_t slot_of(const struct sm *sm, const struct cycle_item *item, uint32_t reg)
{
    return sm->code->carried[reg] ? reg : reg + item->copy * sm->register_count;
}

/* The timeline. */

static uint64_t clock_of(double time)
{
    return (uint64_t)(time + 0.5);
}

static uint64_t grid_number(const struct sm *sm, const struct sm_block *block)
{
    return (uint64_t)block->number * (uint64_t)sm->gpu->multiprocessors;
}

/* What the warp did until then, since it was last told. */
static void tell(const struct sm *sm, struct sm_warp *warp, enum timeline_state state, double until)
{
    const struct timeline *timeline = sm->share->timeline;
    const int index = (int)(warp - warp->block->warps);

    if (clock_of(until) <= clock_of(warp->told))
        return;
    timeline->warp(timeline->self, warp->block->slot + index, grid_number(sm, warp->block),
                   (uint32_t)index, state, clock_of(warp->told), clock_of(until));
    warp->told = until;
}

/* When the warp's next instruction may issue, as far as the warp itself goes; and what it waits
 * for: what comes last decides. */
static double ready_time(const struct sm *sm, const struct sm_warp *warp, enum origin *origin)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;
    double time = warp->next;

    *origin = FROM_UNIT;
    for (int i = 0; i < op->source_count + op->result_count; i++) {
        const uint32_t slot = slot_of(sm, item, registers[i]);
        if (warp->ready[slot] > time) {
            time = warp->ready[slot];
            *origin = (enum origin)warp->origins[slot];
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
        const uint32_t slot = slot_of(sm, item, registers[i]);
        warp->ready[slot] = time;
        warp->origins[slot] = (uint8_t)origin;
    }
}

static void add_point(const struct sm *sm, const struct sm_warp *warp, uint64_t count, double time)
{
    const size_t number =
        (size_t)warp->block->number * sm->share->warps + (size_t)(warp - warp->block->warps);
    struct cycle_path *path = &sm->share->paths[number];

    if (path->count == path->room) {
        path->room = path->room ? 2 * path->room : 16;
        path->points = observer_grow(path->points, path->room, sizeof(*path->points));
    }
    path->points[path->count++] = (struct cycle_point){count, time};
}

static enum cycle_word kind_of(uint64_t word)
{
    return (enum cycle_word)(word >> WORD_KIND);
}

/* Go behind the block that begins at `at`: its requests, and what of it was predicated and begins
 * again in the trace. With a warp the requests are noted as those of `copy`. */
static uint32_t behind_block(const struct sm *sm, const struct cycle_trace *trace, uint32_t at,
                             struct sm_warp *warp, uint32_t copy)
{
    uint32_t last = (uint32_t)trace->words[at];
    const uint32_t block = sm->code->block_of[last];

    for (at++; at < trace->count;) {
        const uint32_t index = (uint32_t)trace->words[at];
        if (kind_of(trace->words[at]) != CYCLE_REQUEST) {
            if (index <= last || sm->code->block_of[index] != block)
                break;
            last = index;
            at++;
            continue;
        }
        if (warp && index >= warp->first && index < warp->first + warp->length)
            warp->requests[copy * warp->length + index - warp->first] = &trace->words[at];
        at += 1 + (trace->words[at] >> WORD_LINES & WORD_LINES_MASK);
    }
    return at;
}

static bool begins_at(const struct cycle_trace *trace, uint32_t at, uint32_t index)
{
    return kind_of(trace->words[at]) == CYCLE_BEGIN && (uint32_t)trace->words[at] == index;
}

/* Does the same block begin again so many times in a row? */
static bool repeats(const struct sm *sm, const struct cycle_trace *trace, uint32_t at,
                    uint32_t times)
{
    const uint32_t index = (uint32_t)trace->words[at];

    for (; times > 0 && at < trace->count && begins_at(trace, at, index); times--)
        at = behind_block(sm, trace, at, NULL, 0);
    return times == 0;
}

/* Take the next basic block in hand. Returns false at the end of the trace. */
static bool take_block(struct sm *sm, struct sm_warp *warp)
{
    const struct cycle_trace *trace = warp->trace;

    if (warp->at >= trace->count)
        return false;
    const uint32_t index = (uint32_t)trace->words[warp->at];
    const struct cycle_block *block = &sm->code->blocks[sm->code->block_of[index]];
    const bool unrolled =
        block->unrolled && index == block->first && repeats(sm, trace, warp->at, CYCLE_UNROLL);

    warp->jumped = index != warp->first + warp->length;
    warp->before =
        (trace->words[warp->at] >> WORD_BEFORE & WORD_BEFORE_MASK) - index + block->first;
    warp->first = block->first;
    warp->length = block->end - block->first;
    warp->copies = unrolled ? CYCLE_UNROLL : 1;
    warp->items = unrolled ? block->unrolled : block->items;
    warp->place = unrolled ? block->unrolled_place : block->place;
    warp->item_count = unrolled ? block->unrolled_count : block->item_count;
    warp->item = 0;
    for (uint32_t copy = 0; copy < warp->copies; copy++)
        warp->at = behind_block(sm, trace, warp->at, warp, copy);
    if (sm->share->paths)
        add_point(sm, warp, warp->before, warp->next);
    return true;
}

static void start_block(struct sm *sm, struct sm_block *block, double now);

static void halt(struct sm_warp *warp, enum stop where, double time)
{
    warp->stop = where;
    warp->arrived = time;
    warp->next = DBL_MAX;
}

/* What it waited for has come. */
static void go_on(struct sm *sm, struct sm_warp *warp, double time, enum origin origin)
{
    *(origin == FROM_BARRIER ? &sm->sums.barrier : &sm->sums.request) += time - warp->arrived;
    warp->stop = RUNS;
    warp->next = time;
    if (sm->share->timeline)
        tell(sm, warp, origin == FROM_BARRIER ? TIMELINE_BARRIER : TIMELINE_MEMORY, time);
    push(sm, warp, time);
}

static void release(struct sm *sm, struct sm_block *block)
{
    const double open = block->latest + sm->gpu->barrier_latency;

    block->waiting = 0;
    block->latest = 0;
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_BARRIER)
            go_on(sm, warp, open, FROM_BARRIER);
    }
}

/* All warps of the block have arrived at the barrier of the cluster; so have the other blocks'. */
static void meet(struct sm *sm, struct sm_block *block)
{
    block->opened = block->last_met + sm->gpu->cluster_barrier_latency;
    block->meetings++;
    block->met = 0;
    block->last_met = 0;
    for (int i = 0; i < sm->share->warps; i++)
        if (block->warps[i].stop == AT_CLUSTER)
            go_on(sm, &block->warps[i], later(block->warps[i].arrived, block->opened),
                  FROM_BARRIER);
}

/* Something comes to a phase of a barrier in shared memory. */
static void come(struct sm *sm, struct sm_block *block, struct phase *phase, double time,
                 bool copied)
{
    if (!phase || !phase_make(phase, time, copied))
        return;
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_PHASE && warp->phase == phase)
            go_on(sm, warp, later(warp->arrived, phase->latest) + sm->gpu->mbarrier_latency,
                  phase->copied ? FROM_MEMORY : FROM_BARRIER);
    }
}

static void tell_block(const struct sm *sm, const struct sm_block *block)
{
    const struct timeline *timeline = sm->share->timeline;
    const uint64_t begin = clock_of(block->begin), end = clock_of(sm->ends[block->number]);

    if (timeline)
        timeline->block(timeline->self, TIMELINE_SM, block->slot / sm->share->warps,
                        grid_number(sm, block), begin, end > begin ? end : begin + 1);
}

static void end_warp(struct sm *sm, struct sm_warp *warp, double now)
{
    struct sm_block *block = warp->block;

    warp->over = true;
    if (sm->share->paths)
        add_point(sm, warp, warp->trace->full ? warp->trace->kept : warp->trace->instructions, now);
    sm->ends[block->number] = later(sm->ends[block->number], now);
    block->live--;
    if (block->live == 0) {
        phases_stop(&block->phases);
        tell_block(sm, block);
        /* Its place is taken until then. */
        const double left = later(sm->ends[block->number], block->stored);
        start_block(sm, block, left + sm->gpu->block_latency);
        return;
    }
    if (block->waiting == block->live)
        release(sm, block);
    if (block->met == block->live)
        meet(sm, block);
}

/* Moves and the like: their results are there when what they read is. */
static void pass_on(const struct sm *sm, struct sm_warp *warp)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;
    enum origin origin = FROM_UNIT;
    double time = 0;

    for (int i = 0; i < op->source_count; i++) {
        const uint32_t slot = slot_of(sm, item, registers[i]);
        if (warp->ready[slot] > time) {
            time = warp->ready[slot];
            origin = (enum origin)warp->origins[slot];
        }
    }
    set_results(sm, warp, time, origin);
}

/* Go on to an item that takes a slot. Returns false where the warp has ended. */
static bool advance(struct sm *sm, struct sm_warp *warp)
{
    for (;;) {
        if (warp->item == warp->item_count) {
            if (!take_block(sm, warp))
                return false;
            if (warp->jumped && warp->next > 0)
                warp->next += sm->gpu->jump_latency;
            continue;
        }
        if (sm->code->ops[warp->items[warp->item].index].kind != CYCLE_FREE)
            return true;
        pass_on(sm, warp);
        warp->item++;
    }
}

static enum origin origin_of(const uint64_t *request)
{
    return request && (request[0] >> WORD_SPACE & 15) == SPACE_SHARED ? FROM_SHARED : FROM_MEMORY;
}

static bool is_store(const uint64_t *request)
{
    return (request[0] >> WORD_SPACE & 15) == SPACE_STORE;
}

static void arrive(struct sm *sm, struct sm_warp *warp, double start)
{
    struct sm_block *block = warp->block;

    sm->barrier = later(sm->barrier, start) + sm->gpu->barrier_warp_clocks;
    block->latest = later(block->latest, sm->barrier);
    halt(warp, AT_BARRIER, start);
    block->waiting++;
}

/* At the barrier of the cluster, behind a fence maybe. */
static void arrive_in_cluster(struct sm *sm, struct sm_warp *warp, double start, double fence)
{
    struct sm_block *block = warp->block;

    warp->next += fence;
    sm->sums.result += fence;
    if (warp->meetings > block->meetings) /* another path of the warp has */
        return;
    warp->meetings = block->meetings + 1;
    sm->barrier = later(sm->barrier, start + fence) + sm->gpu->barrier_warp_clocks;
    block->last_met = later(block->last_met, sm->barrier);
    block->met++;
    if (block->met == block->live)
        meet(sm, block);
}

static void wait_in_cluster(struct sm_warp *warp, double start)
{
    const struct sm_block *block = warp->block;

    if (warp->meetings > block->meetings)
        halt(warp, AT_CLUSTER, start);
    else
        warp->next = later(warp->next, block->opened);
}

/* Copies of this warp: a group ends; and all but the last few groups are waited for. */
static void commit(struct sm_warp *warp)
{
    warp->group[warp->groups++ % GROUPS_MOST] = warp->copied;
}

static void await(struct sm *sm, struct sm_warp *warp, const struct cycle_op *op)
{
    double when = 0;

    if (op->all)
        when = warp->copied;
    else if (op->groups < GROUPS_MOST && op->groups < warp->groups)
        when = warp->group[(warp->groups - 1 - op->groups) % GROUPS_MOST];
    if (when <= warp->next)
        return;
    sm->sums.request += when - warp->next;
    warp->next = when;
}

/* At barriers in shared memory. Returns when they have answered. */
static double at_phases(struct sm *sm, struct sm_warp *warp, double start, uint32_t index,
                        const uint64_t *request)
{
    const struct gpu *gpu = sm->gpu;
    const uint32_t words = request[0] >> WORD_LINES & WORD_LINES_MASK;
    struct sm_block *block = warp->block;
    double answer = start;

    for (uint32_t i = 1; i < words; i += 2) {
        const uint64_t amount = request[i];
        const uint32_t copies = amount >> AMOUNT_COPIES & AMOUNT_COPIES_MASK;
        const double there = amount & AMOUNT_REMOTE ? gpu->cluster_latency : 0;
        struct phase *phase = phase_of(&block->phases, request[i + 1]);
        if (amount & AMOUNT_WAITS) {
            if (phase && phase->made < phase->expected && warp->stop == RUNS) {
                halt(warp, AT_PHASE, start);
                warp->phase = phase;
            } else if (phase) {
                answer = later(answer, phase->latest);
            }
        } else if (amount & AMOUNT_SENT) {
            come(sm, block, phase,
                 to_cluster(sm, start, copies * gpu->send_clocks) + gpu->mbarrier_latency, true);
        } else if (copies) {
            const double asked = start + gpu->bulk_latency;
            warp->next = asked + copies * gpu->bulk_clocks;
            come(sm, block, phase, copy_bulk(sm, asked, index, amount), true);
        } else {
            come(sm, block, phase, start + there + gpu->mbarrier_latency, false);
        }
    }
    return answer + gpu->mbarrier_latency;
}

static bool is_copy(const uint64_t *request)
{
    const enum cycle_space space = request[0] >> WORD_SPACE & 15;

    return space == SPACE_COPY || space == SPACE_COPY_L2;
}

static void request(struct sm *sm, struct sm_warp *warp, double start)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const uint64_t **request =
        &warp->requests[item->copy * warp->length + item->index - warp->first];
    double when = start;

    if (*request && (**request >> WORD_SPACE & 15) == SPACE_PHASE)
        when = at_phases(sm, warp, start, item->index, *request);
    else if (*request)
        when = serve(sm, start, item->index, *request);
    if (*request && is_copy(*request))
        warp->copied = later(warp->copied, when + sm->gpu->copy_latency);
    if (sm->code->ops[item->index].loads)
        set_results(sm, warp, when, origin_of(*request));
    else if (*request && is_store(*request))
        warp->block->stored = later(warp->block->stored, when + sm->share->l2_latency);
    *request = NULL;
}

/* When the instruction in hand, which could issue at `time`, has a slot and its unit. */
static double take_slot(struct scheduler *scheduler, const struct cycle_op *op, double time)
{
    double start = later(time, scheduler->slot);

    scheduler->slot = start + op->slots;
    scheduler->slots += op->slots;
    if (op->busy) {
        start = later(start, scheduler->pipes[op->pipe]);
        scheduler->pipes[op->pipe] = start + op->busy;
        scheduler->busy[op->pipe] += op->busy;
    }
    return start;
}

/* Issue the warp's instruction. Returns when it did. */
static double issue(struct sm *sm, struct sm_warp *warp, double time)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const double start = take_slot(warp->scheduler, op, time);

    sm->sums.turn += start - time + op->slots;
    warp->next = start + op->slots;
    switch (op->kind) {
    case CYCLE_MEMORY:
        request(sm, warp, start);
        break;
    case CYCLE_EXCHANGE:
        sm->pipe = later(sm->pipe, start) + 1;
        sm->sums.shared += 1;
        set_results(sm, warp, sm->pipe - 1 + op->latency, FROM_SHARED);
        break;
    case CYCLE_FENCE:
        warp->next = start + op->latency;
        sm->sums.result += op->latency;
        break;
    case CYCLE_BARRIER:
        arrive(sm, warp, start);
        break;
    case CYCLE_CLUSTER_ARRIVE:
        arrive_in_cluster(sm, warp, start, op->latency);
        break;
    case CYCLE_CLUSTER_WAIT:
        wait_in_cluster(warp, start);
        break;
    case CYCLE_COMMIT:
        commit(warp);
        break;
    case CYCLE_AWAIT:
        await(sm, warp, op);
        break;
    case CYCLE_CLOCK:
        if (sm->share->paths)
            add_point(sm, warp,
                      warp->before + item->copy * warp->length + item->index - warp->first + 1,
                      start);
        set_results(sm, warp, start + op->latency, FROM_UNIT);
        break;
    default:
        set_results(sm, warp, start + op->latency, FROM_UNIT);
    }
    warp->place += op->slots;
    warp->item++;
    return start;
}

/* When the warp's instruction is here. The first time is part of what a launch costs; a line that
 * has left the cache since is fetched while the warp is in the line before. */
static double fetched(struct sm *sm, struct sm_warp *warp, double time)
{
    struct code_line *line = &sm->code_lines[warp->place / CODE_LINE];
    const uint64_t room = (uint64_t)sm->gpu->code_instructions / CODE_LINE;

    if (warp->code_line == warp->place / CODE_LINE + 1)
        return later(time, line->ready);
    if (line->fetched && sm->fetches - line->fetched >= room) {
        sm->fetch = later(sm->fetch, warp->code_time) + CODE_LINE * sm->gpu->code_clocks;
        line->ready = sm->fetch;
        line->fetched = 0;
    }
    if (!line->fetched)
        line->fetched = ++sm->fetches;
    warp->code_line = warp->place / CODE_LINE + 1;
    warp->code_time = later(time, line->ready);
    return warp->code_time;
}

/* What the warp waited for since its last instruction. */
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

static void run_warp(struct sm *sm, struct sm_warp *warp)
{
    for (;;) {
        enum origin origin;
        if (!advance(sm, warp)) {
            end_warp(sm, warp, warp->next);
            return;
        }
        const double time = fetched(sm, warp, ready_time(sm, warp, &origin));
        if (sm->heap_count && sm->heap[0].time < time) {
            push(sm, warp, time);
            return;
        }
        const struct cycle_op *op = &sm->code->ops[warp->items[warp->item].index];
        note_wait(sm, warp, origin, time);
        const double start = issue(sm, warp, time);
        if (sm->share->timeline) {
            tell(sm, warp, origin == FROM_UNIT ? TIMELINE_OTHER : TIMELINE_MEMORY, time);
            tell(sm, warp, TIMELINE_OTHER, start);
            tell(sm, warp, TIMELINE_ISSUES, start + op->slots);
        }
        if (warp->stop != RUNS) {
            if (warp->block->waiting == warp->block->live)
                release(sm, warp->block);
            return;
        }
    }
}

/* Blocks. */

static void start_warp(struct sm *sm, struct sm_block *block, int i, double now)
{
    struct sm_warp *warp = &block->warps[i];
    const size_t slots = (size_t)sm->register_count * CYCLE_UNROLL + 1;
    double *ready = warp->ready;
    uint8_t *origins = warp->origins;
    const uint64_t **requests = warp->requests;

    memset(ready, 0, slots * sizeof(*ready));
    memset(requests, 0, (sm->code->longest + 1) * sizeof(*requests));
    *warp = (struct sm_warp){
        .trace = &sm->share->traces[block->number * sm->share->warps + i],
        .block = block,
        .scheduler = &sm->schedulers[(block->slot + i) % sm->gpu->schedulers],
        .next = now,
        .told = now,
        .ready = ready,
        .origins = origins,
        .requests = requests,
    };
    push(sm, warp, now);
}

static void start_block(struct sm *sm, struct sm_block *block, double now)
{
    if (sm->next_block == sm->share->blocks)
        return;
    block->number = sm->next_block++;
    block->live = sm->share->warps;
    block->waiting = 0;
    block->latest = 0;
    block->stored = 0;
    block->met = 0;
    block->meetings = 0;
    block->last_met = block->opened = 0;
    if (sm->code->has_phases)
        phases_start(&block->phases, &sm->share->traces[block->number * sm->share->warps],
                     sm->share->warps);
    /* One after the other all over the GPU. */
    const double turn = block->number / sm->share->part * sm->share->block_clocks;
    block->begin = later(now, turn);
    for (int i = 0; i < sm->share->warps; i++)
        start_warp(sm, block, i, block->begin);
}

/* Nothing moves: named barriers, with some of the warps, open; and what the traces do not show has
 * come. Returns whether anybody goes on. */
static bool open_all(struct sm *sm, struct sm_block *block)
{
    const int before = sm->heap_count;

    if (block->waiting > 0)
        release(sm, block);
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->stop == AT_CLUSTER)
            meet(sm, block);
        else if (warp->stop == AT_PHASE)
            go_on(sm, warp, later(warp->arrived, warp->phase->latest), FROM_BARRIER);
    }
    return sm->heap_count > before;
}

/* The units that were in use for longest. */
static void add_units(struct sm *sm)
{
    double *issue = &sm->sums.issue, *load_store = &sm->sums.load_store;

    sm->sums.end = sm->drained;
    for (int i = 0; i < sm->share->blocks; i++)
        sm->sums.end = later(sm->sums.end, sm->ends[i]);
    for (int i = 0; i < sm->gpu->schedulers; i++) {
        *issue = later(*issue, sm->schedulers[i].slots);
        for (int pipe = 0; pipe < PIPE_COUNT; pipe++)
            *issue = later(*issue, sm->schedulers[i].busy[pipe]);
    }
    *load_store = later(later(sm->pipe_busy, sm->port_busy), sm->l2_busy);
    for (int i = 0; i < sm->gpu->atomic_slices; i++)
        *load_store = later(*load_store, sm->slices_busy[i]);
}

double cycle_sm_run(const struct cycle_share *share, double *ends, struct cycle_sums *sums)
{
    const int resident = share->resident < share->blocks ? share->resident : share->blocks;
    const int warps = resident * share->warps;
    struct sm sm = {
        .share = share,
        .gpu = share->gpu,
        .code = share->code,
        .register_count = (uint32_t)share->code->function->register_count,
        .ends = ends,
    };
    const size_t slots = (size_t)sm.register_count * CYCLE_UNROLL + 1;
    const size_t items = share->code->longest + 1;
    struct sm_block *blocks = observer_allocate((size_t)resident, sizeof(*blocks));
    struct sm_warp *all = observer_allocate((size_t)warps, sizeof(*all));
    double *ready = observer_allocate((size_t)warps * slots, sizeof(*ready));
    const uint64_t **requests = observer_allocate((size_t)warps * items, sizeof(*requests));
    uint8_t *origins = observer_allocate((size_t)warps * slots, sizeof(*origins));

    sm.code_lines = observer_allocate(share->code->length / CODE_LINE + 2, sizeof(*sm.code_lines));
    sm.heap = observer_allocate((size_t)warps + 1, sizeof(*sm.heap));
    sm.owed = observer_allocate((size_t)share->code->function->instr_count + 1, sizeof(*sm.owed));
    cache_start(&sm.l1, share->l1_bytes / LINE_BYTES, true);
    for (int b = 0; b < resident; b++) {
        blocks[b].slot = b * share->warps;
        blocks[b].warps = &all[b * share->warps];
        for (int i = 0; i < share->warps; i++) {
            const size_t number = (size_t)b * share->warps + i;
            blocks[b].warps[i].ready = &ready[number * slots];
            blocks[b].warps[i].origins = &origins[number * slots];
            blocks[b].warps[i].requests = &requests[number * items];
        }
        start_block(&sm, &blocks[b], 0);
    }
    for (bool any = true; any;) {
        while (sm.heap_count)
            run_warp(&sm, pop(&sm).warp);
        any = false;
        for (int b = 0; b < resident; b++)
            any |= open_all(&sm, &blocks[b]);
    }
    add_units(&sm);
    *sums = sm.sums;
    cache_stop(&sm.l1);
    free(sm.heap);
    free(sm.code_lines);
    free(sm.owed);
    free(requests);
    free(ready);
    free(origins);
    free(all);
    free(blocks);
    return sm.drained;
}
