/* SPDX-License-Identifier: MIT */
/* A launch on a period GPU. Multiprocessors get blocks as they have room for them. Time goes on in
 * steps that are no longer than the latency of device memory, so within a step multiprocessors
 * cannot affect each other, and may run on different CPU threads. Between two steps one thread
 * serves their requests to memory, in the order of arrival. The result is the same with any number
 * of threads. */
#include "time/model.h"

#include <stdlib.h>

#include "machine/thread_pool.h"
#include "machine/observer_memory.h"
#include "time/period_parts.h"

/* For check_polls(): is nothing left but polls? */
struct polls {
    uint64_t steps, writes;
    int checks; /* in a row that saw nothing else */
};

/* The program's code. */

struct placing {
    struct period *period;
    const struct ptx_function *function;
    struct period_op *ops; /* of the function */
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
        placing->base = placing->period->register_count;
        placing->period->register_count += (uint32_t)function->register_count;
        placing->ops = period_code(&placing->period->gpu, function);
        placing->function = function;
        placing->index = 0;
    }
    struct period_op *op = &placing->period->ops[number];
    *op = placing->ops[placing->index++];
    for (int i = 0; i < PERIOD_SOURCES; i++)
        op->sources[i] = i < op->source_count ? op->sources[i] + placing->base : PERIOD_NOTHING;
    for (int i = 0; i < op->result_count; i++)
        op->results[i] += placing->base;
}

static void read_program(struct period *period)
{
    struct placing placing = {.period = period};

    period->register_count = PERIOD_NOTHING + 1;
    free(period->ops);
    period->ops =
        observer_allocate((size_t)stepped_op_count(period->state) + 1, sizeof(*period->ops));
    stepped_visit(period->state, place_instruction, &placing);
    free(placing.ops);
}

/* The multiprocessors of a launch. */

static void make_blocks(struct period_sm *sm)
{
    struct period *period = sm->period;

    sm->blocks = observer_allocate((size_t)period->resident, sizeof(*sm->blocks));
    sm->slot_count = period->resident * period->warps_a_block;
    for (int b = 0; b < period->resident; b++) {
        struct period_block *block = &sm->blocks[b];
        block->warp_count = period->warps_a_block;
        block->slot = b * period->warps_a_block;
        block->warps = observer_allocate((size_t)block->warp_count, sizeof(*block->warps));
        for (int i = 0; i < block->warp_count; i++) {
            block->warps[i].block = block;
            block->warps[i].slot = (uint8_t)(block->slot + i);
            block->warps[i].sm = sm;
            block->warps[i].ready =
                observer_allocate(period->register_count, sizeof(*block->warps[i].ready));
        }
    }
    for (int i = 0; i < PERIOD_MAX_WARPS; i++)
        sm->issued_last[i] = line_key(0, i);
    line_start(&sm->ready);
    line_start(&sm->soon);
    line_start(&sm->late);
}

static void free_sm(struct period_sm *sm)
{
    for (int b = 0; sm->blocks && b < sm->period->resident; b++) {
        for (int i = 0; i < sm->blocks[b].warp_count; i++)
            free(sm->blocks[b].warps[i].ready);
        free(sm->blocks[b].warps);
    }
    free(sm->blocks);
    free(sm->requests);
    texture_cache_free(&sm->textures);
}

static void make_sms(struct period *period)
{
    period->sms = observer_allocate((size_t)period->sm_count, sizeof(*period->sms));
    for (int i = 0; i < period->sm_count; i++) {
        period->sms[i].period = period;
        period->sms[i].number = i;
        period->sms[i].thread = i % period->threads;
        period->sms[i].timeline = i == TIMELINE_SM ? period->clock->timeline : NULL;
        make_blocks(&period->sms[i]);
    }
}

static struct registers registers_wanted(const struct period *period, const struct launch *launch)
{
    return registers_of(&period->gpu, kernel_info(launch->kernel)->function);
}

static int choose_resident(const struct period *period, const struct launch *launch)
{
    const struct gpu *gpu = &period->gpu;
    const struct ptx_function *function = kernel_info(launch->kernel)->function;
    const int threads = (int)dim_count(launch->block);
    const int registers = registers_wanted(period, launch).count;
    const int most = PERIOD_MAX_WARPS / period->warps_a_block;
    const int fit = gpu_blocks_per_multiprocessor(gpu, threads, registers,
                                                  function->shared_bytes + launch->dynamic_shared +
                                                      function->param_bytes);

    /* It is an estimate: what was launched runs. */
    return fit < 1 ? 1 : fit < most ? fit : most;
}

static uint64_t number_of(const struct period *period, struct block *block)
{
    return dim_number(stepped_info(period->state)->grid, warp_id(stepped_warp(block, 0)).block);
}

/* Give the multiprocessor a block, if it has room and there is one. */
static bool give_block(struct period *period, struct period_sm *sm, uint64_t when)
{
    for (int b = 0; b < period->resident; b++) {
        if (sm->blocks[b].used)
            continue;
        struct block *block = stepped_start(period->state, sm->thread);
        if (!block)
            return false;
        period_sm_place(sm, &sm->blocks[b], block, when);
        sm->blocks[b].number = number_of(period, block);
        return true;
    }
    return false;
}

static void give_first_blocks(struct period *period)
{
    for (int wave = 0; wave < period->resident; wave++)
        for (int i = 0; i < period->sm_count; i++)
            if (!give_block(period, &period->sms[i], 0))
                return;
}

/* Between two steps of time. */

static void take_back(struct period *period, struct period_sm *sm)
{
    const struct timeline *timeline = period->clock->timeline;

    for (int b = 0; sm->finished && b < period->resident; b++) {
        struct period_block *block = &sm->blocks[b];
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

static void serve(struct period *period, struct period_sm *sm, struct period_request *request)
{
    if (request->pending)
        request->units = period_sm_run_ordered(sm, request);
    const uint64_t waited =
        period_memory_serve(&period->memory, request->arrives, request->units,
                            (enum period_width)request->width, request->store && !request->load);
    uint64_t when = request->arrives + waited + (uint64_t)period->gpu.global_latency;

    sm->sums.bytes += (uint64_t)request->units * PERIOD_UNIT_BYTES;
    if (request->load) {
        /* What a multiprocessor loads comes back in the order it was asked for. */
        when = when > sm->returned ? when : sm->returned;
        sm->returned = when;
        sm->sums.door_wait += request->waited;
        sm->sums.memory_wait += waited;
        sm->sums.base_wait += (uint64_t)period->gpu.global_latency;
    }
    if (request->pending)
        period_sm_ordered_done(sm, request, when);
    else if (request->load)
        period_sm_deliver(sm, request, when);
}

/* The multiprocessor whose next request arrives first, before `until`; NULL: none. */
static struct period_sm *first_request(struct period *period, uint64_t until)
{
    struct period_sm *first = NULL;
    uint64_t least = until;

    for (int i = 0; i < period->sm_count; i++) {
        struct period_sm *sm = &period->sms[i];
        if (sm->request_done == sm->request_count ||
            sm->requests[sm->request_done].arrives >= least)
            continue;
        least = sm->requests[sm->request_done].arrives;
        first = sm;
    }
    return first;
}

static bool between_steps(struct period *period, uint64_t until)
{
    struct period_sm *sm;
    bool busy = false;

    while ((sm = first_request(period, until)) != NULL) {
        struct period_request request = sm->requests[sm->request_done++];
        if (sm->request_done == sm->request_count)
            sm->request_done = sm->request_count = 0;
        serve(period, sm, &request);
    }
    for (int i = 0; i < period->sm_count; i++)
        if (period->sms[i].finished)
            take_back(period, &period->sms[i]);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < period->sm_count; i++)
            more |= give_block(period, &period->sms[i], period->sms[i].now);
    }
    for (int i = 0; i < period->sm_count; i++)
        for (int b = 0; b < period->resident; b++)
            busy |= period->sms[i].blocks[b].used;
    return busy;
}

static bool has_failed(const struct period *period)
{
    for (int i = 0; i < period->sm_count; i++)
        if (period->sms[i].failed)
            return true;
    return false;
}

/* When something happens next, anywhere. */
static uint64_t next_event(const struct period *period)
{
    uint64_t next = PERIOD_NEVER;

    for (int i = 0; i < period->sm_count; i++) {
        const struct period_sm *sm = &period->sms[i];
        const uint64_t here = period_sm_next(sm);
        next = here < next ? here : next;
        if (sm->request_done < sm->request_count && sm->requests[sm->request_done].arrives < next)
            next = sm->requests[sm->request_done].arrives;
    }
    return next;
}

static void report_deadlock(struct period *period)
{
    for (int i = 0; i < period->sm_count; i++)
        for (int b = 0; b < period->resident; b++)
            if (period->sms[i].blocks[b].used) {
                stepped_deadlock(period->sms[i].blocks[b].block);
                period->sms[i].failed = true;
                return;
            }
}

/* No event is left: let warps pass barriers that the machine has opened; else it is a deadlock. */
static bool unblock(struct period *period)
{
    bool any = false;

    for (int i = 0; i < period->sm_count; i++)
        any |= period_sm_unblock(&period->sms[i]);
    if (!any)
        report_deadlock(period);
    return any;
}

/* A step of the multiprocessors that belong to CPU thread `part`. */
static void run_part(void *self, int part)
{
    const struct period *period = self;

    for (int i = part; i < period->sm_count; i += period->threads)
        period_sm_run(&period->sms[i], period->until);
}

static bool only_polls(const struct period_block *block)
{
    for (int i = 0; i < block->warp_count; i++) {
        const struct period_warp *warp = &block->warps[i];
        if (warp->state != WARP_OVER && warp->state != WARP_AT_BARRIER &&
            !stepped_polled_again(warp->warp))
            return false;
    }
    return true;
}

/* Every STEPS steps: do all warps poll words that nobody writes any more? After CHECKS times in a
 * row that is a deadlock. */
static void check_polls(struct period *period, struct polls *polls)
{
    enum { STEPS = 64, CHECKS = 4 };

    if (++polls->steps % STEPS != 0)
        return;
    const uint64_t writes = stepped_writes(period->state);
    bool all = writes == polls->writes;
    polls->writes = writes;
    for (int i = 0; i < period->sm_count; i++)
        for (int b = 0; b < period->resident; b++)
            all = all && (!period->sms[i].blocks[b].used || only_polls(&period->sms[i].blocks[b]));
    polls->checks = all ? polls->checks + 1 : 0;
    if (polls->checks == CHECKS)
        report_deadlock(period);
}

static void run_blocks(struct period *period)
{
    struct thread_pool *pool =
        thread_pool_start(period->threads, period->threads, run_part, period);
    const uint64_t step = (uint64_t)period->gpu.global_latency;
    struct polls polls = {0};
    bool busy = true;

    period->until = 0;
    while (busy && !has_failed(period)) {
        uint64_t next = next_event(period);
        if (next == PERIOD_NEVER) {
            if (!unblock(period))
                break;
            next = next_event(period);
        }
        period->until = (next > period->until ? next : period->until) + step;
        thread_pool_step(pool);
        busy = between_steps(period, period->until);
        if (busy)
            check_polls(period, &polls);
        if (!period_sample_look(&period->sample, period->until))
            period->sms[0].failed = true;
    }
    thread_pool_stop(pool);
}

/* The launch. */

/* The multiprocessor that was the last to finish: what held it up held up the kernel. */
static const struct period_sm *last_sm(const struct period *period)
{
    const struct period_sm *last = &period->sms[0];

    for (int i = 1; i < period->sm_count; i++)
        if (period->sms[i].last_busy > last->last_busy)
            last = &period->sms[i];
    return last;
}

/* For what the multiprocessor's warps waited, as shares of the time. */
static void split_time(struct timing_launch *launch, const struct gpu *gpu,
                       const struct period_sums *sums)
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
static void find_bound(struct timing_launch *last, const struct period *period,
                       const struct period_sums *sums, double clocks)
{
    const double busy[TIMING_LIMIT_COUNT] = {
        [TIMING_ISSUE] = (double)sums->issue / clocks,
        [TIMING_LOAD_STORE] = (double)sums->door / clocks,
        [TIMING_MEMORY] = period->memory.busy / clocks,
        [TIMING_SHARED] = (double)sums->shared / clocks,
    };

    timing_find_bound(last, busy);
}

static void conclude(struct period *period, const struct launch *launch)
{
    const struct gpu *gpu = &period->gpu;
    const struct period_sm *slowest = last_sm(period);
    uint64_t clocks = slowest->last_busy;
    struct timing_launch last = {
        .resident_blocks = period->resident,
        .registers = registers_wanted(period, launch),
        .occupancy =
            (double)period->resident * period->warps_a_block * WARP_SIZE / gpu->max_threads_per_sm,
    };

    const uint64_t stored = period_memory_end(&period->memory);
    clocks = stored > clocks ? stored : clocks;
    const double skipped = period_sample_end(&period->sample);
    const double all =
        skipped > 0 ? 1 + skipped / (double)clocks : 1; /* blocks, by modelled ones */
    for (int i = 0; i < period->sm_count; i++)
        last.memory_bytes += period->sms[i].sums.bytes;
    last.memory_bytes = (uint64_t)((double)last.memory_bytes * all);
    last.issue = (uint64_t)((double)slowest->sums.issue * all);
    last.memory_ms =
        (double)last.memory_bytes / (2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8);
    split_time(&last, gpu, &slowest->sums);
    find_bound(&last, period, &slowest->sums, (double)clocks + 1);
    last.ms = gpu->launch_us * 1e-3 + ((double)clocks + skipped) / gpu->clock_khz;
    period->clock->last = last;
    period->clock->ms += last.ms;
}

/* All blocks are modelled where somebody watches them, or the clock is to be exact. */
static void choose_sample(struct period *period, const struct launch *launch)
{
    const uint64_t wave = (uint64_t)period->sm_count * (uint64_t)period->resident;

    period->sample = (struct period_sample){0};
    if (!period->clock->full && !period->clock->timeline)
        period_sample_start(&period->sample, period->state, dim_count(launch->grid), wave,
                            (uint64_t)period->gpu.global_latency);
}

static void run_launch(struct period *period, const struct launch *launch)
{
    period->start = (uint64_t)(period->clock->ms * period->gpu.clock_khz);
    period->sm_count = period->gpu.multiprocessors;
    period->warps_a_block = (int)dim_warps(launch->block);
    period->resident = choose_resident(period, launch);
    period->threads = launch->workers < period->sm_count ? launch->workers : period->sm_count;
    read_program(period);
    make_sms(period);
    period_memory_start(&period->memory, &period->gpu);
    choose_sample(period, launch);
    give_first_blocks(period);
    run_blocks(period);
    for (int i = 0; i < period->sm_count; i++) {
        struct period_sm *sm = &period->sms[i];
        for (int b = 0; b < period->resident; b++)
            if (sm->blocks[b].used)
                stepped_end(sm->blocks[b].block);
    }
    conclude(period, launch);
    for (int i = 0; i < period->sm_count; i++)
        free_sm(&period->sms[i]);
    free(period->sms);
    period->sms = NULL;
}

static void run(void *self, const struct launch_request *request, struct fault *fault)
{
    struct period *period = self;

    period->state = stepped_launch(period->machine, request, fault);
    if (!period->state)
        return;
    run_launch(period, stepped_info(period->state));
    stepped_finish(period->state, fault);
}

static uint64_t read_clock(void *self, const struct warp *warp)
{
    const struct period *period = self;

    return period->start + (*(struct period_warp **)warp_scratch(warp))->sm->now;
}

/* What blocks report in multiples that are not modelled: nothing is to be noted. */
static void pass_over(void *self, const struct turns_event *event)
{
    (void)self;
    (void)event;
}

static void *start(struct machine *machine, struct timing_clock *clock)
{
    struct period *period = observer_allocate(1, sizeof(*period));

    period->machine = machine;
    period->gpu = *machine_gpu(machine);
    period->clock = clock;
    period->observer = (struct observer){.self = period,
                                         .access = period_note_access,
                                         .request = period_note_request,
                                         .turns = pass_over,
                                         .fetch = period_note_fetch};
    machine_set_clock(machine, read_clock, period);
    return period;
}

static void stop(void *self)
{
    struct period *period = self;

    free(period->ops);
    free(period);
}

static const struct observer *observer_of(void *self)
{
    return &((const struct period *)self)->observer;
}

const struct time_model period_model = {"period", start, stop, observer_of, run, NULL, NULL};
