/* SPDX-License-Identifier: MIT */
/* The cycle model of time: one SM of a modern GPU, instruction by instruction, and the caches that
 * all SMs share. It gives the same times on any host and with any number of workers.
 *
 * The way of a load from the program to a time:
 *
 *  1. The emulator executes the launch. Some warps leave a log, a list of words: each basic block
 *     that the warp went through, and each request with the lines it used. on_access() here calls
 *     cycle_note_access() of cycle_notes.c for that. The logged warps are those of the blocks that
 *     SM 0 would get, which are the blocks whose number is a multiple of the number of SMs, in the
 *     first LOGGED_WAVES waves. A wave is as many blocks as the GPU holds at once. Of clusters it
 *     is a block of each rank in turn.
 *  2. For all blocks, logged or not, the lines that they used are noted. If much memory is in use
 *     only one line of 2^n is (cycle_cache.h).
 *     Of a sampled launch not all blocks run: cycle_sample.c says which, and what others used.
 *  3. After the launch these lines go through the L2 (cycle_traffic.h), wave by wave, with the
 *     blocks of a wave in turns. The result is, for each instruction, how many of its sectors come
 *     from device memory.
 *  4. The logged blocks then run on a modelled SM (cycle_sm_run()), unless they did the same in an
 *     earlier launch (cycle_again.h). cycle_code.h says what each PTX instruction is in machine
 *     code: its unit, and for how many clocks it keeps it. cycle_sm.c has the schedulers and units,
 *     cycle_memory.c the way of a request: L1, the port of the SM to L2, its part of L2 and of
 *     device memory. cycle_barriers.c has the barriers. If blocks wait for each other in device
 *     memory, cycle_waits.h says until when.
 *  5. all_clocks() scales this up: blocks of further waves, and what a warp did after its log was
 *     full, take as long in proportion as what was logged. So does an SM whose blocks have issued
 *     more instructions than SM 0's. Steps 3 to 5 begin in cycle_end.c.
 *
 * So the times are known only once the kernel has run. If the kernel reads the clock (%clock,
 * %globaltimer) or is drawn, it runs twice: first a dry run for the model alone
 * (machine_dry_run()), then a rerun for everybody else, with the clocks that the dry run has found.
 * The dry run notes when each logged warp had issued how many instructions. In the rerun a warp has
 * the time that belongs to the number of instructions it has issued, even if it takes another path
 * because of what the clock says. A warp that was not logged reads the clock of the logged warp in
 * its place.
 *
 * In the dry run itself the kernel reads the clocks of the plain model (plain.c), which runs beside
 * this one.
 */
#include "time/cycle.h"

#include <stdlib.h>

enum {
    LOGGED_WAVES = 3,
    LOG_WORDS = 1 << 22, /* in all logs of a launch */
    LOG_LEAST = 1 << 10, /* room for the words of one warp: at least, */
    LOG_MOST = 1 << 19, /* and at most */
};

/* In a warp's scratch bytes. The plain model has the first ones. */
struct scratch {
    char plain[PLAIN_SCRATCH];
    struct live_block *block;
    struct warp_log *log;
};
_Static_assert(sizeof(struct scratch) <= 64, "a warp has 64 bytes of scratch");

static struct scratch *scratch_of(const struct warp *warp)
{
    return warp_scratch(warp);
}

/* The launch begins. */

static const struct cycle_code *code_of(struct cycle *cycle, const struct kernel *kernel)
{
    const struct kernel_info *info = kernel_info(kernel);

    return cycle_code_of(&cycle->codes, &cycle->gpu, info->module, info->function);
}

int cycle_resident_blocks(const struct cycle *cycle, const struct launch *launch)
{
    const int threads = (int)dim_count(launch->block);
    const int blocks = gpu_blocks_per_multiprocessor(
        &cycle->gpu, threads, registers_of(&cycle->gpu, cycle->function).count,
        cycle->function->shared_bytes + launch->dynamic_shared);

    return blocks > 0 ? blocks : 1;
}

uint64_t cycle_sm_of(const struct cycle *cycle, uint64_t number)
{
    return sm_of_block(cycle->sms, cycle->ranks, number);
}

/* The SMs that have blocks of the launch, if it is in clusters: as many as these fill, a multiple
 * of a cluster's blocks, so that each SM has blocks of all ranks in turn. That needs clusters which
 * are runs of blocks. */
static void find_sms(struct cycle *cycle, const struct launch *launch, int resident)
{
    const struct dim cluster = launch->cluster;
    const int size = (int)dim_count(cluster);

    cycle->sms = (uint64_t)cycle->gpu.multiprocessors;
    cycle->ranks = 1;
    if (size < 2)
        return;
    const int filled = gpu_clusters_at_once(&cycle->gpu, size, resident) * size / resident;
    cycle->sms = (uint64_t)(filled > size ? filled / size * size : size);
    if (cluster.y * cluster.z == 1)
        cycle->ranks = cluster.x;
}

static void make_logs(struct cycle *cycle, int resident)
{
    const uint64_t sms = cycle->sms;
    const uint64_t of_sm = (cycle->blocks + sms - 1) / sms;
    const int count = LOGGED_WAVES * resident;

    cycle->logged_blocks = of_sm < (uint64_t)count ? (int)of_sm : count;
    const size_t warps = (size_t)cycle->logged_blocks * cycle->warps;
    size_t limit = LOG_WORDS / (warps ? warps : 1);
    cycle->logged_sms = cycle->code->sees_others ? WAITS_SMS : 1;
    limit = limit < LOG_LEAST ? LOG_LEAST : limit > LOG_MOST ? LOG_MOST : limit;
    cycle->logs = observer_allocate(cycle->logged_sms * warps + 1, sizeof(*cycle->logs));
    for (size_t i = 0; i < cycle->logged_sms * warps; i++) {
        cycle->logs[i].limit = (uint32_t)limit;
        cycle->logs[i].next = UINT32_MAX;
    }
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct cycle *cycle = self;

    cycle->start_clocks = (uint64_t)(cycle->clock->ms * cycle->gpu.clock_khz);
    if (cycle->rerun)
        return;
    cycle->function = kernel_info(launch->kernel)->function;
    cycle->code = code_of(cycle, launch->kernel);
    cycle->blocks = dim_count(launch->grid);
    cycle->warps = (int)dim_warps(launch->block);
    find_sms(cycle, launch, cycle_resident_blocks(cycle, launch));
    cycle->worker_count = launch->workers;
    cycle->workers = observer_allocate((size_t)launch->workers, sizeof(*cycle->workers));
    for (int i = 0; i < launch->workers; i++)
        cycle->workers[i].issued =
            observer_allocate((size_t)cycle->sms, sizeof(*cycle->workers[i].issued));
    make_logs(cycle, cycle_resident_blocks(cycle, launch));
    cycle->waves = (struct cycle_waves){.at_once = 1}; /* each block counts once: no --sample */
    cycle->notes = (struct cycle_notes){.gpu = &cycle->gpu,
                                        .code = cycle->code,
                                        .l2 = &cycle->l2,
                                        .base = cycle->base,
                                        .logs = cycle->logs};
    l2_sample(&cycle->l2, cycle->gpu.memory - memory_available(cycle->machine));
}

/* Blocks. */

/* Is it one of the first `logged_blocks` blocks of its SM? */
static bool is_early(const struct cycle *cycle, uint64_t number)
{
    return number / cycle->sms < (uint64_t)cycle->logged_blocks;
}

static bool is_logged(const struct cycle *cycle, uint64_t number)
{
    return cycle_sm_of(cycle, number) < (uint64_t)cycle->logged_sms && is_early(cycle, number);
}

static bool samples(void *self, const struct launch *launch, struct dim index)
{
    return is_logged(self, dim_number(launch->grid, index));
}

static void on_block_begin(void *self, int worker, const struct launch *launch, struct dim index)
{
    struct cycle *cycle = self;
    const uint64_t sms = cycle->sms;
    struct live_block *block =
        kept_block_begin(&cycle->workers[worker].blocks, index, sizeof(*block));

    *block = (struct live_block){.kept = block->kept,
                                 .number = dim_number(launch->grid, index),
                                 .uses = {.raw = alike_witness(&cycle->alike, index)}};
    if (is_logged(cycle, block->number))
        block->logs =
            &cycle->logs[(cycle_sm_of(cycle, block->number) * (uint64_t)cycle->logged_blocks +
                          block->number / sms) *
                         (uint64_t)cycle->warps];
}

void cycle_keep_ended(struct worker_notes *member, uint64_t number, struct block_uses *uses)
{
    cycle_order_uses(uses);
    free(uses->when);
    if (!uses->requests)
        return;
    MAKE_ROOM(member->ended, member->count, member->room);
    member->ended[member->count++] =
        (struct ended_block){number, uses->all, uses->count, uses->requests, 1};
}

static void on_block_end(void *self, int worker, const struct launch *launch, struct dim index,
                         uint64_t issued)
{
    struct cycle *cycle = self;
    (void)launch;
    struct worker_notes *member = &cycle->workers[worker];
    struct live_block *block = kept_block_find(&member->blocks, index);
    member->issued[cycle_sm_of(cycle, block->number)] += issued;
    if (block->uses.raw)
        block->uses.raw->issued = issued;
    cycle_keep_ended(member, block->number, &block->uses);
    kept_block_end(&member->blocks, index);
}

/* What warps do. */

/* The warp's scratch bytes, filled in at its first event. */
static const struct scratch *filled_scratch(struct cycle *cycle, int worker,
                                            const struct warp *warp)
{
    struct scratch *scratch = scratch_of(warp);

    if (!scratch->block) {
        const struct warp_id id = warp_id(warp);
        scratch->block = kept_block_find(&cycle->workers[worker].blocks, id.block);
        if (scratch->block->logs)
            scratch->log = &scratch->block->logs[id.index];
    }
    return scratch;
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    struct cycle *cycle = self;
    const struct scratch *scratch = filled_scratch(cycle, event->worker, event->warp);
    if (scratch->log)
        cycle_note_instructions(&cycle->notes, scratch->log, event->instr, 1, event->active);
}

static void on_stretch(void *self, const struct stretch_event *event)
{
    struct cycle *cycle = self;
    const struct scratch *scratch = filled_scratch(cycle, event->worker, event->warp);

    if (scratch->log)
        cycle_note_instructions(&cycle->notes, scratch->log, event->stretch->first,
                                event->stretch->count, event->stretch->active);
}

/* Lanes arrive at barriers in shared memory (mbarrier). */
static void note_arrivals(struct cycle *cycle, const struct access_event *event)
{
    const struct scratch *scratch = scratch_of(event->warp);

    EACH_LANE(lane, event->lanes) {
        const uint64_t address = event->addresses[lane];
        cycle_note_arrival(&cycle->notes, scratch->log, event->instr,
                           event->remote
                               ? phase_to_come(&scratch->block->phases, scratch->log, address)
                               : phase_under_way(&scratch->block->phases, address),
                           event->remote);
    }
}

static bool comes_to_barrier(const struct access_event *event)
{
    return event->space == PTX_SHARED && event->kind == ACCESS_ATOMIC &&
           cycle_is_at_barrier(event->instr) &&
           (!ptx_is_mbarrier(event->instr) || ptx_arrives(event->instr));
}

static void on_access(void *self, const struct access_event *event)
{
    struct cycle *cycle = self;
    const struct scratch *scratch = filled_scratch(cycle, event->worker, event->warp);

    cycle_note_access(&cycle->notes, scratch->log, &scratch->block->uses, event);
    if (scratch->log && comes_to_barrier(event))
        note_arrivals(cycle, event);
    if (event->orders_blocks && event->space == PTX_GLOBAL &&
        is_early(cycle, scratch->block->number))
        cycle_note_crossing(&cycle->notes, scratch->log, event, scratch->block->number,
                            &cycle->waits);
}

static void on_mbarrier(void *self, const struct mbarrier_event *event)
{
    struct cycle *cycle = self;
    const struct scratch *scratch = filled_scratch(cycle, event->worker, event->warp);

    if (event->step == MBARRIER_OPEN) {
        struct live_block *owner =
            kept_block_find(&cycle->workers[event->worker].blocks, event->owner);
        if (owner)
            phase_end(&owner->phases, event->address);
    } else if (event->step == MBARRIER_PASS && scratch->log) {
        cycle_note_wait(&cycle->notes, scratch->log, event->instr,
                        phase_passed(&scratch->block->phases, scratch->log, event->address));
    }
}

static void on_fetch(void *self, const struct fetch_event *event)
{
    struct cycle *cycle = self;

    cycle_note_fetch(&cycle->notes, filled_scratch(cycle, event->worker, event->warp)->log, event);
}

/* The launch ends. */

static void free_launch(struct cycle *cycle)
{
    for (int i = 0; i < cycle->worker_count; i++) {
        struct worker_notes *member = &cycle->workers[i];
        struct live_block *block;
        while ((block = kept_block_pop(&member->blocks.running)) != NULL) {
            free(block->uses.all);
            free(block->uses.when);
            free(block);
        }
        while ((block = kept_block_pop(&member->blocks.spare)) != NULL)
            free(block);
        free(member->ended);
        free(member->issued);
    }
    free(cycle->workers);
    alike_end(&cycle->alike);
    for (int i = 0; i < cycle->logged_sms * cycle->logged_blocks * cycle->warps; i++)
        free(cycle->logs[i].words);
    free(cycle->logs);
    waits_free(&cycle->waits);
}

static void free_work(struct cycle *cycle)
{
    for (int i = 0; cycle->paths && i < cycle->logged_blocks * cycle->warps; i++)
        free(cycle->paths[i].points);
    free(cycle->paths);
    cycle->paths = NULL;
    free((void *)(uintptr_t)cycle->work.misses);
    cycle->work.misses = NULL;
    free_launch(cycle);
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct cycle *cycle = self;

    (void)fault;
    if (!cycle->rerun)
        cycle->found = cycle_conclude(cycle, launch);
    if (cycle->dry)
        return;
    if (cycle->rerun && cycle->clock->timeline)
        cycle_draw(cycle);
    cycle->clock->last = cycle->found;
    cycle->clock->ms += cycle->found.ms;
    free_work(cycle);
}

/* In the rerun: the time at which the warp is now. A wave after the logged ones is like the last of
 * those, but later. */
static double time_of(const struct cycle *cycle, const struct warp *warp)
{
    const struct warp_id id = warp_id(warp);
    const uint64_t resident = (uint64_t)cycle->work.resident,
                   sampled = (uint64_t)cycle->logged_blocks;
    uint64_t block = dim_number(warp_launch(warp)->grid, id.block) / cycle->sms;
    double behind = 0; /* clocks by which it is later than the logged block in its stead */

    if (block >= sampled) {
        const uint64_t waves = (block - sampled) / resident + 1;
        behind = (double)waves * cycle->wave_clocks;
        block -= waves * resident;
    }
    return behind + cycle_time_on(&cycle->paths[block * (uint64_t)cycle->warps + id.index],
                                  warp_issued(warp));
}

/* Without memory for a dry run each instruction counts for arithmetic_latency clocks. */
static uint64_t clock_now(void *self, const struct warp *warp)
{
    const struct cycle *cycle = self;

    if (cycle->rerun)
        return (uint64_t)(time_of(cycle, warp) + 0.5);
    return cycle->dry ? plain_model.now(cycle->plain, warp)
                      : warp_issued(warp) * (uint64_t)cycle->gpu.arithmetic_latency;
}

static uint64_t read_clock(void *self, const struct warp *warp)
{
    return ((const struct cycle *)self)->start_clocks + clock_now(self, warp);
}

/* Do a dry run, if times are needed while the kernel runs. Returns false if none was needed, or it
 * could not be done. */
static bool run_dry(struct cycle *cycle, const struct launch_request *request, struct fault *fault)
{
    const bool reads_clock = code_of(cycle, request->kernel)->reads_clock;
    const struct observer observers[] = {cycle->observer, *plain_model.observer(cycle->plain)};

    if (!reads_clock && !cycle->clock->timeline)
        return false;
    cycle->dry = true;
    const bool ran =
        machine_dry_run(cycle->machine, request, observers, reads_clock ? 2 : 1, fault);
    cycle->dry = false;
    if (ran && fault->kind != FAULT_NONE)
        free_work(cycle);
    return ran && fault->kind == FAULT_NONE;
}

static void run(void *self, const struct launch_request *request, struct fault *fault)
{
    struct cycle *cycle = self;

    struct fault dry = {.kind = FAULT_NONE};

    cycle->rerun = run_dry(cycle, request, &dry);
    if (dry.kind == FAULT_INTERRUPTED)
        *fault = dry;
    else
        machine_launch(cycle->machine, request, fault);
    cycle->rerun = false;
}

static void fill(void *self, uint64_t address, size_t bytes, bool dirty)
{
    struct cycle *cycle = self;

    l2_sample(&cycle->l2, cycle->gpu.memory - memory_available(cycle->machine));
    l2_fill(&cycle->l2, address - cycle->base, bytes, dirty);
}

static void *start(struct machine *machine, struct timing_clock *clock)
{
    struct cycle *cycle = observer_allocate(1, sizeof(*cycle));

    cycle->machine = machine;
    cycle->clock = clock;
    cycle->gpu = *machine_gpu(machine);
    cycle->base = memory_base(machine);
    cycle->plain = plain_model.start(machine, &cycle->plain_clock);
    machine_set_clock(machine, read_clock, cycle);
    l2_start(&cycle->l2, &cycle->gpu);
    cycle->observer = (struct observer){
        .self = cycle,
        .muted = &cycle->rerun,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .instruction = on_instruction,
        .stretch = on_stretch,
        .samples = samples,
        .next_part = cycle_next_part,
        .access = on_access,
        .fetch = on_fetch,
        .mbarrier = on_mbarrier,
    };
    return cycle;
}

static void stop(void *self)
{
    struct cycle *cycle = self;

    plain_model.stop(cycle->plain);
    l2_stop(&cycle->l2);
    cycle_codes_free(&cycle->codes);
    kept_runs_free(&cycle->runs);
    free(cycle);
}

static const struct observer *observer_of(void *self)
{
    return &((const struct cycle *)self)->observer;
}

const struct time_model cycle_model = {"cycle", start, stop, observer_of, run, clock_now, fill};
