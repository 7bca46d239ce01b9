/* SPDX-License-Identifier: MIT */
/* What each instruction of a function costs to issue and waits for, worked out once per kernel. */
#include "time/costs.h"

#include <stdlib.h>

#include "machine/observer_memory.h"
#include "time/tensor_clocks.h"

struct speed {
    int slots, latency;
};

/* Clocks for which an instruction keeps its scheduler, if its unit gives `results` results per
 * clock and multiprocessor. */
static int slots_of_rate(const struct gpu *gpu, int results)
{
    const int slots = gpu->schedulers * WARP_SIZE / results;

    return slots > 1 ? slots : 1;
}

/* 64-bit results per clock and multiprocessor: 2, where the description does not say, as for most
 * compute capabilities (CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
 * Instructions"). */
static int double_rate(const struct gpu *gpu)
{
    return gpu->double_lanes ? gpu->double_lanes : 2;
}

/* An operation that is `count` machine instructions, about half of them in one chain. */
static struct speed sequence(const struct gpu *gpu, int count)
{
    return (struct speed){.slots = count, .latency = (count + 1) / 2 * gpu->arithmetic_latency};
}

/* Special functions: 16 results per clock since compute 3 (the same table). */
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

bool costs_doubles(const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->type_count; i++)
        if (instr->types[i] == PTX_F64)
            return true;
    return false;
}

/* Integers and bits wider than a register take an instruction for each half, products four. */
static struct speed integer(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const bool is_multiply = isa_rows[instr->opcode].cost == COST_MULTIPLY;
    const bool is_wide = ptx_type_size(ptx_type_of(instr)) == 8 && !ptx_has(instr, MOD_WIDE);

    if (!is_wide)
        return sequence(gpu, 1);
    return sequence(gpu, is_multiply ? 4 : 2);
}

static struct speed speed_of(const struct gpu *gpu, const struct ptx_instr *instr)
{
    switch (isa_rows[instr->opcode].cost) {
    case COST_DIVISION:
        return division(gpu, instr);
    case COST_INVERSE:
    case COST_ROOT:
        if (ptx_type_of(instr) == PTX_F64)
            return double_speed(gpu, 8);
        return ptx_has(instr, MOD_APPROX) ? special(gpu) : sequence(gpu, 10);
    case COST_SPECIAL:
    case COST_ANGLE:
    case COST_BITS:
        return special(gpu);
    case COST_TENSOR:
        return (struct speed){tensor_clocks(gpu, instr), 8 * gpu->arithmetic_latency};
    case COST_EXCHANGE:
        return (struct speed){slots_of_rate(gpu, 32), gpu->shared_latency};
    case COST_MOVE:
    case COST_LOAD:
    case COST_FETCH:
    case COST_STORE:
    case COST_UPDATE:
    case COST_REDUCTION:
        return sequence(gpu, 1);
    default:
        return costs_doubles(instr) ? double_speed(gpu, 1) : integer(gpu, instr);
    }
}

/* The registers of a function while its text is gone through. */
struct scoreboard {
    const struct gpu *gpu;
    struct {
        uint32_t block, loads; /* what `block` and `loads` below were when it was set */
        uint32_t ready;
    } * registers;
    uint32_t block; /* number of the basic block */
    uint32_t loads; /* how often the warp has waited for its loads, + 1 */
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
    if (board->registers[number].loads == board->loads)
        board->waits = true;
    if (board->registers[number].block == board->block &&
        board->registers[number].ready > board->start)
        board->start = board->registers[number].ready;
}

static void set_register(struct scoreboard *board, int number, uint32_t ready, bool is_load)
{
    board->registers[number].block = board->block;
    board->registers[number].ready = ready;
    board->registers[number].loads = is_load ? board->loads : 0;
    board->loading |= is_load;
    if (ready > board->drained)
        board->drained = ready;
}

/* Does its result come from memory, after a latency that only the run knows? */
static bool is_load(const struct ptx_instr *instr)
{
    const enum cost_class class = isa_rows[instr->opcode].cost;

    return (class == COST_LOAD || class == COST_FETCH || class == COST_UPDATE) &&
           instr->space != PTX_PARAM;
}

/* The instruction in hand waits for all loads there are. */
static void forget_loads(struct scoreboard *board)
{
    board->loads++;
    board->loading = false;
}

/* Cost of the next instruction of a block, after those the board has seen. */
static struct cost cost_of(struct scoreboard *board, const struct ptx_instr *instr, bool is_last)
{
    const struct speed speed = speed_of(board->gpu, instr);
    const int *written = instr->registers + instr->read_count;

    board->start = board->now;
    board->waits = board->late;
    board->late = false;
    /* A destination too: it must not be overtaken by a load into it. */
    for (int i = 0; i < instr->read_count + instr->write_count; i++)
        use_register(board, instr->registers[i]);
    if (board->waits)
        forget_loads(board);
    for (int i = 0; i < instr->write_count; i++)
        set_register(board, written[i], board->start + speed.latency, is_load(instr));

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

struct cost *costs_of(const struct gpu *gpu, const struct ptx_function *function)
{
    struct scoreboard board = {.gpu = gpu, .block = 1, .loads = 1};
    struct cost *costs = observer_allocate(function->instr_count, sizeof(*costs));

    board.registers = observer_allocate(function->register_count, sizeof(*board.registers));
    for (int i = 0; i < function->instr_count; i++) {
        const bool is_last = i + 1 == function->instr_count || function->instrs[i + 1].leads;

        costs[i] = cost_of(&board, &function->instrs[i], is_last);
        if (is_last) {
            board.block++;
            board.now = board.drained = 0;
        }
    }
    free(board.registers);
    return costs;
}

struct running_cost *running_costs_of(const struct cost *costs, size_t count)
{
    struct running_cost *sums = observer_allocate(count + 1, sizeof(*sums));

    for (size_t i = 0; i < count; i++)
        sums[i + 1] = (struct running_cost){.clocks = sums[i].clocks + costs[i].clocks,
                                            .slots = sums[i].slots + costs[i].slots};
    sums[count].wait = count;
    for (size_t i = count; i-- > 0;)
        sums[i].wait = costs[i].waits ? i : sums[i + 1].wait;
    return sums;
}
