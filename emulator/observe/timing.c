/* A plain model of time: deterministic, the same on any host with any number of workers.
 *
 * What is modelled
 *
 * A warp has a clock that starts at 0 with its block. An instruction moves it on by the clocks it
 * keeps the warp's scheduler (1 for most; a division, a square root or a 64-bit product stands for
 * several machine instructions), and by the wait for what it reads. How long that is, is worked out
 * once a launch, from the text: within a basic block each result is ready a fixed latency after its
 * instruction, and at the end of the block all are. Loads differ: the warp goes on until an
 * instruction reads what was loaded, or the basic block ends, and then waits for all its loads at once.
 * So loads that stand next to each other overlap, and loads that feed each other do not.
 *
 * A load takes the GPU's latency of its memory, plus a clock for each pass beyond the first: bank
 * conflicts in shared memory, transactions (or every 64 bytes, what an SM takes from L2 in a clock;
 * Jia and others, "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018) in
 * global memory. Stores are not waited for. A barrier moves all warps of the block to the last one.
 *
 * Block number b runs on multiprocessor b modulo their number. A multiprocessor holds as many blocks
 * as threads, blocks, shared memory and registers allow, and takes the longest of
 *   issue       the slots of all its warp instructions / its schedulers,
 *   latency     the mean of its blocks' longest warps x the rounds of resident blocks (or the one
 *               longest, where that is more),
 *   load/store  one pass a clock through the memory pipe.
 * The launch takes the slowest multiprocessor's time, or that of the bytes it moved at the bandwidth
 * of device memory, whichever is longer, and the launch overhead on top. All that workers add up are
 * integers, and sums and maxima do not depend on their order.
 *
 * %clock is the warp's clock, counted on from the launch's start: it never falls within a warp.
 * All blocks of a launch start at the same clock, and waiting for a slot among other warps is not in
 * it: what a kernel reads is the latency of its own path. %globaltimer is the same in nanoseconds.
 *
 * What is not
 *
 * Caches: every sector that a request touches comes from device memory (but local and constant
 * memory answer as fast as shared memory, on GPUs with caches). Queues: a bound is either met or does
 * not matter. Atomics cost what a load does, however many lanes meet at one address. Named barriers
 * of a block are one. Clock boosts, DRAM pages, instruction fetch, the tail of a grid whose blocks
 * differ in length. The figures make sense beside each other; they are nobody's stopwatch.
 */
#include "observe/timing.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "observe/allocate.h"
#include "observe/coalesce.h"

/* What one instruction costs its warp, worked out from the text. */
struct cost {
    uint16_t clocks; /* from the instruction before it to this one */
    uint16_t slots; /* of the scheduler */
    bool waits; /* for the warp's loads */
};

/* In a warp's scratch bytes. */
struct warp_clock {
    uint64_t clocks;
    uint64_t loaded; /* when the last of its loads arrives */
};
_Static_assert(sizeof(struct warp_clock) <= 64, "a warp has 64 bytes of scratch");

/* What a worker knows of the block it runs. */
struct block_clock {
    _Alignas(64) uint64_t floor; /* no warp is earlier: the last barrier */
    uint64_t arrived; /* the latest warp at the next one */
    uint64_t longest; /* the latest warp */
    uint64_t slots, passes;
    uint64_t moved; /* bytes, over the whole launch */
    struct sm_sums *sums; /* by multiprocessor */
};

/* What a worker's blocks add up to on one multiprocessor. */
struct sm_sums {
    uint64_t blocks, latency, longest, slots, passes;
};

struct timing {
    struct observer observer;
    struct gpu gpu;
    const struct ptx_instr *instrs; /* of the kernel under way */
    size_t instr_count;
    struct cost *costs; /* one each */
    struct cost elsewhere; /* of instructions in called functions */
    struct block_clock *workers;
    int worker_count;
    int resident_blocks;
    double ms;
    uint64_t start_clocks; /* when the launch under way began */
    struct timing_launch last;
};

/* Costs of instructions. */

struct speed {
    int slots, latency;
};

/* A unit that gives `results` results a clock and multiprocessor keeps a scheduler that long. */
static int slots_of_rate(const struct gpu *gpu, int results)
{
    const int slots = gpu->schedulers * WARP_SIZE / results;

    return slots > 1 ? slots : 1;
}

/* 64-bit floating-point results a clock and multiprocessor (CUDA C++ Programming Guide, table
 * "Throughput of Native Arithmetic Instructions"). */
static int double_rate(const struct gpu *gpu)
{
    switch (gpu->major * 10 + gpu->minor) {
    case 90:
    case 100:
    case 35:
    case 37:
        return 64;
    case 60:
    case 70:
    case 80:
        return 32;
    default:
        return 2;
    }
}

/* An operation that is `count` machine instructions, about half of them in one chain. */
static struct speed sequence(const struct gpu *gpu, int count)
{
    return (struct speed){.slots = count, .latency = (count + 1) / 2 * gpu->arithmetic_latency};
}

/* Special functions: 16 results a clock since compute 3 (the same table). */
static struct speed special(const struct gpu *gpu)
{
    return (struct speed){slots_of_rate(gpu, 16), 4 * gpu->arithmetic_latency};
}

static struct speed double_speed(const struct gpu *gpu, int count)
{
    return (struct speed){count * slots_of_rate(gpu, double_rate(gpu)),
                          2 * count * gpu->arithmetic_latency};
}

/* Division and remainder: instruction counts of the sequences nvcc 13 makes of them, rounded. */
static struct speed division(const struct gpu *gpu, const struct ptx_instr *instr)
{
    switch (ptx_type_of(instr)) {
    case PTX_F64:
        return double_speed(gpu, 8);
    case PTX_F32:
        return ptx_has(instr, MOD_APPROX) || ptx_has(instr, MOD_FULL) ? special(gpu)
                                                                      : sequence(gpu, 10);
    case PTX_S64:
    case PTX_U64:
        return sequence(gpu, 80);
    default:
        return sequence(gpu, 20);
    }
}

static bool moves_doubles(const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->type_count; i++)
        if (instr->types[i] == PTX_F64)
            return true;
    return false;
}

/* Integers and bits wider than a register take an instruction for each half, products four. */
static struct speed integer(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const bool is_product = instr->opcode == OP_MUL || instr->opcode == OP_MAD;
    const bool is_wide = ptx_type_size(ptx_type_of(instr)) == 8 && !ptx_has(instr, MOD_WIDE);

    if (!is_wide)
        return sequence(gpu, 1);
    return sequence(gpu, is_product ? 4 : 2);
}

static struct speed speed_of(const struct gpu *gpu, const struct ptx_instr *instr)
{
    switch (instr->opcode) {
    case OP_DIV:
    case OP_REM:
        return division(gpu, instr);
    case OP_RCP:
    case OP_SQRT:
    case OP_RSQRT:
        if (ptx_type_of(instr) == PTX_F64)
            return double_speed(gpu, 8);
        return ptx_has(instr, MOD_APPROX) ? special(gpu) : sequence(gpu, 10);
    case OP_SIN:
    case OP_COS:
    case OP_LG2:
    case OP_EX2:
    case OP_TANH:
    case OP_POPC:
    case OP_CLZ:
    case OP_BREV:
    case OP_BFIND:
        return special(gpu);
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
        return (struct speed){slots_of_rate(gpu, 32), gpu->shared_latency};
    case OP_MOV:
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_ATOM:
    case OP_RED:
    case OP_SELP:
        return sequence(gpu, 1);
    default:
        return moves_doubles(instr) ? double_speed(gpu, 1) : integer(gpu, instr);
    }
}

/* The registers of a function while its text is gone through. */
struct scoreboard {
    const struct timing *timing;
    struct {
        uint32_t block, loads; /* the numbers below, when it was set */
        uint32_t ready;
    } * registers;
    uint32_t block; /* number of the basic block */
    uint32_t loads; /* grows when loads have been waited for */
    bool loading; /* some load has not been waited for */
    bool late; /* the next instruction waits for loads, whatever it reads */
    uint32_t now, drained; /* clocks in the block; when all its results are ready */
    /* Of the instruction in hand. */
    uint32_t start;
    bool waits;
};

/* The instruction in hand uses register `number`: it starts no earlier than that is ready. */
static void use_register(struct scoreboard *board, int number)
{
    if (number < 0)
        return;
    if (board->registers[number].loads == board->loads)
        board->waits = true;
    if (board->registers[number].block == board->block &&
        board->registers[number].ready > board->start)
        board->start = board->registers[number].ready;
}

static void set_register(struct scoreboard *board, int number, uint32_t ready, bool is_load)
{
    if (number < 0)
        return;
    board->registers[number].block = board->block;
    board->registers[number].ready = ready;
    board->registers[number].loads = is_load ? board->loads : 0;
    board->loading |= is_load;
    if (ready > board->drained)
        board->drained = ready;
}

/* The registers of `operand`, at most two beside those of its elements. */
static int registers_of(const struct ptx_operand *operand, int numbers[2])
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        numbers[0] = operand->number;
        return 1;
    case OPERAND_PAIR:
        numbers[0] = operand->number;
        numbers[1] = operand->second;
        return 2;
    case OPERAND_ADDRESS:
        numbers[0] = operand->number;
        return operand->base == BASE_REGISTER;
    default:
        return 0;
    }
}

static void use_operand(struct scoreboard *board, const struct ptx_operand *operand)
{
    int numbers[2];
    const int count = registers_of(operand, numbers);

    for (int i = 0; i < count; i++)
        use_register(board, numbers[i]);
    if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_LIST)
        for (int i = 0; i < operand->count; i++)
            use_operand(board, &operand->elements[i]);
}

static void set_operand(struct scoreboard *board, const struct ptx_operand *operand, uint32_t ready,
                        bool is_load)
{
    int numbers[2];
    const int count = registers_of(operand, numbers);

    for (int i = 0; i < count; i++)
        set_register(board, numbers[i], ready, is_load);
    if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_LIST)
        for (int i = 0; i < operand->count; i++)
            set_operand(board, &operand->elements[i], ready, is_load);
}

/* Does the opcode write its first operand? */
static bool has_destination(enum opcode opcode)
{
    static const char *const operands[] = {
#define OPCODE(id, text, letters, family, capability) letters,
        OPCODES(OPCODE)
#undef OPCODE
    };
    const char first = operands[opcode][0];

    return first == 'd' || first == 'D';
}

/* Does its result come from memory, after a latency that only the run knows? */
static bool is_load(const struct ptx_instr *instr)
{
    const bool reads =
        instr->opcode == OP_LD || instr->opcode == OP_LDU || instr->opcode == OP_ATOM;

    return reads && instr->space != PTX_PARAM;
}

static bool ends_block(const struct ptx_instr *instr)
{
    switch (instr->opcode) {
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_RET:
    case OP_EXIT:
        return true;
    default:
        return false;
    }
}

/* The instruction in hand waits for all loads there are. */
static void forget_loads(struct scoreboard *board)
{
    board->loads++;
    board->loading = false;
}

/* Cost of the next instruction of a block, after those the board has seen. */
static struct cost place(struct scoreboard *board, const struct ptx_instr *instr, bool is_last)
{
    const struct speed speed = speed_of(&board->timing->gpu, instr);
    const bool writes = instr->operand_count > 0 && has_destination(instr->opcode);

    board->start = board->now;
    board->waits = board->late;
    board->late = false;
    use_register(board, instr->guard);
    /* A destination too: it must not be overtaken by a load into it. */
    for (int i = 0; i < instr->operand_count; i++)
        use_operand(board, &instr->operands[i]);
    if (board->waits)
        forget_loads(board);
    if (writes)
        set_operand(board, &instr->operands[0], board->start + speed.latency, is_load(instr));

    uint32_t next = board->start + speed.slots;
    if (is_last) {
        next = board->drained > next ? board->drained : next;
        /* A load cannot wait for itself: the block that it falls into does. */
        board->late = board->loading && is_load(instr);
        board->waits |= board->loading && !board->late;
        forget_loads(board);
    }

    const uint32_t clocks = next - board->now;
    board->now = next;
    return (struct cost){
        .clocks = clocks < UINT16_MAX ? clocks : UINT16_MAX,
        .slots = speed.slots,
        .waits = board->waits,
    };
}

static void mark(bool *leaders, int index, int count)
{
    if (index >= 0 && index < count)
        leaders[index] = true;
}

/* Where basic blocks start: wherever a branch may lead, or lanes come together again. */
static bool *find_leaders(const struct ptx_function *function)
{
    bool *leaders = observer_allocate(function->instr_count, sizeof(*leaders));

    for (int i = 0; i < function->instr_count; i++) {
        const struct ptx_instr *instr = &function->instrs[i];

        if (!ends_block(instr))
            continue;
        mark(leaders, i + 1, function->instr_count);
        mark(leaders, instr->target, function->instr_count);
        mark(leaders, instr->reconverge, function->instr_count);
        for (int t = 0; t < instr->target_count; t++)
            mark(leaders, instr->targets[t], function->instr_count);
    }
    return leaders;
}

static void work_out_costs(struct timing *timing, const struct ptx_function *function)
{
    struct scoreboard board = {.timing = timing, .block = 1, .loads = 1};
    bool *leaders = find_leaders(function);

    board.registers = observer_allocate(function->register_count, sizeof(*board.registers));
    free(timing->costs);
    timing->costs = observer_allocate(function->instr_count, sizeof(*timing->costs));
    timing->instrs = function->instrs;
    timing->instr_count = function->instr_count;
    for (int i = 0; i < function->instr_count; i++) {
        const bool is_last = i + 1 == function->instr_count || leaders[i + 1];

        timing->costs[i] = place(&board, &function->instrs[i], is_last);
        if (is_last) {
            board.block++;
            board.now = board.drained = 0;
        }
    }
    free(board.registers);
    free(leaders);
}

/* Events. */

static void free_workers(struct timing *timing)
{
    for (int worker = 0; worker < timing->worker_count; worker++)
        free(timing->workers[worker].sums);
    free(timing->workers);
}

static void reset_workers(struct timing *timing, int workers)
{
    const size_t multiprocessors = timing->gpu.multiprocessors;

    if (workers > timing->worker_count) {
        free_workers(timing);
        timing->workers = observer_allocate(workers, sizeof(*timing->workers));
        timing->worker_count = workers;
        for (int worker = 0; worker < workers; worker++)
            timing->workers[worker].sums =
                observer_allocate(multiprocessors, sizeof(struct sm_sums));
    }
    for (int worker = 0; worker < timing->worker_count; worker++) {
        struct sm_sums *sums = timing->workers[worker].sums;
        timing->workers[worker] = (struct block_clock){.sums = sums};
        memset(sums, 0, multiprocessors * sizeof(*sums));
    }
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct timing *timing = self;
    const struct ptx_function *function = kernel_info(launch->kernel)->function;
    const uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    /* Where the estimate is more than a thread can have, registers would be spilled. */
    const int registers = function->live_registers < timing->gpu.max_registers
                              ? function->live_registers
                              : timing->gpu.max_registers;
    const int resident = gpu_blocks_per_multiprocessor(
        &timing->gpu, threads, registers, function->shared_bytes + launch->dynamic_shared);

    reset_workers(timing, launch->workers);
    work_out_costs(timing, function);
    /* It is an estimate all the same: what was launched runs. */
    timing->resident_blocks = resident > 0 ? resident : 1;
    timing->start_clocks = (uint64_t)(timing->ms * timing->gpu.clock_khz);
}

static void on_block_begin(void *self, int worker, const struct launch *launch, struct dim block)
{
    struct timing *timing = self;
    struct block_clock *clock = &timing->workers[worker];

    (void)launch;
    (void)block;
    clock->floor = clock->arrived = clock->longest = 0;
    clock->slots = clock->passes = 0;
}

static void on_block_end(void *self, int worker, const struct launch *launch, struct dim block)
{
    struct timing *timing = self;
    const struct block_clock *clock = &timing->workers[worker];
    const struct dim grid = launch->grid;
    const uint64_t number = block.x + (uint64_t)grid.x * (block.y + (uint64_t)grid.y * block.z);
    struct sm_sums *sums = &clock->sums[number % timing->gpu.multiprocessors];

    sums->blocks++;
    sums->latency += clock->longest;
    if (clock->longest > sums->longest)
        sums->longest = clock->longest;
    sums->slots += clock->slots;
    sums->passes += clock->passes;
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    struct timing *timing = self;
    struct block_clock *block = &timing->workers[event->worker];
    struct warp_clock *warp = warp_scratch(event->warp);
    /* Not in the kernel but in a function it calls: far outside. */
    const size_t index =
        ((uintptr_t)event->instr - (uintptr_t)timing->instrs) / sizeof(*event->instr);
    const struct cost *cost =
        index < timing->instr_count ? &timing->costs[index] : &timing->elsewhere;
    uint64_t clocks = warp->clocks > block->floor ? warp->clocks : block->floor;

    if (cost->waits && warp->loaded > clocks)
        clocks = warp->loaded;
    clocks += cost->clocks;
    warp->clocks = clocks;
    block->slots += cost->slots;
    if (clocks > block->longest)
        block->longest = clocks;
}

/* Passes of a request through the memory pipe, and its latency without them. */
struct trip {
    uint32_t passes;
    int latency;
};

static struct trip global_trip(const struct timing *timing, struct block_clock *block,
                               const struct access_event *event)
{
    enum { BYTES_A_CLOCK = 64 };
    const struct request request =
        coalesce(timing->gpu.coalescing, event->lanes, event->addresses, event->bytes);
    const uint32_t passes = (request.moved + BYTES_A_CLOCK - 1) / BYTES_A_CLOCK;

    block->moved += request.moved;
    return (struct trip){
        .passes = passes > request.transactions ? passes : request.transactions,
        .latency = timing->gpu.global_latency,
    };
}

static struct trip local_trip(const struct timing *timing, struct block_clock *block,
                              const struct access_event *event)
{
    enum { SECTORS_A_CLOCK = LINE_BYTES / SECTOR_BYTES };
    const uint32_t sectors = local_sectors(event->lanes, event->addresses, event->bytes);
    const bool cached = timing->gpu.coalescing == COALESCE_SECTORS;

    if (!cached)
        block->moved += sectors * SECTOR_BYTES;
    return (struct trip){
        .passes = (sectors + SECTORS_A_CLOCK - 1) / SECTORS_A_CLOCK,
        .latency = cached ? timing->gpu.shared_latency : timing->gpu.global_latency,
    };
}

static struct trip trip_of(const struct timing *timing, struct block_clock *block,
                           const struct access_event *event)
{
    const struct gpu *gpu = &timing->gpu;

    switch (event->space) {
    case PTX_GLOBAL:
        return global_trip(timing, block, event);
    case PTX_LOCAL:
        return local_trip(timing, block, event);
    case PTX_CONST:
        return (struct trip){distinct_addresses(event->lanes, event->addresses),
                             gpu->shared_latency};
    default:
        return (struct trip){bank_wavefronts(gpu->banks, gpu->bank_lanes,
                                             event->kind == ACCESS_LOAD, event->lanes,
                                             event->addresses, event->bytes)
                                 .total,
                             gpu->shared_latency};
    }
}

static void on_access(void *self, const struct access_event *event)
{
    struct timing *timing = self;
    struct block_clock *block = &timing->workers[event->worker];
    struct warp_clock *warp = warp_scratch(event->warp);

    if (event->space == PTX_PARAM)
        return;

    const struct trip trip = trip_of(timing, block, event);
    const uint64_t loaded = warp->clocks + trip.latency + trip.passes - 1;

    block->passes += trip.passes;
    if (event->kind != ACCESS_STORE && loaded > warp->loaded)
        warp->loaded = loaded;
}

static void on_barrier(void *self, const struct barrier_event *event)
{
    struct timing *timing = self;
    struct block_clock *block = &timing->workers[event->worker];
    const struct warp_clock *warp = warp_scratch(event->warp);

    if (!event->of_warp && warp->clocks > block->arrived)
        block->arrived = warp->clocks;
}

static void on_barrier_release(void *self, int worker, const struct launch *launch,
                               struct dim block)
{
    struct timing *timing = self;

    (void)launch;
    (void)block;
    timing->workers[worker].floor = timing->workers[worker].arrived;
}

/* What all workers' blocks add up to on multiprocessor `sm`. */
static struct sm_sums sums_of(const struct timing *timing, int sm)
{
    struct sm_sums all = {0};

    for (int worker = 0; worker < timing->worker_count; worker++) {
        const struct sm_sums *sums = &timing->workers[worker].sums[sm];

        all.blocks += sums->blocks;
        all.latency += sums->latency;
        all.slots += sums->slots;
        all.passes += sums->passes;
        if (sums->longest > all.longest)
            all.longest = sums->longest;
    }
    return all;
}

static void raise(uint64_t *value, uint64_t to)
{
    if (to > *value)
        *value = to;
}

static void add_multiprocessor(struct timing_launch *last, const struct gpu *gpu,
                               struct sm_sums sums)
{
    if (sums.blocks == 0)
        return;

    const uint64_t rounds = (sums.blocks + last->resident_blocks - 1) / last->resident_blocks;

    raise(&last->issue, sums.slots / gpu->schedulers);
    raise(&last->latency, sums.latency / sums.blocks * rounds);
    raise(&last->latency, sums.longest);
    raise(&last->load_store, sums.passes);
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct timing *timing = self;
    const struct gpu *gpu = &timing->gpu;
    struct timing_launch last = {.resident_blocks = timing->resident_blocks};

    (void)launch;
    (void)fault;
    for (int sm = 0; sm < gpu->multiprocessors; sm++)
        add_multiprocessor(&last, gpu, sums_of(timing, sm));
    for (int worker = 0; worker < timing->worker_count; worker++)
        last.memory_bytes += timing->workers[worker].moved;

    /* Two transfers a clock; kHz x bytes are bytes a millisecond. */
    const double bytes_a_ms = 2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8;
    last.memory_ms = last.memory_bytes / bytes_a_ms;

    const double ms[] = {
        [TIMING_LAUNCH] = gpu->launch_us / 1000,
        [TIMING_ISSUE] = (double)last.issue / gpu->clock_khz,
        [TIMING_LATENCY] = (double)last.latency / gpu->clock_khz,
        [TIMING_LOAD_STORE] = (double)last.load_store / gpu->clock_khz,
        [TIMING_MEMORY] = last.memory_ms,
    };
    double busy = 0;
    last.limit = TIMING_LAUNCH;
    for (int limit = TIMING_ISSUE; limit <= TIMING_MEMORY; limit++) {
        busy = ms[limit] > busy ? ms[limit] : busy;
        last.limit = ms[limit] > ms[last.limit] ? (enum timing_limit)limit : last.limit;
    }
    last.ms = ms[TIMING_LAUNCH] + busy;
    timing->last = last;
    timing->ms += last.ms;
}

static uint64_t read_clock(void *self, const struct warp *warp)
{
    const struct timing *timing = self;

    return timing->start_clocks + ((const struct warp_clock *)warp_scratch(warp))->clocks;
}

static uint64_t read_globaltimer(void *self, const struct warp *warp)
{
    const struct timing *timing = self;

    return (uint64_t)(read_clock(self, warp) * 1e6 / timing->gpu.clock_khz);
}

struct timing *timing_new(struct machine *machine)
{
    struct timing *timing = observer_allocate(1, sizeof(*timing));

    timing->gpu = *machine_gpu(machine);
    timing->elsewhere = (struct cost){
        .clocks = timing->gpu.arithmetic_latency,
        .slots = 1,
        .waits = true,
    };
    timing->observer = (struct observer){
        .self = timing,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .block_begin = on_block_begin,
        .block_end = on_block_end,
        .instruction = on_instruction,
        .access = on_access,
        .barrier = on_barrier,
        .barrier_release = on_barrier_release,
    };
    machine_set_clock(machine, read_clock, read_globaltimer, timing);
    return timing;
}

void timing_free(struct timing *timing)
{
    if (!timing)
        return;
    free_workers(timing);
    free(timing->costs);
    free(timing);
}

const struct observer *timing_observer(struct timing *timing)
{
    return &timing->observer;
}

double timing_now_ms(const struct timing *timing)
{
    return timing->ms;
}

void timing_advance(struct timing *timing, double ms)
{
    timing->ms += ms;
}

struct timing_launch timing_last(const struct timing *timing)
{
    return timing->last;
}

const char *timing_limit_name(enum timing_limit limit)
{
    static const char *const names[] = {
        [TIMING_LAUNCH] = "launch",   [TIMING_ISSUE] = "issue",
        [TIMING_LATENCY] = "latency", [TIMING_LOAD_STORE] = "load/store",
        [TIMING_MEMORY] = "memory",
    };
    return names[limit];
}
