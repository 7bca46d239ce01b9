/* One SM, instruction by instruction: each warp issues in order, as soon as what it reads is ready
 * and its scheduler has a slot; units and memory serve in the order of asking. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "gpus/coalesce.h"
#include "machine/observer_memory.h"
#include "time/cycle_parts.h"

enum { SCHEDULERS_MOST = 8, SLICES_MOST = 256, PAYLOADS_NONE = -1 };

struct scheduler {
    double slot; /* when the next instruction may issue */
    double pipes[PIPE_COUNT]; /* when each is free */
};

struct sm_warp {
    const struct cycle_trace *trace;
    uint32_t at; /* in the trace */
    struct sm_block *block;
    struct scheduler *scheduler;
    double next; /* it issues no earlier */
    double *ready; /* by register and copy */
    bool *loaded; /* likewise: from memory; NULL: nobody wants to know */
    double told; /* to the timeline, so far */
    const uint64_t **requests; /* of the items in hand, by copy and index in the block */
    const struct cycle_item *items; /* in hand */
    uint32_t first, length, copies, item, item_count;
    bool jumped; /* what follows does not stand behind what was done */
    bool over;
};

struct sm_block {
    int live, waiting;
    double latest; /* at the barrier */
    int number;
    int slot; /* of its first warp */
    double begin;
    struct sm_warp *warps;
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
    double slices[SLICES_MOST]; /* of L2, for atomics */
    double *owed; /* by instruction: part of a miss */
    struct entry *heap;
    int heap_count;
    uint64_t turns;
    int next_block;
    double *ends;
    double drained; /* when the last store has left */
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

/* Sectors that L1 lacks, from L2 or beyond: when they are here. */
static double fetch(struct sm *sm, double from, uint32_t index, unsigned sectors)
{
    const struct gpu *gpu = sm->gpu;
    const int count = __builtin_popcount(sectors);
    const double bytes = count * SECTOR_BYTES;

    sm->port = later(sm->port, from) + bytes / gpu->l2_port_bytes;
    sm->l2 = later(sm->l2, from) + l2_clocks(sm, bytes, 1);
    double when = later(sm->port, sm->l2);
    sm->owed[index] += sm->share->missing[index];
    if (sm->owed[index] < 1 - 1e-9)
        return when + sm->share->l2_latency;
    sm->owed[index] -= 1;
    sm->dram = later(sm->dram, when) + count * sm->share->dram_clocks;
    return sm->dram + gpu->global_latency;
}

static double load_cached(struct sm *sm, double from, uint32_t index, uint64_t word, bool stays)
{
    const uint64_t number = word >> LINE_NUMBER;
    const unsigned sectors = word & LINE_SECTOR_MASK;

    if (!stays)
        return fetch(sm, from, index, sectors);
    struct cache_line *line = cache_find(&sm->l1, number, NULL);
    const unsigned missing = sectors & ~line->valid;
    double when = from;
    if (missing) {
        const double here = fetch(sm, from, index, missing);
        for (int i = 0; i < LINE_SECTORS; i++)
            if (missing >> i & 1)
                line->ready[i] = here;
        line->valid |= (uint8_t)missing;
    }
    for (int i = 0; i < LINE_SECTORS; i++)
        if (sectors >> i & 1)
            when = later(when, line->ready[i]);
    return later(when, from + sm->gpu->l1_latency);
}

static double store_line(struct sm *sm, double from, uint64_t word)
{
    const struct gpu *gpu = sm->gpu;
    const int count = __builtin_popcount(word & LINE_SECTOR_MASK);
    const double bytes = count * SECTOR_BYTES;

    sm->port = later(sm->port, from) + bytes / gpu->l2_port_bytes;
    sm->l2 =
        later(sm->l2, from) + l2_clocks(sm, bytes, (double)(word >> LINE_COST & LINE_COST_MASK));
    sm->dram = later(sm->dram, from) + count * sm->share->stored_clocks;
    const double when = later(sm->port, sm->l2);
    sm->drained = later(sm->drained, later(when, sm->dram));
    return when;
}

/* Its slice of L2 serves what all SMs ask of it, and this one's as all the others'. */
static double update_line(struct sm *sm, double from, uint64_t word)
{
    const struct gpu *gpu = sm->gpu;
    const uint64_t address = (word >> LINE_NUMBER) * LINE_BYTES;
    const uint64_t slice =
        address / (uint64_t)gpu->atomic_slice_bytes % (uint64_t)gpu->atomic_slices;
    const double cost = (double)(word >> LINE_COST & LINE_COST_MASK) / 4 / sm->share->part;

    sm->slices[slice] = later(sm->slices[slice], from) + cost;
    sm->drained = later(sm->drained, sm->slices[slice]);
    return sm->slices[slice] + sm->share->l2_latency;
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
        return start + passes - 1 + gpu->shared_latency;
    case SPACE_LOCAL:
        sm->pipe = start + passes;
        return start + passes - 1 + gpu->l1_latency;
    default:
        break;
    }
    for (uint32_t i = 0; i < lines; i++) {
        const uint64_t word = request[1 + i];
        const double from = start + i * gpu->tag_clocks;
        double here;
        if (space == SPACE_STORE)
            here = store_line(sm, from, word);
        else if (space == SPACE_ATOMIC)
            here = update_line(sm, from, word);
        else
            here = load_cached(sm, from, index, word, space == SPACE_CACHED);
        when = later(when, here + i * gpu->tag_clocks);
    }
    const double tags = lines * gpu->tag_clocks;
    sm->pipe = start + (tags > passes ? tags : passes);
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

/* Why does the instruction in hand wait? What comes last decides. */
static enum timeline_state reason(const struct sm *sm, const struct sm_warp *warp)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;
    double time = warp->next;
    bool memory = false;

    for (int i = 0; i < op->source_count + op->result_count; i++) {
        const uint32_t slot = slot_of(sm, item, registers[i]);
        if (warp->ready[slot] > time)
            memory = warp->loaded[slot];
        time = later(time, warp->ready[slot]);
    }
    return memory ? TIMELINE_MEMORY : TIMELINE_OTHER;
}

/* Where the results of the item in hand are from. */
static void note_loaded(const struct sm *sm, struct sm_warp *warp, bool loaded)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;

    for (int i = op->source_count; i < op->source_count + op->result_count; i++)
        warp->loaded[slot_of(sm, item, registers[i])] = loaded;
}

/* When the warp's next instruction may issue, as far as the warp itself goes. */
static double ready_time(const struct sm *sm, const struct sm_warp *warp)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;
    double time = warp->next;

    for (int i = 0; i < op->source_count + op->result_count; i++)
        time = later(time, warp->ready[slot_of(sm, item, registers[i])]);
    return time;
}

static void set_results(const struct sm *sm, struct sm_warp *warp, double time)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    const uint32_t *registers = sm->code->registers + op->registers;

    for (int i = op->source_count; i < op->source_count + op->result_count; i++)
        warp->ready[slot_of(sm, item, registers[i])] = time;
}

static enum cycle_word kind_of(uint64_t word)
{
    return (enum cycle_word)(word >> WORD_KIND);
}

/* Note the requests of the block that begins at warp->at, as those of `copy`; go behind them. */
static uint32_t note_requests(struct sm_warp *warp, uint32_t at, uint32_t copy)
{
    const struct cycle_trace *trace = warp->trace;

    while (at < trace->count && kind_of(trace->words[at]) == CYCLE_REQUEST) {
        const uint32_t index = (uint32_t)trace->words[at];
        if (index >= warp->first && index < warp->first + warp->length)
            warp->requests[copy * warp->length + index - warp->first] = &trace->words[at];
        at += 1 + (trace->words[at] >> WORD_LINES & WORD_LINES_MASK);
    }
    return at;
}

/* Does the same block begin again so many times in a row? */
static bool repeats(const struct cycle_trace *trace, uint32_t at, uint32_t times)
{
    const uint64_t begin = trace->words[at];

    for (; times > 0 && at < trace->count && trace->words[at] == begin; times--) {
        at++;
        while (at < trace->count && kind_of(trace->words[at]) == CYCLE_REQUEST)
            at += 1 + (trace->words[at] >> WORD_LINES & WORD_LINES_MASK);
    }
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
        block->unrolled && index == block->first && repeats(trace, warp->at, CYCLE_UNROLL);

    warp->jumped = index != warp->first + warp->length;
    warp->first = block->first;
    warp->length = block->end - block->first;
    warp->copies = unrolled ? CYCLE_UNROLL : 1;
    warp->items = unrolled ? block->unrolled : block->items;
    warp->item_count = unrolled ? block->unrolled_count : block->item_count;
    warp->item = 0;
    for (uint32_t copy = 0; copy < warp->copies; copy++)
        warp->at = note_requests(warp, warp->at + 1, copy);
    return true;
}

static void start_block(struct sm *sm, struct sm_block *block, double now);

static void release(struct sm *sm, struct sm_block *block)
{
    const double open = block->latest + sm->gpu->barrier_latency;

    block->waiting = 0;
    block->latest = 0;
    for (int i = 0; i < sm->share->warps; i++) {
        struct sm_warp *warp = &block->warps[i];
        if (warp->over || warp->next < DBL_MAX)
            continue;
        warp->next = open;
        if (sm->share->timeline)
            tell(sm, warp, TIMELINE_BARRIER, open);
        push(sm, warp, open);
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
    sm->ends[block->number] = later(sm->ends[block->number], now);
    block->live--;
    if (block->live == 0) {
        tell_block(sm, block);
        start_block(sm, block, sm->ends[block->number] + sm->gpu->block_latency);
    } else if (block->waiting == block->live) {
        release(sm, block);
    }
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
        /* Moves and the like pass on what they read. */
        const struct cycle_item *item = &warp->items[warp->item];
        const struct cycle_op *op = &sm->code->ops[item->index];
        const uint32_t *registers = sm->code->registers + op->registers;
        double time = 0;
        for (int i = 0; i < op->source_count; i++)
            time = later(time, warp->ready[slot_of(sm, item, registers[i])]);
        if (warp->loaded)
            note_loaded(sm, warp, reason(sm, warp) == TIMELINE_MEMORY);
        set_results(sm, warp, time);
        warp->item++;
    }
}

/* Issue the warp's instruction. Returns false where it waits at a barrier. */
static bool issue(struct sm *sm, struct sm_warp *warp, double time)
{
    const struct cycle_item *item = &warp->items[warp->item];
    const struct cycle_op *op = &sm->code->ops[item->index];
    struct scheduler *scheduler = warp->scheduler;
    double start = later(time, scheduler->slot);
    bool goes_on = true;

    scheduler->slot = start + op->slots;
    if (op->busy) {
        start = later(start, scheduler->pipes[op->pipe]);
        scheduler->pipes[op->pipe] = start + op->busy;
    }
    warp->next = start + op->slots;
    switch (op->kind) {
    case CYCLE_MEMORY: {
        const uint64_t **request =
            &warp->requests[item->copy * warp->length + item->index - warp->first];
        const double when = *request ? serve(sm, start, item->index, *request) : start;
        *request = NULL;
        if (op->loads)
            set_results(sm, warp, when);
        break;
    }
    case CYCLE_EXCHANGE:
        sm->pipe = later(sm->pipe, start) + 1;
        set_results(sm, warp, sm->pipe - 1 + op->latency);
        break;
    case CYCLE_FENCE:
        warp->next = start + sm->gpu->fence_latency;
        break;
    case CYCLE_BARRIER: {
        struct sm_block *block = warp->block;
        sm->barrier = later(sm->barrier, start) + sm->gpu->barrier_warp_clocks;
        block->latest = later(block->latest, sm->barrier);
        warp->next = DBL_MAX;
        block->waiting++;
        goes_on = false;
        break;
    }
    default:
        set_results(sm, warp, start + op->latency);
    }
    warp->item++;
    if (!goes_on && warp->block->waiting == warp->block->live)
        release(sm, warp->block);
    return goes_on;
}

/* The same, and the timeline hears of the wait before it: for what it reads, for its turn. */
static bool issue_told(struct sm *sm, struct sm_warp *warp, double time)
{
    const struct cycle_op *op = &sm->code->ops[warp->items[warp->item].index];
    const struct scheduler *scheduler = warp->scheduler;
    double start = later(time, scheduler->slot);

    if (op->busy)
        start = later(start, scheduler->pipes[op->pipe]);
    tell(sm, warp, reason(sm, warp), time);
    tell(sm, warp, TIMELINE_OTHER, start);
    tell(sm, warp, TIMELINE_ISSUES, start + op->slots);
    note_loaded(sm, warp, op->kind == CYCLE_MEMORY);
    return issue(sm, warp, time);
}

static void run_warp(struct sm *sm, struct sm_warp *warp)
{
    for (;;) {
        if (!advance(sm, warp)) {
            end_warp(sm, warp, warp->next);
            return;
        }
        const double time = ready_time(sm, warp);
        if (sm->heap_count && sm->heap[0].time < time) {
            push(sm, warp, time);
            return;
        }
        if (!(warp->loaded ? issue_told(sm, warp, time) : issue(sm, warp, time)))
            return;
    }
}

/* Blocks. */

static void start_warp(struct sm *sm, struct sm_block *block, int i, double now)
{
    struct sm_warp *warp = &block->warps[i];
    const size_t slots = (size_t)sm->register_count * CYCLE_UNROLL + 1;
    double *ready = warp->ready;
    bool *loaded = warp->loaded;
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
        .loaded = loaded,
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
    /* One after the other all over the GPU. */
    const double turn = block->number / sm->share->part * sm->gpu->block_clocks;
    block->begin = later(now, turn);
    for (int i = 0; i < sm->share->warps; i++)
        start_warp(sm, block, i, block->begin);
}

double cycle_sm_run(const struct cycle_share *share, double *ends)
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
    bool *loaded =
        share->timeline ? observer_allocate((size_t)warps * slots, sizeof(*loaded)) : NULL;

    sm.heap = observer_allocate((size_t)warps + 1, sizeof(*sm.heap));
    sm.owed = observer_allocate((size_t)share->code->function->instr_count + 1, sizeof(*sm.owed));
    cache_start(&sm.l1, share->l1_bytes / LINE_BYTES);
    for (int b = 0; b < resident; b++) {
        blocks[b].slot = b * share->warps;
        blocks[b].warps = &all[b * share->warps];
        for (int i = 0; i < share->warps; i++) {
            const size_t number = (size_t)b * share->warps + i;
            blocks[b].warps[i].ready = &ready[number * slots];
            blocks[b].warps[i].loaded = loaded ? &loaded[number * slots] : NULL;
            blocks[b].warps[i].requests = &requests[number * items];
        }
        start_block(&sm, &blocks[b], 0);
    }
    for (bool any = true; any;) {
        while (sm.heap_count)
            run_warp(&sm, pop(&sm).warp);
        any = false;
        for (int b = 0; b < resident; b++) /* named barriers, with some of the warps: open */
            if (blocks[b].waiting > 0) {
                release(&sm, &blocks[b]);
                any = true;
            }
    }
    cache_stop(&sm.l1);
    free(sm.heap);
    free(sm.owed);
    free(requests);
    free(ready);
    free(loaded);
    free(all);
    free(blocks);
    return sm.drained;
}
