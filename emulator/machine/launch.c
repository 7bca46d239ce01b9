/* SPDX-License-Identifier: MIT */
/* A launch: its workers and its end. */
#include "compile/translation.h"
#include "launch.h"
#include "shape.h"

#include <limits.h>
#include <stdlib.h>

uint64_t launch_writes(const struct launch_state *launch)
{
    uint64_t sum = 0;
    for (int i = 0; i < launch->worker_count; i++)
        sum += atomic_load_explicit(&launch->workers[i].writes, memory_order_acquire);
    return sum;
}

/* What the observers want to hear of blocks: those of `all`, and, where it is `sampled`, its
 * instructions for those that sample. */
static void fetch_listeners(const struct machine *machine, bool all, bool sampled,
                            struct listeners *listeners)
{
#define FETCH_AS(name, event)                                                \
    if (observer.event) {                                                    \
        listeners->name.list[listeners->name.count].self = observer.self;    \
        listeners->name.list[listeners->name.count++].call = observer.event; \
    }
#define FETCH(event) FETCH_AS(event, event)
    listeners->in_turns = listeners->in_short = true;
    listeners->in_part = !sampled;
    for (int i = 0; i < machine->observer_count; i++) {
        struct observer observer = machine->observers[i];
        if ((observer.muted && *observer.muted) || (!all && !observer.samples))
            continue;
        if (observer.samples && !sampled) {
            observer.instruction = NULL;
            observer.stretch = NULL;
        }
        EVENTS_OF_BLOCKS(FETCH)
        if (!observer.request)
            FETCH_AS(in_full, access)
        listeners->everywhere += observer.instruction && !observer.samples;
        listeners->in_part &= observer.samples || observer.request || !observer.access;
        listeners->in_turns &=
            observer.turns || !(observer.instruction || observer.stretch || observer.branch);
        listeners->in_short &= observer.request || !observer.stretch;
    }
#undef FETCH
#undef FETCH_AS
    listeners->in_part &= listeners->in_short || listeners->request.count == 0;
    listeners->in_short &= listeners->request.count > 0;
}

void launch_fail_without_memory(struct launch_state *launch)
{
    pthread_mutex_lock(&launch->fault_lock);
    if (launch->failed_position == UINT64_MAX) {
        launch->failed_position = 0;
        launch->fault.kind = FAULT_UNSUPPORTED;
        snprintf(launch->fault.message, sizeof launch->fault.message,
                 "kernel %.200s: the host has not enough memory for its blocks",
                 launch->kernel->info.name);
    }
    pthread_mutex_unlock(&launch->fault_lock);
}

/* The kernel's parameters, each at its offset. */
static char *gather_params(const struct ptx_function *function, void **arguments)
{
    char *params = calloc(1, function->param_bytes + 8);
    for (int i = 0; params && i < function->param_count; i++)
        memcpy(params + function->params[i].offset, arguments[i], function->params[i].size);
    return params;
}

static void prepare_workers(struct launch_state *launch)
{
    const struct gpu *gpu = &launch->machine->gpu;
    const int requests = launch->code->program->request_count;
    const int shapes = requests < MOST_SHAPES ? requests : MOST_SHAPES;
    const uint64_t resident = (uint64_t)gpu->multiprocessors * (uint64_t)gpu->max_blocks_per_sm;
    launch->max_resident = launch->stepped || launch->lockstep
                               ? INT_MAX
                               : (int)(resident / (uint64_t)launch->worker_count) + 1;
    for (int i = 0; i < launch->worker_count; i++) {
        launch->workers[i].launch = launch;
        launch->workers[i].number = i;
        launch->workers[i].turns.kept = turns_new();
        launch->workers[i].shapes = shapes_new((size_t)shapes);
        atomic_store(&launch->workers[i].stuck_at, WORKER_BUSY);
    }
}

/* The size that the launch asks for, or else the kernel. */
static struct dim cluster_of(const struct launch_request *request)
{
    const uint32_t *required = request->kernel->code->function->cluster;
    if (request->cluster.x)
        return request->cluster;
    return required[0] ? (struct dim){required[0], required[1], required[2]}
                       : (struct dim){1, 1, 1};
}

bool launch_begin(struct launch_state *launch, struct machine *machine,
                  const struct launch_request *request, bool stepped)
{
    const struct code *code = request->kernel->code;
    const struct ptx_function *function = code->function;
    const struct dim grid = request->grid, block = request->block;
    const size_t dynamic = request->dynamic_shared;
    const size_t shared = dynamic ? function->dynamic_shared_offset + dynamic : 0;
    const uint64_t blocks = dim_count(grid);
    const struct dim cluster = cluster_of(request);
    const uint32_t cluster_size = cluster.x * cluster.y * cluster.z;
    *launch = (struct launch_state){
        .launch = {.machine = machine,
                   .kernel = request->kernel,
                   .grid = grid,
                   .block = block,
                   .cluster = cluster,
                   .dynamic_shared = dynamic,
                   .workspace = request->workspace,
                   .shared_bytes =
                       shared > function->shared_bytes ? shared : function->shared_bytes,
                   .number = machine->launches++},
        .machine = machine,
        .kernel = request->kernel,
        .code = code,
        .block_count = blocks,
        .until_position = blocks,
        .cluster_size = cluster_size,
        .threads = dim_count(block),
        .next_position = 0,
        .failed_position = UINT64_MAX,
        .stepped = stepped,
        .lockstep = code->orders_blocks && !stepped,
    };
    const int workers = launch->lockstep ? lockstep_workers(machine->workers) : machine->workers;
    const uint64_t clusters = blocks / cluster_size;
    launch->worker_count = clusters < (uint64_t)workers ? (int)clusters : workers;
    launch->launch.workers = launch->worker_count;
    launch->workers = calloc((size_t)launch->worker_count, sizeof *launch->workers);
    launch->params = gather_params(function, request->arguments);
    pthread_mutex_init(&launch->fault_lock, NULL);
    /* A GPU starts blocks in order, and those that wait for earlier ones count on that. */
    launch->group = launch->lockstep ? (uint64_t)lockstep_window(launch) / cluster_size : clusters;
    launch_choose_stride(launch);
    fetch_listeners(machine, true, true, &launch->listeners);
    fetch_listeners(machine, true, false, &launch->unsampled);
    fetch_listeners(machine, false, false, &launch->samplers);
    launch->sampling = machine->sampling && code->slice && launch->samplers.samples.count > 0;
    if (!stepped)
        launch_translate(launch);

    for (int i = 0; i < machine->observer_count; i++)
        if (machine->observers[i].launch_begin)
            machine->observers[i].launch_begin(machine->observers[i].self, &launch->launch);
    if (!launch->workers || !launch->params) {
        launch_fail_without_memory(launch);
        return false;
    }
    prepare_workers(launch);
    return true;
}

void launch_translate(const struct launch_state *launch)
{
    if (launch->listeners.instruction.count != launch->listeners.stretch.count)
        return;
    translation_begin(launch->kernel->code, launch->machine->engine);
    if (launch->sampling)
        translation_begin(launch->kernel->code->slice, launch->machine->engine);
}

void launch_end(struct launch_state *launch, struct fault *fault)
{
    const struct machine *machine = launch->machine;
    for (int i = 0; launch->workers && i < launch->worker_count; i++) {
        worker_free_spare(&launch->workers[i]);
        free(launch->workers[i].shapes);
        free(launch->workers[i].turns.kept);
    }
    *fault = launch->fault;
    for (int i = 0; launch->workers && i < launch->worker_count; i++)
        launch->launch.sliced += launch->workers[i].sliced;
    for (int i = 0; i < machine->observer_count; i++)
        if (machine->observers[i].launch_end)
            machine->observers[i].launch_end(machine->observers[i].self, &launch->launch, fault);
    pthread_mutex_destroy(&launch->fault_lock);
    free(launch->params);
    free(launch->workers);
}

/* Not where blocks wait for others, or ask whether they are the last. */
static bool may_leave_out(const struct launch_state *launch)
{
    return launch->sampling && !launch->lockstep && launch->samplers.next_part.count == 1 &&
           launch->machine->schedule.kind == SCHEDULE_FORWARD;
}

static void run_parts(struct launch_state *launch)
{
    uint64_t first, end, left_out = launch->block_count;
    while (launch->failed_position == UINT64_MAX &&
           launch->samplers.next_part.list[0].call(launch->samplers.next_part.list[0].self,
                                                   &launch->launch, &first, &end)) {
        atomic_store(&launch->next_position, first);
        launch->until_position = end;
        for (int i = 0; i < launch->worker_count; i++)
            atomic_store(&launch->workers[i].stuck_at, WORKER_BUSY);
        workers_run(launch);
        left_out -= end - first;
    }
    launch->workers[0].sliced += left_out;
}

void machine_launch(struct machine *machine, const struct launch_request *request,
                    struct fault *fault)
{
    struct launch_state launch;
    if (launch_begin(&launch, machine, request, false)) {
        if (launch.lockstep)
            lockstep_run(&launch, machine->workers);
        else if (may_leave_out(&launch))
            run_parts(&launch);
        else
            workers_run(&launch);
    }
    launch_end(&launch, fault);
}
