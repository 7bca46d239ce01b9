/* SPDX-License-Identifier: MIT */
/* The plain model of time: deterministic, the same on any host with any number of workers.
 *
 * What is modelled
 *
 * A warp has a clock that starts at 0 with its block. An instruction moves it on by the clocks it
 * keeps the warp's scheduler (1 for most; a division, a square root or a 64-bit product stands for
 * several machine instructions), and by the wait for what it reads. Both are worked out from the
 * text once per launch (costs.h): within a basic block each result is ready a fixed latency after
 * its instruction, and at the end of the block all are. Loads differ: the warp goes on until an
 * instruction reads what was loaded, or the basic block ends, and then waits for all its loads at
 * once. So loads that come one after the other overlap, and loads that feed each other do not.
 *
 * A load takes the GPU's latency of its memory, plus a clock for each pass beyond the first: bank
 * conflicts in shared memory, different addresses in constant memory, transactions (or every 64
 * bytes, what an SM takes from L2 in a clock; Jia and others, "Dissecting the NVIDIA Volta GPU
 * architecture via microbenchmarking", 2018) in global memory. A fetch from a texture takes the
 * latency of global memory, plus the clocks of the texture units; what its cache holds moves no
 * bytes (texture_cache.h). Stores are not waited for. A barrier moves all warps of the block to the
 * last one.
 *
 * A warp may read a word (volatile, relaxed, acquire) that another block wrote at a later clock.
 * Then the warp waited until that write, and its clock moves on to it. So a wait costs what it
 * lasts, however often the warp polled. An atomic waits only if the warp slept before it
 * (lockstep.c). Waits count for the longest block, but not for the mean below: while a block waits,
 * no other one takes its place.
 *
 * Block number b runs on multiprocessor b modulo their number. A multiprocessor holds as many
 * blocks as threads, blocks, shared memory and registers allow, and takes the longest of
 *   issue       the slots of all its warp instructions / its schedulers,
 *   latency     the mean of its blocks' longest warps x the waves of resident blocks (or the one
 *               longest, where that is more),
 *   load/store  one pass a clock through the memory pipe.
 * The launch takes the slowest multiprocessor's time, or that of the bytes it moved at the
 * bandwidth of device memory, whichever is longer, and the launch overhead on top. All that workers
 * add up are integers, and sums and maxima do not depend on their order.
 *
 * %clock is the warp's clock, counted on from the launch's start: it never falls within a warp.
 * All blocks of a launch start at the same clock, and waiting for a slot among other warps is not
 * in it: what a kernel reads is the latency of its own path. %globaltimer is the same in
 * nanoseconds.
 *
 * What is not
 *
 * Caches: every sector that a load touches comes from device memory (but local and constant
 * memory answer as fast as shared memory, on GPUs with caches). Queues: a bound is either met or
 * does not matter. Atomics cost what a load does, however many lanes meet at one address. Named
 * barriers of a block are one. Clock boosts, DRAM pages, instruction fetch, the tail of a grid
 * whose blocks differ in length. The figures are good for comparisons with each other, not with a
 * stopwatch.
 */
#include "time/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/hash_table.h"
#include "machine/kept_blocks.h"
#include "time/costs.h"
#include "time/texture_cache.h"
#include "time/trip.h"
#include "time/turn_clock.h"

/* In a warp's scratch bytes. */
struct warp_clock {
    uint64_t clocks;
    uint64_t loaded; /* when the last of its loads arrives */
    uint64_t copied; /* when what the current copy reads arrives */
    uint64_t waited; /* of these clocks, those of waits for other blocks */
    uint64_t drawn; /* what it did until this clock has been reported to the timeline */
    struct block_clock *block; /* its own; NULL until its first instruction */
};
_Static_assert(sizeof(struct warp_clock) <= PLAIN_SCRATCH, "the rest is another model's");

/* A block under way. */
struct block_clock {
    struct kept_block kept;
    uint64_t floor; /* the clock of the last barrier: no warp is earlier */
    uint64_t arrived; /* the clock of the latest warp at the next barrier */
    uint64_t longest; /* the clock of the latest warp */
    uint64_t waited, floor_waited; /* most clocks of a warp's waits for other blocks: until now, and
                                    * until the last barrier */
    uint64_t slots, passes, moved;
    struct texture_cache textures; /* its share of the multiprocessor's */
};

/* What one worker has. It may have several blocks at once, if they wait for each other. */
struct worker_clock {
    _Alignas(64) struct kept_blocks blocks;
    struct sm_sums *sums; /* by multiprocessor */
    struct turn_cost {
        uint64_t number, slots, passes, moved;
        uint32_t count; /* of reports */
        struct turn_clock clock;
    } turns[TURN_SLOTS]; /* what these cost once */
};

/* What a worker's blocks add up to on one multiprocessor. */
struct sm_sums {
    uint64_t blocks, latency, longest, slots, passes, moved;
};

struct plain {
    struct observer observer;
    struct gpu gpu;
    const struct ptx_instr *instrs; /* of the kernel under way */
    size_t instr_count;
    struct cost *costs; /* one each */
    struct running_cost *running_costs; /* one each, and one after the last */
    struct cost elsewhere; /* of instructions in called functions */
    struct worker_clock *workers;
    int worker_count;
    int resident_blocks;
    struct registers registers;
    uint64_t *lengths; /* clocks of each block of the launch, for the timeline */
    uint64_t length_count;
    struct hash_table writes; /* struct last_write, by what orders blocks in this launch */
    struct machine *machine;
    struct timing_clock *clock;
    uint64_t start_clocks; /* when the launch under way began */
};

/* When a word was last written, whatever its size. */
struct last_write {
    uint64_t address, clock;
};

static void raise(uint64_t *value, uint64_t to)
{
    if (to > *value)
        *value = to;
}

static void free_blocks(struct kept_block **list)
{
    struct block_clock *block;

    while ((block = kept_block_pop(list)) != NULL) {
        texture_cache_free(&block->textures);
        free(block);
    }
}

static void free_workers(struct plain *plain)
{
    for (int worker = 0; worker < plain->worker_count; worker++) {
        free_blocks(&plain->workers[worker].blocks.running);
        free_blocks(&plain->workers[worker].blocks.spare);
        free(plain->workers[worker].sums);
    }
    free(plain->workers);
}

static void reset_workers(struct plain *plain, int workers)
{
    const size_t multiprocessors = plain->gpu.multiprocessors;

    if (workers > plain->worker_count) {
        free_workers(plain);
        plain->workers = observer_allocate(workers, sizeof(*plain->workers));
        plain->worker_count = workers;
        for (int i = 0; i < workers; i++)
            plain->workers[i].sums = observer_allocate(multiprocessors, sizeof(struct sm_sums));
    }
    for (int i = 0; i < plain->worker_count; i++) {
        struct worker_clock *worker = &plain->workers[i];
        free_blocks(&worker->blocks.running);
        memset(worker->sums, 0, multiprocessors * sizeof(*worker->sums));
        memset(worker->turns, 0, sizeof(worker->turns));
    }
}

static struct block_clock *find_block(const struct plain *plain, int worker, struct dim index)
{
    return kept_block_find(&plain->workers[worker].blocks, index);
}

static void start_lengths(struct plain *plain, const struct launch *launch)
{
    enum { MOST_LENGTHS = 1 << 20 };
    const uint64_t blocks = dim_count(launch->grid);

    free(plain->lengths);
    plain->length_count = blocks < MOST_LENGTHS ? blocks : MOST_LENGTHS;
    plain->lengths = observer_allocate(plain->length_count, sizeof(*plain->lengths));
}

/* Draw only the first blocks: when the next ones start is known at the end. */
static void draw_warp(const struct plain *plain, const struct warp *warp, enum timeline_state state,
                      uint64_t until)
{
    const struct timeline *timeline = plain->clock->timeline;
    const struct warp_id id = warp_id(warp);
    const uint64_t number = dim_number(warp_launch(warp)->grid, id.block);
    const uint64_t turn = number / (uint64_t)plain->gpu.multiprocessors;
    struct warp_clock *clock = warp_scratch(warp);

    if (warp_multiprocessor(warp) != TIMELINE_SM || turn >= (uint64_t)plain->resident_blocks ||
        until <= clock->drawn)
        return;
    timeline->warp(timeline->self, (int)(turn * dim_warps(warp_launch(warp)->block) + id.index),
                   number, id.index, state, clock->drawn, until);
    clock->drawn = until;
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct plain *plain = self;
    const struct ptx_function *function = kernel_info(launch->kernel)->function;
    const uint32_t threads = (uint32_t)dim_count(launch->block);
    const struct registers registers = registers_of(&plain->gpu, function);
    const int resident = gpu_blocks_per_multiprocessor(
        &plain->gpu, threads, registers.count, function->shared_bytes + launch->dynamic_shared);

    reset_workers(plain, launch->workers);
    hash_table_free(&plain->writes);
    free(plain->costs);
    free(plain->running_costs);
    plain->costs = costs_of(&plain->gpu, function);
    plain->running_costs = running_costs_of(plain->costs, (size_t)function->instr_count);
    plain->instrs = function->instrs;
    plain->instr_count = function->instr_count;
    /* What was launched runs, whatever the estimate. */
    plain->resident_blocks = resident > 0 ? resident : 1;
    plain->registers = registers;
    plain->start_clocks = (uint64_t)(plain->clock->ms * plain->gpu.clock_khz);
    if (plain->clock->timeline)
        start_lengths(plain, launch);
}

static void on_block_begin(void *self, int worker_number, const struct launch *launch,
                           struct dim index)
{
    const struct plain *plain = self;
    struct block_clock *block =
        kept_block_begin(&plain->workers[worker_number].blocks, index, sizeof(*block));

    (void)launch;
    *block = (struct block_clock){.kept = block->kept};
}

static void on_block_end(void *self, int worker_number, const struct launch *launch,
                         struct dim index, uint64_t issued)
{
    struct plain *plain = self;
    (void)issued;
    struct worker_clock *worker = &plain->workers[worker_number];
    struct block_clock *block = find_block(plain, worker_number, index);
    const uint64_t number = dim_number(launch->grid, index);
    struct sm_sums *sums = &worker->sums[number % plain->gpu.multiprocessors];

    if (plain->clock->timeline && number < plain->length_count)
        plain->lengths[number] = block->longest;
    sums->blocks++;
    sums->latency += block->longest - block->waited;
    raise(&sums->longest, block->longest);
    sums->slots += block->slots;
    sums->passes += block->passes;
    sums->moved += block->moved;
    texture_cache_free(&block->textures);
    kept_block_end(&worker->blocks, index);
}

/* The index of an instruction of the kernel; instr_count or more for one in a function it calls. */
static size_t index_of(const struct plain *plain, const struct ptx_instr *instr)
{
    return ((uintptr_t)instr - (uintptr_t)plain->instrs) / sizeof(*instr);
}

/* What `count` instructions cost. The first one that waits for the warp's loads and those after it
 * cost `behind`; when a later one waits, the loads have arrived. */
struct pass {
    uint64_t clocks, behind, slots;
    bool waits;
};
static struct pass pass_of(const struct plain *plain, const struct ptx_instr *first, uint32_t count)
{
    const size_t index = index_of(plain, first);

    if (index >= plain->instr_count) {
        const uint64_t clocks = (uint64_t)plain->elsewhere.clocks * count;
        return (struct pass){clocks, clocks, (uint64_t)plain->elsewhere.slots * count, true};
    }
    const struct running_cost *from = &plain->running_costs[index], *to = from + count;
    return (struct pass){.clocks = to->clocks - from->clocks,
                         .behind = to->clocks - plain->running_costs[from->wait].clocks,
                         .slots = to->slots - from->slots,
                         .waits = from->wait < index + count};
}

/* The clock of a warp that goes on, not before the last barrier. */
static struct warp_clock *clock_of(const struct plain *plain, int worker, const struct warp *of)
{
    struct warp_clock *warp = warp_scratch(of);

    if (!warp->block)
        warp->block = find_block(plain, worker, warp_id(of).block);
    raise(&warp->clocks, warp->block->floor);
    return warp;
}

/* The warp goes on by `count` instructions. */
static void pass(struct plain *plain, int worker, const struct warp *of,
                 const struct ptx_instr *first, uint32_t count)
{
    struct warp_clock *warp = clock_of(plain, worker, of);
    const struct pass pass = pass_of(plain, first, count);

    warp->clocks += pass.clocks;
    if (pass.waits)
        raise(&warp->clocks, warp->loaded + pass.behind);
    warp->block->slots += pass.slots;
    raise(&warp->block->longest, warp->clocks);
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    pass(self, event->worker, event->warp, event->instr, 1);
}

static void on_stretch(void *self, const struct stretch_event *event)
{
    pass(self, event->worker, event->warp, event->stretch->first, event->stretch->count);
}

/* The same with reports to the timeline, in this order: the warp waited for another block, at a
 * barrier, for its loads, for results; then it issues. */
static void on_instruction_drawn(void *self, const struct instruction_event *event)
{
    const struct plain *plain = self;
    const struct warp_clock *warp = warp_scratch(event->warp);
    const size_t index = index_of(plain, event->instr);
    const struct cost *cost = index < plain->instr_count ? &plain->costs[index] : &plain->elsewhere;
    const uint64_t loaded = warp->loaded;

    draw_warp(plain, event->warp, TIMELINE_MEMORY, warp->clocks);
    on_instruction(self, event);
    draw_warp(plain, event->warp, TIMELINE_BARRIER, warp->block->floor);
    if (cost->waits)
        draw_warp(plain, event->warp, TIMELINE_MEMORY, loaded);
    draw_warp(plain, event->warp, TIMELINE_OTHER, warp->clocks - cost->slots);
    draw_warp(plain, event->warp, TIMELINE_ISSUES, warp->clocks);
}

/* A warp that reads what another block wrote at a later clock has waited until then, however often
 * it polled. Only one warp at a time is here. */
static void wait_for_writer(struct plain *plain, struct warp_clock *warp,
                            const struct access_event *event)
{
    const bool reads = event->kind == ACCESS_LOAD || event->woke;
    uint64_t clock = 0, last = 0;

    EACH_LANE(lane, reads ? event->lanes : 0) {
        const uint64_t address = event->addresses[lane];
        const struct last_write *write =
            address != last ? hash_table_find(&plain->writes, sizeof(*write), address) : NULL;
        last = address; /* lanes mostly share a word */
        raise(&clock, write ? write->clock : 0);
    }
    if (clock > warp->clocks) {
        raise(&warp->waited, warp->block->floor_waited);
        warp->waited += clock - warp->clocks;
        raise(&warp->block->waited, warp->waited);
        warp->clocks = clock;
        raise(&warp->block->longest, clock);
    }
    EACH_LANE(lane, event->kind != ACCESS_LOAD ? event->lanes : 0)
        raise(&((struct last_write *)hash_table_make(&plain->writes, sizeof(struct last_write),
                                                     event->addresses[lane]))
                   ->clock,
              warp->clocks);
}

static void on_access(void *self, const struct access_event *event)
{
    struct plain *plain = self;
    struct warp_clock *warp = warp_scratch(event->warp);

    if (event->space == PTX_PARAM)
        return;
    if (event->orders_blocks && event->space == PTX_GLOBAL)
        wait_for_writer(plain, warp, event);

    const struct price price = access_price(event);
    struct trip trip = trip_of(&plain->gpu, &warp->block->moved, event->space, &price);
    if (event->remote)
        trip.latency = plain->gpu.cluster_latency;
    const uint64_t loaded = warp->clocks + trip.latency + trip.passes - 1;

    warp->block->passes += trip.passes;
    if (event->copies) {
        raise(&warp->copied, loaded);
        return;
    }
    if (event->kind != ACCESS_STORE && loaded > warp->loaded)
        warp->loaded = loaded;
}

static void on_request(void *self, const struct request_event *event)
{
    struct plain *plain = self;
    struct warp_clock *warp = warp_scratch(event->warp);

    if (event->stretch->count)
        pass(plain, event->worker, event->warp, event->stretch->first, event->stretch->count);
    const struct trip trip = trip_of(&plain->gpu, &warp->block->moved, event->space, event->price);

    warp->block->passes += trip.passes;
    if (event->kind == ACCESS_LOAD)
        raise(&warp->loaded, warp->clocks + trip.latency + trip.passes - 1);
}

static struct turn_cost turn_cost_of(const struct plain *plain, const struct turns_event *event)
{
    struct turn_cost turn = {
        .number = event->number, .count = event->count, .clock = turn_clock_none()};

    for (const struct told *told = event->told; told < event->told + event->count; told++) {
        if (told->kind == TOLD_BRANCH)
            continue;
        const struct pass pass = pass_of(plain, told->stretch.first, told->stretch.count);
        turn_clock_pass(&turn.clock, pass.clocks, pass.waits, pass.behind);
        turn.slots += pass.slots;
        if (told->kind != TOLD_REQUEST)
            continue;
        const struct trip trip =
            trip_of(&plain->gpu, &turn.moved, told->request.space, &told->price);
        turn.passes += trip.passes;
        if (told->request.kind == ACCESS_LOAD)
            turn_clock_load(&turn.clock, trip.latency + trip.passes - 1);
    }
    return turn;
}

static void on_turns(void *self, const struct turns_event *event)
{
    const struct plain *plain = self;
    struct turn_cost *turn = &plain->workers[event->worker].turns[event->slot];
    struct warp_clock *warp = clock_of(plain, event->worker, event->warp);
    struct block_clock *block = warp->block;

    if (turn->number != event->number || turn->count != event->count)
        *turn = turn_cost_of(plain, event);
    turn_clock_repeat(&turn->clock, event->times, &warp->clocks, &warp->loaded);
    block->slots += event->times * turn->slots;
    block->passes += event->times * turn->passes;
    block->moved += event->times * turn->moved;
    raise(&block->longest, warp->clocks);
}

/* A warp that waits for a copy goes on when the copy arrives, which `note` keeps, or later. */
static void on_copy(void *self, const struct copy_event *event)
{
    struct warp_clock *warp = warp_scratch(event->warp);

    (void)self;
    if (!event->done) {
        *event->note = warp->copied;
        warp->copied = 0;
        return;
    }
    raise(&warp->clocks, *event->note);
    raise(&warp->block->longest, warp->clocks);
}

/* A hit spares device memory the sector; the latency is the same. */
static void on_fetch(void *self, const struct fetch_event *event)
{
    struct plain *plain = self;
    struct warp_clock *warp = warp_scratch(event->warp);
    const struct fetch_cost cost = texture_cache_fetch(
        &warp->block->textures, plain->gpu.texture_cache / (size_t)plain->resident_blocks, event);

    warp->block->passes += cost.clocks;
    warp->block->moved += (uint64_t)cost.misses * SECTOR_BYTES;
    raise(&warp->loaded, warp->clocks + plain->gpu.global_latency + cost.clocks - 1);
}

static void on_barrier(void *self, const struct barrier_event *event)
{
    const struct warp_clock *warp = warp_scratch(event->warp);

    (void)self;
    if (!event->of_warp)
        raise(&warp->block->arrived, warp->clocks);
}

static void on_barrier_release(void *self, int worker, const struct launch *launch,
                               struct dim index)
{
    struct plain *plain = self;
    struct block_clock *block = find_block(plain, worker, index);

    (void)launch;
    block->floor = block->arrived;
    block->floor_waited = block->waited;
}

/* The barrier of a cluster: a warp leaves it no earlier than the last one of any block arrives. */
static void on_cluster(void *self, const struct cluster_event *event)
{
    struct plain *plain = self;
    const struct warp_clock *warp = warp_scratch(event->warp);
    uint64_t arrived = 0, waited = 0;

    if (event->step == CLUSTER_ARRIVE)
        raise(&warp->block->arrived, warp->clocks);
    if (event->step != CLUSTER_OPEN)
        return;
    for (int i = 0; i < event->block_count; i++) {
        const struct block_clock *block = find_block(plain, event->worker, event->blocks[i]);
        raise(&arrived, block->arrived);
        raise(&waited, block->waited);
    }
    for (int i = 0; i < event->block_count; i++) {
        struct block_clock *block = find_block(plain, event->worker, event->blocks[i]);
        raise(&block->arrived, arrived);
        raise(&block->floor, arrived);
        raise(&block->floor_waited, waited);
    }
}

/* What all workers' blocks add up to on multiprocessor `sm`. */
static struct sm_sums sums_of(const struct plain *plain, int sm)
{
    struct sm_sums all = {0};

    for (int worker = 0; worker < plain->worker_count; worker++) {
        const struct sm_sums *sums = &plain->workers[worker].sums[sm];

        all.blocks += sums->blocks;
        all.latency += sums->latency;
        all.slots += sums->slots;
        all.passes += sums->passes;
        all.moved += sums->moved;
        raise(&all.longest, sums->longest);
    }
    return all;
}

static void add_multiprocessor(struct timing_launch *last, const struct gpu *gpu,
                               struct sm_sums sums)
{
    if (sums.blocks == 0)
        return;

    const uint64_t waves = (sums.blocks + last->resident_blocks - 1) / last->resident_blocks;

    raise(&last->issue, sums.slots / gpu->schedulers);
    raise(&last->latency, sums.latency / sums.blocks * waves);
    raise(&last->latency, sums.longest);
    raise(&last->load_store, sums.passes);
    last->memory_bytes += sums.moved;
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct plain *plain = self;
    const struct gpu *gpu = &plain->gpu;
    struct timing_launch last = {
        .resident_blocks = plain->resident_blocks,
        .registers = plain->registers,
        .occupancy = (double)plain->resident_blocks * dim_warps(launch->block) * WARP_SIZE /
                     gpu->max_threads_per_sm,
    };

    (void)fault;
    for (int sm = 0; sm < gpu->multiprocessors; sm++)
        add_multiprocessor(&last, gpu, sums_of(plain, sm));

    /* Two transfers a clock; kHz x bytes are bytes a millisecond. */
    const double bytes_a_ms = 2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8;
    last.memory_ms = last.memory_bytes / bytes_a_ms;

    const double launch_ms = gpu->launch_us / 1000;
    double busy[TIMING_LIMIT_COUNT] = {
        [TIMING_ISSUE] = (double)last.issue / gpu->clock_khz,
        [TIMING_LATENCY] = (double)last.latency / gpu->clock_khz,
        [TIMING_LOAD_STORE] = (double)last.load_store / gpu->clock_khz,
        [TIMING_MEMORY] = last.memory_ms,
    };
    double longest = 0;
    for (int i = 0; i < TIMING_LIMIT_COUNT; i++)
        longest = busy[i] > longest ? busy[i] : longest;
    for (int i = 0; i < TIMING_LIMIT_COUNT && longest > 0; i++)
        busy[i] /= longest;
    last.ms = launch_ms + longest;
    /* Of the last wave, whose blocks are taken to let the next launch begin at once. */
    last.after_ms = longest / fmax(ceil((double)dim_count(launch->grid) /
                                        (fmax(last.resident_blocks, 1) * gpu->multiprocessors)),
                                   1);
    last.shares[TIMING_LAUNCH] = launch_ms / last.ms;
    timing_find_bound(&last, busy);
    if (plain->clock->timeline)
        timeline_draw_blocks(plain->clock->timeline, gpu->multiprocessors, plain->resident_blocks,
                             plain->lengths, plain->length_count);
    plain->clock->last = last;
    plain->clock->ms += last.ms;
}

static uint64_t read_clock(void *self, const struct warp *warp)
{
    const struct plain *plain = self;

    return plain->start_clocks + ((const struct warp_clock *)warp_scratch(warp))->clocks;
}

static void run(void *self, const struct launch_request *request, struct fault *fault)
{
    struct plain *plain = self;

    machine_launch(plain->machine, request, fault);
}

static uint64_t event_clock(void *self, const struct warp *warp)
{
    (void)self;
    return ((const struct warp_clock *)warp_scratch(warp))->clocks;
}

static void *start(struct machine *machine, struct timing_clock *clock)
{
    struct plain *plain = observer_allocate(1, sizeof(*plain));

    plain->machine = machine;
    plain->clock = clock;
    plain->gpu = *machine_gpu(machine);
    plain->elsewhere = (struct cost){
        .clocks = plain->gpu.arithmetic_latency,
        .slots = 1,
        .waits = true,
    };
    plain->observer = (struct observer){
        .self = plain,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .instruction = on_instruction,
        .stretch = on_stretch,
        .access = on_access,
        .request = on_request,
        .turns = on_turns,
        .fetch = on_fetch,
        .copy = on_copy,
        .barrier = on_barrier,
        .barrier_release = on_barrier_release,
        .cluster = on_cluster,
    };
    machine_set_clock(machine, read_clock, plain);
    return plain;
}

static void stop(void *self)
{
    struct plain *plain = self;

    free_workers(plain);
    free(plain->costs);
    free(plain->running_costs);
    free(plain->lengths);
    hash_table_free(&plain->writes);
    free(plain);
}

static const struct observer *observer_of(void *self)
{
    struct plain *plain = self;

    if (plain->clock->timeline) {
        plain->observer.instruction = on_instruction_drawn;
        plain->observer.stretch = NULL;
    }
    return &plain->observer;
}

const struct time_model plain_model = {"plain", start, stop, observer_of, run, event_clock, NULL};
