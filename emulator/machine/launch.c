/* Machines, and launches: blocks over the workers. */
#include "warp.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHARED_ALIGN = 64, FRESH_BYTE = 0xCD, PATIENT_TURNS = 256 };

struct machine *machine_new(const struct gpu *gpu, int workers)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    machine->gpu = *gpu;
    machine->workers = workers > 0 ? workers : cores > 0 ? (int)cores : 1;
    if (!memory_start(&machine->memory, gpu->memory)) {
        free(machine);
        return NULL;
    }
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    memory_stop(&machine->memory);
    free(machine);
}

const struct gpu *machine_gpu(const struct machine *machine)
{
    return &machine->gpu;
}

void machine_observe(struct machine *machine, const struct observer *observer)
{
    if (machine->observer_count == MAX_OBSERVERS)
        abort(); /* a program adds them by hand */
    machine->observers[machine->observer_count++] = *observer;
}

void machine_set_schedule(struct machine *machine, struct schedule schedule)
{
    machine->schedule = schedule;
}

void machine_insist_on_schedule(struct machine *machine)
{
    machine->insists = true;
}

bool machine_insists_on_schedule(const struct machine *machine)
{
    return machine->insists;
}

void machine_set_lenient(struct machine *machine, bool lenient)
{
    machine->lenient = lenient;
}

void machine_set_clock(struct machine *machine, machine_clock_function *clock,
                       machine_clock_function *globaltimer, void *self)
{
    machine->clock = clock;
    machine->globaltimer = globaltimer;
    machine->clock_self = self;
}

uint64_t launch_writes(const struct launch_state *launch)
{
    uint64_t sum = 0;
    for (int i = 0; i < launch->worker_count; i++)
        sum += atomic_load_explicit(&launch->workers[i].writes, memory_order_acquire);
    return sum;
}

/* What the observers want to hear. */
static void fetch_listeners(const struct machine *machine, struct listeners *listeners)
{
#define FETCH(event)                                                            \
    if (observer->event) {                                                      \
        listeners->event.list[listeners->event.count].self = observer->self;    \
        listeners->event.list[listeners->event.count++].call = observer->event; \
    }
    for (int i = 0; i < machine->observer_count; i++) {
        const struct observer *observer = &machine->observers[i];
        FETCH(block_begin)
        FETCH(block_end)
        FETCH(barrier_release)
        FETCH(instruction)
        FETCH(access)
        FETCH(branch)
        FETCH(barrier)
        FETCH(barrier_open)
        FETCH(collective)
        FETCH(fence)
        FETCH(dependency)
        FETCH(fault)
    }
#undef FETCH
}

/* Which block is the n-th to start: random orders step through all by a stride that misses none. */
static uint64_t block_at(const struct launch_state *launch, uint64_t n)
{
    const struct schedule *schedule = &launch->machine->schedule;
    const uint64_t count = launch->block_count;
    if (schedule->kind == SCHEDULE_REVERSE)
        return count - 1 - n;
    if (schedule->kind == SCHEDULE_FORWARD)
        return n;
    return (uint64_t)(((unsigned __int128)launch->stride * n + launch->first) % count);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void choose_stride(struct launch_state *launch)
{
    struct block dice = {.random = launch->machine->schedule.seed};
    launch->first = block_random(&dice) % launch->block_count;
    launch->stride = block_random(&dice) % launch->block_count + 1;
    while (common_divisor(launch->stride, launch->block_count) != 1)
        launch->stride++;
}

static void block_free(struct block *block)
{
    if (!block)
        return;
    for (int i = 0; block->warps && i < block->warp_count; i++) {
        if (block->warps[i].frame)
            frame_free(&block->warps[i], block->warps[i].frame);
        free(block->warps[i].specials);
        free(block->warps[i].watches);
    }
    free(block->warps);
    free(block->shared);
    free(block);
}

static bool make_warps(struct block *block)
{
    const bool watches = block->launch->code->meets;
    block->warps = calloc((size_t)block->warp_count, sizeof *block->warps);
    if (!block->warps)
        return false;
    const size_t specials =
        ((size_t)SPECIALS_BYTES + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
    for (int i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        warp->block = block;
        warp->worker = block->worker;
        warp->index = (uint32_t)i;
        warp->frame = frame_new(warp, block->launch->code, NULL);
        warp->specials = aligned_alloc(SHARED_ALIGN, specials);
        if (watches)
            warp->watches = calloc(WARP_SIZE, sizeof *warp->watches);
        if (!warp->frame || !warp->specials || (watches && !warp->watches))
            return false;
        warp_start_once(warp);
    }
    return true;
}

/* A block's room, to be used for one block after another. */
static struct block *block_new(struct worker *worker)
{
    struct launch_state *launch = worker->launch;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->launch = launch;
    block->worker = worker;
    block->warp_count = (int)((launch->threads + WARP_SIZE - 1) / WARP_SIZE);
    block->shared_bytes = launch->shared_bytes;
    block->shared =
        aligned_alloc(SHARED_ALIGN, (launch->shared_bytes / SHARED_ALIGN + 1) * SHARED_ALIGN);
    if (!block->shared || !make_warps(block)) {
        block_free(block);
        return NULL;
    }
    return block;
}

static void block_start(struct block *block, uint64_t turn)
{
    struct launch_state *launch = block->launch;
    const struct dim grid = launch->launch.grid;
    const uint64_t number = block_at(launch, turn);
    block->turn = turn;
    block->number = number;
    block->index = (struct dim){(uint32_t)(number % grid.x), (uint32_t)(number / grid.x % grid.y),
                                (uint32_t)(number / grid.x / grid.y)};
    block->live = (uint32_t)launch->threads;
    block->failed = false;
    block->turns = 0;
    block->stuck = false;
    block->done = false;
    block->random = launch->machine->schedule.seed ^ (number + 1) * UINT64_C(0xD6E8FEB86659FD93);
    memset(block->barriers, 0, sizeof block->barriers);
    block->barrier_limit = 0;
    memset(block->shared, FRESH_BYTE, block->shared_bytes);
    for (int i = 0; i < block->warp_count; i++)
        warp_start(&block->warps[i]);
    NOTIFY(launch->listeners.block_begin, block->worker->number, &launch->launch, block->index);
}

void launch_fail_without_memory(struct launch_state *launch)
{
    pthread_mutex_lock(&launch->fault_lock);
    if (launch->failed_turn == UINT64_MAX) {
        launch->failed_turn = 0;
        launch->fault.kind = FAULT_UNSUPPORTED;
        snprintf(launch->fault.message, sizeof launch->fault.message,
                 "kernel %.200s: the host has not enough memory for its blocks",
                 launch->kernel->info.name);
    }
    pthread_mutex_unlock(&launch->fault_lock);
}

/* Start the next block of the grid here. False: there is none, or no room for it. */
bool worker_start_block(struct worker *worker)
{
    struct launch_state *launch = worker->launch;
    if (worker->block_count == launch->max_resident || launch->failed_turn != UINT64_MAX ||
        launch->next_turn >= launch->block_count)
        return false;
    const uint64_t turn = atomic_fetch_add(&launch->next_turn, 1);
    if (turn >= launch->block_count)
        return false;
    struct block *block = worker->spare ? worker->spare : block_new(worker);
    worker->spare = NULL;
    if (!block) {
        launch_fail_without_memory(launch);
        return false;
    }
    block_start(block, turn);
    block->next = worker->blocks;
    worker->blocks = block;
    worker->block_count++;
    return true;
}

void worker_end_block(struct worker *worker, struct block **link)
{
    struct block *block = *link;
    struct launch_state *launch = worker->launch;
    *link = block->next;
    worker->block_count--;
    for (int i = 0; i < block->warp_count; i++)
        warp_end(&block->warps[i]);
    NOTIFY(launch->listeners.block_end, worker->number, &launch->launch, block->index);
    if (worker->spare)
        block_free(block);
    else
        worker->spare = block;
}

/* Now and then a block that goes on counts as waiting too, so that the worker starts another one:
 * it may wait for what only a later block does, and while it stores as it goes round it never
 * looks stuck. */
static bool has_been_patient(struct block *block)
{
    return ++block->turns % PATIENT_TURNS == 0;
}

/* A turn for every block here. Returns whether all of them wait for what others do. */
static bool worker_turn(struct worker *worker)
{
    bool all_wait = true;
    struct block **link = &worker->blocks;
    while (*link) {
        struct block *block = *link;
        const bool overtaken = block->turn > worker->launch->failed_turn;
        const enum block_status status = overtaken ? BLOCK_DONE : block_turn(block);
        if (status == BLOCK_DONE) {
            all_wait = false;
            worker_end_block(worker, link);
            continue;
        }
        block->stuck = status == BLOCK_STUCK;
        all_wait = all_wait && (block->stuck || has_been_patient(block));
        link = &block->next;
    }
    return all_wait;
}

static bool all_stuck(const struct worker *worker)
{
    for (const struct block *block = worker->blocks; block; block = block->next)
        if (!block->stuck)
            return false;
    return true;
}

static bool release_any(const struct worker *worker)
{
    bool any = false;
    for (struct block *block = worker->blocks; block; block = block->next)
        for (int i = 0; i < block->warp_count; i++)
            any |= warp_release(&block->warps[i]);
    return any;
}

/* Nothing here moves while memory stays as it is. If that holds for every worker, none will. */
static void worker_wait(struct worker *worker, uint64_t writes)
{
    struct launch_state *launch = worker->launch;
    if (!all_stuck(worker) || release_any(worker))
        return;
    atomic_store(&worker->stuck_at, writes);
    for (int i = 0; i < launch->worker_count; i++) {
        const uint64_t stuck_at = atomic_load(&launch->workers[i].stuck_at);
        if (stuck_at != writes && stuck_at != WORKER_ENDED) {
            sched_yield();
            return;
        }
    }
    if (launch_writes(launch) == writes)
        block_deadlock(worker->blocks);
}

static void *worker_run(void *self)
{
    struct worker *worker = self;
    struct launch_state *launch = worker->launch;
    uint64_t writes = 0;
    bool waiting = true;
    for (;;) {
        if (waiting && !worker_start_block(worker) && worker->blocks)
            worker_wait(worker, writes);
        if (!worker->blocks)
            break;
        writes = launch_writes(launch);
        waiting = worker_turn(worker) || !worker->blocks;
        if (!waiting)
            atomic_store(&worker->stuck_at, WORKER_BUSY);
    }
    atomic_store(&worker->stuck_at, WORKER_ENDED);
    block_free(worker->spare);
    return NULL;
}

static void launch_workers(struct launch_state *launch)
{
    for (int i = 1; i < launch->worker_count; i++)
        if (pthread_create(&launch->workers[i].thread, NULL, worker_run, &launch->workers[i]) == 0)
            launch->workers[i].started = true;
        else
            atomic_store(&launch->workers[i].stuck_at, WORKER_ENDED);
    worker_run(&launch->workers[0]);
    for (int i = 1; i < launch->worker_count; i++)
        if (launch->workers[i].started)
            pthread_join(launch->workers[i].thread, NULL);
}

/* The kernel's parameters, each at its offset. */
static char *gather_params(const struct ptx_function *function, void **arguments)
{
    char *params = calloc(1, function->param_bytes + 8);
    for (int i = 0; params && i < function->param_count; i++)
        memcpy(params + function->params[i].offset, arguments[i], function->params[i].size);
    return params;
}

static void launch_run(struct launch_state *launch)
{
    const struct gpu *gpu = &launch->machine->gpu;
    const uint64_t resident = (uint64_t)gpu->multiprocessors * (uint64_t)gpu->max_blocks_per_sm;
    const bool paced = launch->machine->pacer.run;
    const int threads = launch->machine->workers;
    launch->max_resident =
        paced || launch->rounds ? INT_MAX : (int)(resident / (uint64_t)launch->worker_count) + 1;
    for (int i = 0; i < launch->worker_count; i++) {
        launch->workers[i].launch = launch;
        launch->workers[i].number = i;
        atomic_store(&launch->workers[i].stuck_at, WORKER_BUSY);
    }
    if (paced)
        launch->machine->pacer.run(launch->machine->pacer.self, launch, &launch->launch,
                                   launch->worker_count);
    else if (launch->rounds)
        rounds_run(launch, threads);
    else
        launch_workers(launch);
    for (int i = 0; (paced || launch->rounds) && i < launch->worker_count; i++)
        block_free(launch->workers[i].spare);
}

void machine_launch(struct machine *machine, const struct kernel *kernel, struct dim grid,
                    struct dim block, size_t dynamic_shared, void **arguments, struct fault *fault)
{
    const struct ptx_function *function = kernel->code->function;
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    struct launch_state launch = {
        .launch = {.machine = machine,
                   .kernel = kernel,
                   .grid = grid,
                   .block = block,
                   .dynamic_shared = dynamic_shared,
                   .number = machine->launches++},
        .machine = machine,
        .kernel = kernel,
        .code = kernel->code,
        .shared_bytes = dynamic_shared ? function->dynamic_shared_offset + dynamic_shared
                                       : function->shared_bytes,
        .block_count = blocks,
        .threads = (uint64_t)block.x * block.y * block.z,
        .next_turn = 0,
        .failed_turn = UINT64_MAX,
        .rounds = kernel->code->meets && !machine->pacer.run,
    };
    if (launch.shared_bytes < function->shared_bytes)
        launch.shared_bytes = function->shared_bytes;
    const int shares = launch.rounds ? rounds_shares(machine->workers) : machine->workers;
    launch.worker_count = blocks < (uint64_t)shares ? (int)blocks : shares;
    launch.launch.workers = launch.worker_count;
    launch.workers = calloc((size_t)launch.worker_count, sizeof *launch.workers);
    launch.params = gather_params(function, arguments);
    pthread_mutex_init(&launch.fault_lock, NULL);
    if (machine->schedule.kind == SCHEDULE_RANDOM)
        choose_stride(&launch);
    fetch_listeners(machine, &launch.listeners);

    for (int i = 0; i < machine->observer_count; i++)
        if (machine->observers[i].launch_begin)
            machine->observers[i].launch_begin(machine->observers[i].self, &launch.launch);
    if (launch.workers && launch.params)
        launch_run(&launch);
    else
        launch_fail_without_memory(&launch);
    *fault = launch.fault;
    for (int i = 0; i < machine->observer_count; i++)
        if (machine->observers[i].launch_end)
            machine->observers[i].launch_end(machine->observers[i].self, &launch.launch, fault);

    pthread_mutex_destroy(&launch.fault_lock);
    free(launch.params);
    free(launch.workers);
}
