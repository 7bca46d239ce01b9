/* SPDX-License-Identifier: MIT */
/* A multiprocessor: warps take turns at one issue port, each in its own order, held up by results
 * that are not there yet, by barriers and by memory. */
#include "time/g80_parts.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { SOON = 64 }; /* clocks: more than arithmetic takes, less than memory */

static void fetch(struct g80_sm *sm, struct g80_warp *warp);

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When the registers are ready that the instruction in hand reads and writes, mostly up to four. */
static uint64_t sources_ready(const struct g80_warp *warp, const struct g80_op *op)
{
    const uint64_t *ready = warp->ready;
    uint64_t time = 0;
    int i = 0;

    do {
        const uint64_t a = later(ready[op->sources[i]], ready[op->sources[i + 1]]);
        const uint64_t b = later(ready[op->sources[i + 2]], ready[op->sources[i + 3]]);
        time = later(time, later(a, b));
    } while ((i += 4) < op->source_count);
    return time;
}

static uint64_t ready_time(const struct g80_warp *warp)
{
    return later(warp->next, sources_ready(warp, warp->op));
}

static void set_in_memory(struct g80_sm *sm, const struct g80_warp *warp, bool waits)
{
    sm->in_memory = (sm->in_memory & ~(UINT64_C(1) << warp->slot)) | (uint64_t)waits << warp->slot;
}

static bool waits_for_memory(const struct g80_sm *sm, const struct g80_warp *warp)
{
    return sm->in_memory >> warp->slot & 1;
}

/* When may it issue? Once that is known it stays. */
static void set_ready(struct g80_sm *sm, struct g80_warp *warp, uint64_t time)
{
    const uint64_t slot = UINT64_C(1) << warp->slot;

    set_in_memory(sm, warp, time == G80_NEVER);
    if (time == G80_NEVER || sm->in_line & slot)
        return;
    sm->in_line |= slot;
    if (time <= sm->now)
        line_join(&sm->ready, sm->issued_last[warp->slot]);
    else
        line_join(time <= sm->now + SOON ? &sm->soon : &sm->late, line_key(time, warp->slot));
}

static void give_results(struct g80_warp *warp, const struct g80_op *op, uint64_t time)
{
    for (int i = 0; i < op->result_count; i++)
        warp->ready[op->results[i]] = time;
}

/* Report what the warp did since the last report, until then. */
static void draw(const struct g80_sm *sm, struct g80_warp *warp, enum timeline_state state,
                 uint64_t until)
{
    const struct timeline *timeline = sm->timeline;
    const struct g80_block *block = warp->block;

    if (until <= warp->drawn)
        return;
    timeline->warp(timeline->self, warp->slot, block->number, (uint32_t)(warp->slot - block->slot),
                   state, warp->drawn, until);
    warp->drawn = until;
}

/* Is the warp at the end of its trace, and does the machine keep it waiting there? */
static bool waits_for_machine(const struct g80_warp *warp)
{
    return warp->head == warp->trace.count && warp->stop == STEPPED_WAITING &&
           !stepped_ready(warp->warp);
}

/* Let those warps go on that the machine has let go: warps may wait at different barriers. */
static void open_barrier(struct g80_sm *sm, struct g80_block *block)
{
    block->at_barrier = 0;
    for (int i = 0; i < block->warp_count; i++) {
        struct g80_warp *warp = &block->warps[i];
        if (warp->state != WARP_AT_BARRIER)
            continue;
        if (waits_for_machine(warp)) {
            block->at_barrier++;
            continue;
        }
        if (sm->timeline)
            draw(sm, warp, TIMELINE_BARRIER, sm->now);
        warp->state = WARP_RUNS;
        warp->next = later(warp->next, sm->now);
        fetch(sm, warp);
    }
}

static void check_barrier(struct g80_sm *sm, struct g80_block *block)
{
    if (block->at_barrier > 0 && block->at_barrier == block->live)
        open_barrier(sm, block);
}

static void wait_at_barrier(struct g80_sm *sm, struct g80_warp *warp)
{
    warp->state = WARP_AT_BARRIER;
    set_ready(sm, warp, G80_NEVER);
    set_in_memory(sm, warp, false);
    warp->block->at_barrier++;
}

static void end_warp(struct g80_sm *sm, struct g80_warp *warp)
{
    struct g80_block *block = warp->block;

    warp->state = WARP_OVER;
    set_ready(sm, warp, G80_NEVER);
    set_in_memory(sm, warp, false);
    if (--block->live == 0) {
        block->finished = true;
        block->end = sm->now;
        sm->finished++;
        sm->last_busy = sm->now;
    } else {
        check_barrier(sm, block);
    }
}

/* What the compiler would have moved up to a load goes right after it, in its order. */
static void move_up(const struct g80 *g80, struct g80_warp *warp)
{
    union g80_word *words = warp->words;

    for (uint32_t i = 1; i < warp->trace.count; i++) {
        const union g80_word word = words[i];
        const uint32_t early = g80->ops[word.number].early;
        uint32_t at = i - early + 1;

        if (early == 0 || early > i || words[i - early].number + early != word.number)
            continue;
        while (words[at].moved)
            at++;
        memmove(&words[at + 1], &words[at], (i - at) * sizeof(*words));
        words[at] = word;
        words[at].moved = 1;
    }
}

/* The machine runs the warp ahead, as far as time does not matter to it. */
static void refill(struct g80_sm *sm, struct g80_warp *warp, bool pending)
{
    warp->head = 0;
    warp->trace = (struct stepped_trace){.words = &warp->words->all, .room = G80_STRETCH};
    warp->stop = stepped_run(warp->warp, &warp->trace, pending);
    if (warp->stop == STEPPED_DONE && stepped_failed(warp->block->block))
        sm->failed = true;
    move_up(sm->g80, warp);
}

static void take_in_hand(struct g80_sm *sm, struct g80_warp *warp, union g80_word word)
{
    warp->word = word;
    warp->op = &sm->g80->ops[word.number];
    warp->parts = warp->op->parts;
}

/* What follows the end of the trace. Returns false where nothing does for now. */
static bool pass_end(struct g80_sm *sm, struct g80_warp *warp)
{
    switch (warp->stop) {
    case STEPPED_CLOCK:
    case STEPPED_ORDERED:
        warp->pending = true;
        take_in_hand(sm, warp, (union g80_word){(uint64_t)stepped_next(warp->warp)});
        set_ready(sm, warp, ready_time(warp));
        return false;
    case STEPPED_DONE:
        end_warp(sm, warp);
        return false;
    case STEPPED_WAITING:
        if (!stepped_ready(warp->warp)) {
            wait_at_barrier(sm, warp);
            check_barrier(sm, warp->block);
            return false;
        }
        break;
    default:
        break;
    }
    refill(sm, warp, false);
    return true;
}

/* Moves and the like take no time, but what they pass on may not be ready yet. */
static bool pass_free(struct g80_warp *warp)
{
    const uint64_t time = sources_ready(warp, warp->op);

    if (time == G80_NEVER)
        return false;
    give_results(warp, warp->op, time);
    return true;
}

/* A pass of an operand takes its share of the instruction's clocks, as one of a load does. */
static uint64_t conflict_clocks(const struct gpu *gpu, uint32_t passes)
{
    return passes * (uint64_t)gpu->bank_clocks * (uint64_t)gpu->shared_operand_clocks /
           (uint64_t)gpu->issue_clocks;
}

static bool is_gone(const struct g80_op *op, union g80_word word)
{
    return op->kind == G80_FREE || (op->kind == G80_FOLDED && word.count == 0);
}

/* Take the warp's next instruction in hand. */
static void fetch(struct g80_sm *sm, struct g80_warp *warp)
{
    while (warp->head < warp->trace.count || (pass_end(sm, warp) && !sm->failed)) {
        if (warp->head == warp->trace.count)
            continue;
        const union g80_word word = warp->words[warp->head++];
        const struct g80_op *op = &sm->g80->ops[word.number];
        const uint64_t sources = sources_ready(warp, op);
        if (is_gone(op, word) && sources != G80_NEVER) {
            give_results(warp, op, sources);
            continue;
        }
        take_in_hand(sm, warp, word);
        set_ready(sm, warp, is_gone(op, word) ? sources : later(warp->next, sources));
        return;
    }
}

/* Room for another request: that of those served, or more. */
static void make_room(struct g80_sm *sm)
{
    const uint32_t waiting = sm->request_count - sm->request_done;
    struct g80_request *old = sm->requests;

    if (sm->request_done == 0) {
        sm->request_room = 2 * sm->request_room + 64;
        sm->requests = observer_allocate(sm->request_room, sizeof(*sm->requests));
    }
    if (waiting > 0)
        memmove(sm->requests, old + sm->request_done, waiting * sizeof(*old));
    if (sm->requests != old)
        free(old);
    sm->request_count = waiting;
    sm->request_done = 0;
}

static void push(struct g80_sm *sm, struct g80_request request)
{
    if (sm->request_count == sm->request_room)
        make_room(sm);
    sm->requests[sm->request_count++] = request;
}

/* Half-warps that coalesce, then transactions of single threads. */
static uint64_t door_clocks(const struct gpu *gpu, union g80_word word)
{
    return word.count * (uint64_t)gpu->coalesced_clocks + word.single * (uint64_t)gpu->door_clocks;
}

/* The width of words counts where half-warps ask for them together. */
static uint8_t width_of(const struct g80_op *op, union g80_word word)
{
    return word.single ? G80_WORD : op->width;
}

/* Issue a request to device memory. */
static void issue_global(struct g80_sm *sm, struct g80_warp *warp)
{
    const struct g80_op *op = warp->op;
    const uint64_t start = later(sm->now, sm->door_free);

    sm->door_free = start + door_clocks(&sm->g80->gpu, warp->word);
    sm->sums.door += sm->door_free - start;
    push(sm, (struct g80_request){
                 .arrives = sm->door_free,
                 .units = warp->word.units,
                 .op = op,
                 .waited = (uint32_t)(sm->door_free - sm->now),
                 .slot = warp->slot,
                 .width = width_of(op, warp->word),
                 .load = op->loads,
                 .store = op->stores,
             });
    if (op->loads)
        give_results(warp, op, G80_NEVER);
    warp->next = later(warp->next, start);
}

/* Returns clocks the port is kept beyond the usual. */
static uint64_t issue_memory(struct g80_sm *sm, struct g80_warp *warp)
{
    const struct gpu *gpu = &sm->g80->gpu;
    const struct g80_op *op = warp->op;
    const uint64_t passes = warp->word.count;

    switch (warp->word.space) {
    case WORD_SHARED: {
        const uint64_t words = UINT64_C(1) << op->width;
        const uint64_t extra =
            passes * (uint64_t)gpu->bank_clocks + (words - 1) * (uint64_t)gpu->issue_clocks;
        give_results(warp, op, sm->now + extra + (uint64_t)gpu->shared_latency);
        return extra;
    }
    case WORD_CONSTANT: {
        const uint64_t extra = passes * (uint64_t)gpu->issue_clocks;
        give_results(warp, op, sm->now + extra + (uint64_t)gpu->shared_latency);
        return extra;
    }
    case WORD_GLOBAL:
        issue_global(sm, warp);
        return 0;
    default:
        give_results(warp, op, sm->now + op->latency);
        return 0;
    }
}

/* An instruction that had to wait for its time: it runs now, or between two steps of time. */
static void issue_pending(struct g80_sm *sm, struct g80_warp *warp)
{
    const struct g80_op *op = warp->op;

    warp->pending = false;
    if (warp->stop == STEPPED_ORDERED) {
        push(sm, (struct g80_request){
                     .arrives = later(sm->now, sm->door_free),
                     .op = op,
                     .slot = warp->slot,
                     .load = op->loads,
                     .store = op->stores,
                     .pending = true,
                 });
        warp->state = WARP_AT_ORDERED;
        set_ready(sm, warp, G80_NEVER);
        return;
    }
    refill(sm, warp, true);
    warp->head = 1; /* itself: it has just been issued */
    give_results(warp, op, sm->now + op->latency);
    warp->next = sm->now + op->clocks;
    fetch(sm, warp);
}

static void issue(struct g80_sm *sm, struct g80_warp *warp)
{
    const struct g80_op *op = warp->op;
    uint64_t extra = 0;

    sm->sums.issue += op->clocks;
    if (warp->pending) {
        issue_pending(sm, warp);
        sm->now += op->clocks;
        return;
    }
    if (warp->parts > 1) {
        warp->parts--;
        warp->next = sm->now + op->latency;
        set_ready(sm, warp, warp->next);
        sm->now += op->clocks;
        return;
    }
    warp->next = sm->now + (op->jumps ? (uint64_t)sm->g80->gpu.branch_clocks : op->clocks);
    if (op->kind == G80_MEMORY) {
        extra = issue_memory(sm, warp);
    } else if (op->kind == G80_FOLDED) {
        extra = conflict_clocks(&sm->g80->gpu, warp->word.count);
        sm->sums.issue -= op->clocks;
        give_results(warp, op, sm->now);
        sm->sums.shared += extra;
        sm->now += extra;
        fetch(sm, warp);
        return;
    } else {
        give_results(warp, op, sm->now + op->latency);
    }
    sm->sums.shared += extra;
    sm->now += op->clocks + extra;
    if (op->kind == G80_BARRIER && !warp->word.partial) {
        wait_at_barrier(sm, warp);
        check_barrier(sm, warp->block);
        return;
    }
    fetch(sm, warp);
}

/* The warp is about to issue: draw what it waited for. */
static void draw_wait(const struct g80_sm *sm, struct g80_warp *warp)
{
    draw(sm, warp, waits_for_memory(sm, warp) ? TIMELINE_MEMORY : TIMELINE_OTHER, sm->now);
}

/* Those whose time has come are ready. */
static void call_up(struct g80_sm *sm, struct g80_line *line)
{
    while (line_first(line) < line_key(sm->now + 1, 0))
        line_join(&sm->ready, sm->issued_last[line_take(line)]);
}

/* Of the ready warps the one that has not issued for longest; -1: none is ready. */
static int choose(struct g80_sm *sm)
{
    call_up(sm, &sm->soon);
    call_up(sm, &sm->late);
    if (line_first(&sm->ready) == LINE_END)
        return -1;
    const int slot = line_take(&sm->ready);
    sm->in_line &= ~(UINT64_C(1) << slot);
    return slot;
}

uint64_t g80_sm_next(const struct g80_sm *sm)
{
    const uint64_t soon = line_first(&sm->soon), late = line_first(&sm->late);
    const uint64_t next = soon < late ? soon : late;

    if (line_first(&sm->ready) != LINE_END)
        return sm->now;
    return next == LINE_END ? G80_NEVER : later(next / G80_MAX_WARPS, sm->now);
}

static bool has_warps(const struct g80_sm *sm)
{
    for (int i = 0; i < sm->slot_count; i++)
        if (sm->slots[i] && sm->slots[i]->state != WARP_OVER)
            return true;
    return false;
}

/* Why did no warp issue for so many clocks? One may be `ready` later by itself. */
static void note_idle(struct g80_sm *sm, uint64_t clocks, bool ready)
{
    if (sm->in_memory)
        sm->sums.memory += clocks;
    else if (ready)
        sm->sums.latency += clocks;
    else if (has_warps(sm))
        sm->sums.barrier += clocks;
}

/* Nothing issues before `until`, or the next warp may. */
static void idle(struct g80_sm *sm, uint64_t until)
{
    const uint64_t ready = g80_sm_next(sm), next = ready < until ? ready : until;

    note_idle(sm, next - sm->now, ready != G80_NEVER);
    sm->now = next;
}

void g80_sm_run(struct g80_sm *sm, uint64_t until)
{
    while (sm->now < until && !sm->failed) {
        const int slot = choose(sm);
        if (slot < 0) {
            idle(sm, until);
            continue;
        }
        struct g80_warp *warp = sm->slots[slot];
        /* What issues next, and what this one issues then, are seldom in a cache. */
        __builtin_prefetch(sm->slots[line_first(&sm->soon) % G80_MAX_WARPS]);
        __builtin_prefetch(&warp->words[(warp->head + 8) % G80_STRETCH]);
        sm->issued_last[slot] = line_key(++sm->issue_count, slot);
        if (__builtin_expect(sm->timeline != NULL, false))
            draw_wait(sm, warp);
        issue(sm, warp);
        if (__builtin_expect(sm->timeline != NULL, false))
            draw(sm, warp, TIMELINE_ISSUES, sm->now);
    }
}

void g80_sm_place(struct g80_sm *sm, struct g80_block *room, struct block *block, uint64_t when)
{
    const uint32_t registers = sm->g80->register_count;

    room->block = block;
    room->used = true;
    room->finished = false;
    room->live = room->warp_count;
    room->at_barrier = 0;
    room->begin = when;
    for (int i = 0; i < room->warp_count; i++) {
        struct g80_warp *warp = &room->warps[i];
        warp->warp = stepped_warp(block, i);
        *(struct g80_warp **)warp_scratch(warp->warp) = warp;
        warp->state = WARP_RUNS;
        warp->stop = STEPPED_LIMIT;
        warp->pending = false;
        warp->head = 0;
        warp->trace.count = 0;
        warp->next = warp->drawn = when;
        memset(warp->ready, 0, registers * sizeof(*warp->ready));
        sm->slots[room->slot + i] = warp;
        fetch(sm, warp);
    }
}

void g80_sm_deliver(struct g80_sm *sm, const struct g80_request *request, uint64_t when)
{
    struct g80_warp *warp = sm->slots[request->slot];

    give_results(warp, request->op, when);
    if (!waits_for_memory(sm, warp) || warp->state != WARP_RUNS)
        return;
    if (warp->pending || !is_gone(warp->op, warp->word)) {
        set_ready(sm, warp, ready_time(warp));
        set_in_memory(sm, warp, true); /* until then */
    } else if (pass_free(warp)) {
        fetch(sm, warp);
    }
}

uint32_t g80_sm_run_ordered(struct g80_sm *sm, struct g80_request *request)
{
    struct g80_warp *warp = sm->slots[request->slot];

    warp->head = 0;
    warp->trace = (struct stepped_trace){.words = &warp->words->all, .room = 1};
    warp->stop = stepped_run(warp->warp, &warp->trace, true);
    if (warp->stop == STEPPED_DONE && stepped_failed(warp->block->block))
        sm->failed = true;
    warp->head = warp->trace.count;
    const uint64_t clocks = door_clocks(&sm->g80->gpu, warp->words[0]);
    sm->door_free = later(sm->door_free, request->arrives) + clocks;
    request->arrives += clocks;
    return warp->words[0].units;
}

void g80_sm_ordered_done(struct g80_sm *sm, const struct g80_request *request, uint64_t when)
{
    struct g80_warp *warp = sm->slots[request->slot];

    give_results(warp, request->op, request->load ? when : request->arrives);
    warp->state = WARP_RUNS;
    warp->next = later(warp->next, request->arrives);
    if (sm->timeline)
        draw(sm, warp, TIMELINE_MEMORY, warp->next);
    fetch(sm, warp);
}

bool g80_sm_unblock(struct g80_sm *sm)
{
    bool any = false;

    for (int b = 0; b < sm->g80->resident; b++) {
        struct g80_block *block = &sm->blocks[b];
        for (int i = 0; block->used && i < block->warp_count; i++) {
            struct g80_warp *warp = &block->warps[i];
            if (warp->state != WARP_AT_BARRIER || !stepped_ready(warp->warp))
                continue;
            if (sm->timeline)
                draw(sm, warp, TIMELINE_BARRIER, sm->now);
            block->at_barrier--;
            warp->state = WARP_RUNS;
            warp->next = later(warp->next, sm->now);
            fetch(sm, warp);
            any = true;
        }
    }
    return any;
}
