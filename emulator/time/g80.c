/* SPDX-License-Identifier: MIT */
/* A launch on a GPU of compute capability 1.x. Multiprocessors get blocks as they have room for
 * them. Time goes on in steps that are no longer than the latency of device memory, so within a
 * step multiprocessors cannot affect each other, and run one after the other: CPU threads would
 * wait for each other for longer than a step takes. Between two steps their requests to memory are
 * served, in the order of arrival. */
#include "time/model.h"

#include <stdlib.h>

#include "machine/observer_memory.h"
#include "time/g80_parts.h"

/* For check_polls(): is nothing left but polls? */
struct polls {
    uint64_t steps, writes;
    int checks; /* in a row that saw nothing else */
};

/* The program's code. */

struct placing {
    struct g80 *g80;
    const struct ptx_function *function;
    struct g80_op *ops; /* of the function */
    uint32_t base; /* of its registers */
    int index;
};

static void place_instruction(void *self, int number, const struct ptx_function *function,
                              const struct ptx_instr *instr)
{
    struct placing *placing = self;

    (void)instr;
    if (function != placing->function) {
        free(placing->ops);
        placing->base = placing->g80->register_count;
        placing->g80->register_count += (uint32_t)function->register_count;
        placing->ops = g80_code(&placing->g80->gpu, function);
        placing->function = function;
        placing->index = 0;
    }
    struct g80_op *op = &placing->g80->ops[number];
    *op = placing->ops[placing->index++];
    for (int i = 0; i < G80_SOURCES; i++)
        op->sources[i] = i < op->source_count ? op->sources[i] + placing->base : G80_NOTHING;
    for (int i = 0; i < op->result_count; i++)
        op->results[i] += placing->base;
}

static void read_program(struct g80 *g80)
{
    struct placing placing = {.g80 = g80};

    g80->register_count = G80_NOTHING + 1;
    free(g80->ops);
    g80->ops = observer_allocate((size_t)stepped_op_count(g80->state) + 1, sizeof(*g80->ops));
    stepped_visit(g80->state, place_instruction, &placing);
    free(placing.ops);
}

/* The multiprocessors of a launch. */

static void make_blocks(struct g80_sm *sm)
{
    struct g80 *g80 = sm->g80;

    sm->blocks = observer_allocate((size_t)g80->resident, sizeof(*sm->blocks));
    sm->slot_count = g80->resident * g80->warps_a_block;
    for (int b = 0; b < g80->resident; b++) {
        struct g80_block *block = &sm->blocks[b];
        block->warp_count = g80->warps_a_block;
        block->slot = b * g80->warps_a_block;
        block->warps = observer_allocate((size_t)block->warp_count, sizeof(*block->warps));
        for (int i = 0; i < block->warp_count; i++) {
            block->warps[i].block = block;
            block->warps[i].slot = (uint8_t)(block->slot + i);
            block->warps[i].sm = sm;
            block->warps[i].ready =
                observer_allocate(g80->register_count, sizeof(*block->warps[i].ready));
        }
    }
    for (int i = 0; i < G80_MAX_WARPS; i++)
        sm->issued_last[i] = line_key(0, i);
    line_start(&sm->ready);
    line_start(&sm->soon);
    line_start(&sm->late);
}

static void free_sm(struct g80_sm *sm)
{
    for (int b = 0; sm->blocks && b < sm->g80->resident; b++) {
        for (int i = 0; i < sm->blocks[b].warp_count; i++)
            free(sm->blocks[b].warps[i].ready);
        free(sm->blocks[b].warps);
    }
    free(sm->blocks);
    free(sm->requests);
    texture_cache_free(&sm->textures);
}

static void make_sms(struct g80 *g80)
{
    g80->sms = observer_allocate((size_t)g80->sm_count, sizeof(*g80->sms));
    g80->arrives = observer_allocate((size_t)g80->sm_count, sizeof(*g80->arrives));
    for (int i = 0; i < g80->sm_count; i++) {
        g80->sms[i].g80 = g80;
        g80->sms[i].number = i;
        g80->sms[i].timeline = i == TIMELINE_SM ? g80->clock->timeline : NULL;
        make_blocks(&g80->sms[i]);
    }
}

static struct registers registers_wanted(const struct g80 *g80, const struct launch *launch)
{
    return registers_of(&g80->gpu, kernel_info(launch->kernel)->function);
}

static int choose_resident(const struct g80 *g80, const struct launch *launch)
{
    const struct gpu *gpu = &g80->gpu;
    const struct ptx_function *function = kernel_info(launch->kernel)->function;
    const int threads = (int)dim_count(launch->block);
    const int registers = registers_wanted(g80, launch).count;
    const int most = G80_MAX_WARPS / g80->warps_a_block;
    const int fit = gpu_blocks_per_multiprocessor(gpu, threads, registers,
                                                  function->shared_bytes + launch->dynamic_shared +
                                                      function->param_bytes);

    /* It is an estimate: what was launched runs. */
    return fit < 1 ? 1 : fit < most ? fit : most;
}

static uint64_t number_of(const struct g80 *g80, struct block *block)
{
    return dim_number(stepped_info(g80->state)->grid, warp_id(stepped_warp(block, 0)).block);
}

/* Give the multiprocessor a block, if it has room and there is one. */
static bool give_block(struct g80 *g80, struct g80_sm *sm, uint64_t when)
{
    for (int b = 0; b < g80->resident; b++) {
        if (sm->blocks[b].used)
            continue;
        struct block *block = stepped_start(g80->state);
        if (!block)
            return false;
        g80_sm_place(sm, &sm->blocks[b], block, when);
        sm->blocks[b].number = number_of(g80, block);
        return true;
    }
    return false;
}

static void give_first_blocks(struct g80 *g80)
{
    for (int wave = 0; wave < g80->resident; wave++)
        for (int i = 0; i < g80->sm_count; i++)
            if (!give_block(g80, &g80->sms[i], 0))
                return;
}

/* Between two steps of time. */

/* When the multiprocessor's next request arrives. */
static uint64_t next_arrival(const struct g80_sm *sm)
{
    return sm->request_done < sm->request_count ? sm->requests[sm->request_done].arrives
                                                : G80_NEVER;
}

static void take_back(struct g80 *g80, struct g80_sm *sm)
{
    const struct timeline *timeline = g80->clock->timeline;

    for (int b = 0; sm->finished && b < g80->resident; b++) {
        struct g80_block *block = &sm->blocks[b];
        if (!block->used || !block->finished)
            continue;
        if (timeline)
            timeline->block(timeline->self, sm->number, b, block->number, block->begin, block->end);
        stepped_end(block->block);
        block->used = block->finished = false;
        for (int i = 0; i < block->warp_count; i++)
            sm->slots[block->slot + i] = NULL;
        sm->finished--;
    }
}

static void serve(struct g80 *g80, struct g80_sm *sm, struct g80_request *request)
{
    if (request->pending)
        request->units = g80_sm_run_ordered(sm, request);
    const uint64_t waited =
        g80_memory_serve(&g80->memory, request->arrives, request->units,
                         (enum g80_width)request->width, request->store && !request->load);
    uint64_t when = request->arrives + waited + (uint64_t)g80->gpu.global_latency;

    sm->sums.bytes += (uint64_t)request->units * G80_UNIT_BYTES;
    if (request->load) {
        /* What a multiprocessor loads comes back in the order it was asked for. */
        when = when > sm->returned ? when : sm->returned;
        sm->returned = when;
        sm->sums.door_wait += request->waited;
        sm->sums.memory_wait += waited;
        sm->sums.base_wait += (uint64_t)g80->gpu.global_latency;
    }
    if (request->pending)
        g80_sm_ordered_done(sm, request, when);
    else if (request->load)
        g80_sm_deliver(sm, request, when);
}

/* Serve what arrives before `until`, in that order. */
static void serve_all(struct g80 *g80, uint64_t until)
{
    uint64_t *arrives = g80->arrives;

    for (int i = 0; i < g80->sm_count; i++)
        arrives[i] = next_arrival(&g80->sms[i]);
    for (;;) {
        int first = 0;
        for (int i = 1; i < g80->sm_count; i++)
            first = arrives[i] < arrives[first] ? i : first;
        if (arrives[first] >= until)
            return;
        struct g80_sm *sm = &g80->sms[first];
        struct g80_request request = sm->requests[sm->request_done++];
        if (sm->request_done == sm->request_count)
            sm->request_done = sm->request_count = 0;
        serve(g80, sm, &request);
        arrives[first] = next_arrival(sm);
    }
}

static bool between_steps(struct g80 *g80, uint64_t until)
{
    bool busy = false;

    serve_all(g80, until);
    for (int i = 0; i < g80->sm_count; i++)
        if (g80->sms[i].finished)
            take_back(g80, &g80->sms[i]);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < g80->sm_count; i++)
            more |= give_block(g80, &g80->sms[i], g80->sms[i].now);
    }
    for (int i = 0; i < g80->sm_count; i++)
        for (int b = 0; b < g80->resident; b++)
            busy |= g80->sms[i].blocks[b].used;
    return busy;
}

static bool has_failed(const struct g80 *g80)
{
    for (int i = 0; i < g80->sm_count; i++)
        if (g80->sms[i].failed)
            return true;
    return false;
}

/* When something happens next, anywhere. */
static uint64_t next_event(const struct g80 *g80)
{
    uint64_t next = G80_NEVER;

    for (int i = 0; i < g80->sm_count; i++) {
        const struct g80_sm *sm = &g80->sms[i];
        const uint64_t here = g80_sm_next(sm);
        const uint64_t arrives = next_arrival(sm);
        const uint64_t first = here < arrives ? here : arrives;
        next = first < next ? first : next;
    }
    return next;
}

static void report_deadlock(struct g80 *g80)
{
    for (int i = 0; i < g80->sm_count; i++)
        for (int b = 0; b < g80->resident; b++)
            if (g80->sms[i].blocks[b].used) {
                stepped_deadlock(g80->sms[i].blocks[b].block);
                g80->sms[i].failed = true;
                return;
            }
}

/* No event is left: let warps pass barriers that the machine has opened; else it is a deadlock. */
static bool unblock(struct g80 *g80)
{
    bool any = false;

    for (int i = 0; i < g80->sm_count; i++)
        any |= g80_sm_unblock(&g80->sms[i]);
    if (!any)
        report_deadlock(g80);
    return any;
}

static bool only_polls(const struct g80_block *block)
{
    for (int i = 0; i < block->warp_count; i++) {
        const struct g80_warp *warp = &block->warps[i];
        if (warp->state != WARP_OVER && warp->state != WARP_AT_BARRIER &&
            !stepped_polled_again(warp->warp))
            return false;
    }
    return true;
}

/* Every STEPS steps: do all warps poll words that nobody writes any more? After CHECKS times in a
 * row that is a deadlock. */
static void check_polls(struct g80 *g80, struct polls *polls)
{
    enum { STEPS = 64, CHECKS = 4 };

    if (++polls->steps % STEPS != 0)
        return;
    const uint64_t writes = stepped_writes(g80->state);
    bool all = writes == polls->writes;
    polls->writes = writes;
    for (int i = 0; i < g80->sm_count; i++)
        for (int b = 0; b < g80->resident; b++)
            all = all && (!g80->sms[i].blocks[b].used || only_polls(&g80->sms[i].blocks[b]));
    polls->checks = all ? polls->checks + 1 : 0;
    if (polls->checks == CHECKS)
        report_deadlock(g80);
}

static void run_blocks(struct g80 *g80)
{
    const uint64_t step = (uint64_t)g80->gpu.global_latency;
    struct polls polls = {0};
    bool busy = true;

    g80->until = 0;
    while (busy && !has_failed(g80)) {
        uint64_t next = next_event(g80);
        if (next == G80_NEVER) {
            if (!unblock(g80))
                break;
            next = next_event(g80);
        }
        g80->until = (next > g80->until ? next : g80->until) + step;
        for (int i = 0; i < g80->sm_count; i++)
            g80_sm_run(&g80->sms[i], g80->until);
        busy = between_steps(g80, g80->until);
        if (busy)
            check_polls(g80, &polls);
        if (!g80_sample_look(&g80->sample, g80->until))
            g80->sms[0].failed = true;
    }
}

/* The launch. */

/* The multiprocessor that was the last to finish: what held it up held up the kernel. */
static const struct g80_sm *last_sm(const struct g80 *g80)
{
    const struct g80_sm *last = &g80->sms[0];

    for (int i = 1; i < g80->sm_count; i++)
        if (g80->sms[i].last_busy > last->last_busy)
            last = &g80->sms[i];
    return last;
}

/* For what the multiprocessor's warps waited, as shares of the time. */
static void split_time(struct timing_launch *launch, const struct gpu *gpu,
                       const struct g80_sums *sums)
{
    const double all_waits = (double)(sums->door_wait + sums->memory_wait + sums->base_wait);
    const double waits = all_waits > 0 ? all_waits : 1;
    const double memory = (double)sums->memory;
    const double clocks[TIMING_LIMIT_COUNT] = {
        [TIMING_LAUNCH] = gpu->launch_us * 1e-3 * gpu->clock_khz,
        [TIMING_ISSUE] = (double)sums->issue,
        [TIMING_LATENCY] = (double)sums->latency + memory * (double)sums->base_wait / waits,
        [TIMING_LOAD_STORE] = memory * (double)sums->door_wait / waits,
        [TIMING_MEMORY] = memory * (double)sums->memory_wait / waits,
        [TIMING_SHARED] = (double)sums->shared,
        [TIMING_BARRIER] = (double)sums->barrier,
    };
    double all = 0;

    for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
        all += clocks[i];
    for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
        launch->shares[i] = i == TIMING_ISSUE ? 0 : clocks[i] / all; /* issuing is no wait */
}

/* Units: the port, which bank conflicts keep busy too, the door and device memory. */
static void find_bound(struct timing_launch *last, const struct g80 *g80,
                       const struct g80_sums *sums, double clocks)
{
    const double busy[TIMING_LIMIT_COUNT] = {
        [TIMING_ISSUE] = (double)sums->issue / clocks,
        [TIMING_LOAD_STORE] = (double)sums->door / clocks,
        [TIMING_MEMORY] = g80->memory.busy / clocks,
        [TIMING_SHARED] = (double)sums->shared / clocks,
    };

    timing_find_bound(last, busy);
}

static void conclude(struct g80 *g80, const struct launch *launch)
{
    const struct gpu *gpu = &g80->gpu;
    const struct g80_sm *slowest = last_sm(g80);
    uint64_t clocks = slowest->last_busy;
    struct timing_launch last = {
        .resident_blocks = g80->resident,
        .registers = registers_wanted(g80, launch),
        .occupancy =
            (double)g80->resident * g80->warps_a_block * WARP_SIZE / gpu->max_threads_per_sm,
    };

    const uint64_t stored = g80_memory_end(&g80->memory);
    clocks = stored > clocks ? stored : clocks;
    const double skipped = g80_sample_end(&g80->sample);
    const double all =
        skipped > 0 ? 1 + skipped / (double)clocks : 1; /* blocks, by modelled ones */
    for (int i = 0; i < g80->sm_count; i++)
        last.memory_bytes += g80->sms[i].sums.bytes;
    last.memory_bytes = (uint64_t)((double)last.memory_bytes * all);
    last.issue = (uint64_t)((double)slowest->sums.issue * all);
    last.memory_ms =
        (double)last.memory_bytes / (2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8);
    split_time(&last, gpu, &slowest->sums);
    find_bound(&last, g80, &slowest->sums, (double)clocks + 1);
    last.ms = gpu->launch_us * 1e-3 + ((double)clocks + skipped) / gpu->clock_khz;
    g80->clock->last = last;
    g80->clock->ms += last.ms;
}

/* All blocks are modelled where somebody watches them, or the clock is to be exact. */
static void choose_sample(struct g80 *g80, const struct launch *launch)
{
    const uint64_t wave = (uint64_t)g80->sm_count * (uint64_t)g80->resident;

    g80->sample = (struct g80_sample){0};
    if (!g80->clock->full && !g80->clock->timeline)
        g80_sample_start(&g80->sample, g80->state, dim_count(launch->grid), wave,
                         (uint64_t)g80->gpu.global_latency);
}

static void run_launch(struct g80 *g80, const struct launch *launch)
{
    g80->start = (uint64_t)(g80->clock->ms * g80->gpu.clock_khz);
    g80->sm_count = g80->gpu.multiprocessors;
    g80->warps_a_block = (int)dim_warps(launch->block);
    g80->resident = choose_resident(g80, launch);
    read_program(g80);
    make_sms(g80);
    g80_memory_start(&g80->memory, &g80->gpu);
    choose_sample(g80, launch);
    give_first_blocks(g80);
    run_blocks(g80);
    for (int i = 0; i < g80->sm_count; i++) {
        struct g80_sm *sm = &g80->sms[i];
        for (int b = 0; b < g80->resident; b++)
            if (sm->blocks[b].used)
                stepped_end(sm->blocks[b].block);
    }
    conclude(g80, launch);
    for (int i = 0; i < g80->sm_count; i++)
        free_sm(&g80->sms[i]);
    free(g80->arrives);
    free(g80->sms);
    g80->sms = NULL;
}

static void run(void *self, const struct launch_request *request, struct fault *fault)
{
    struct g80 *g80 = self;

    g80->state = stepped_launch(g80->machine, request, fault);
    if (!g80->state)
        return;
    run_launch(g80, stepped_info(g80->state));
    stepped_finish(g80->state, fault);
}

static uint64_t read_clock(void *self, const struct warp *warp)
{
    const struct g80 *g80 = self;

    return g80->start + (*(struct g80_warp **)warp_scratch(warp))->sm->now;
}

/* What blocks report in multiples that are not modelled: nothing is to be noted. */
static void pass_over(void *self, const struct turns_event *event)
{
    (void)self;
    (void)event;
}

static void *start(struct machine *machine, struct timing_clock *clock)
{
    struct g80 *g80 = observer_allocate(1, sizeof(*g80));

    g80->machine = machine;
    g80->gpu = *machine_gpu(machine);
    g80->clock = clock;
    g80->observer = (struct observer){.self = g80,
                                      .access = g80_note_access,
                                      .request = g80_note_request,
                                      .turns = pass_over,
                                      .fetch = g80_note_fetch};
    machine_set_clock(machine, read_clock, g80);
    return g80;
}

static void stop(void *self)
{
    struct g80 *g80 = self;

    free(g80->ops);
    free(g80);
}

static const struct observer *observer_of(void *self)
{
    return &((const struct g80 *)self)->observer;
}

const struct time_model g80_model = {"period", start, stop, observer_of, run, NULL, NULL};
