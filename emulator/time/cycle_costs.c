/* SPDX-License-Identifier: MIT */
/* What a PTX instruction by itself costs in machine code: rules 2 to 4 of cycle_code.c. */
#include "time/cycle_writer.h"

#include "time/costs.h"
#include "time/tensor_clocks.h"

/* Clocks for which an instruction keeps its scheduler's part of a unit that has `lanes` lanes per
 * SM.
 */
static int clocks_of(const struct gpu *gpu, int lanes)
{
    const int clocks = gpu->schedulers * WARP_SIZE / lanes;

    return clocks > 1 ? clocks : 1;
}

static struct cycle_op in_unit(enum cycle_unit unit, int slots, int busy, int latency)
{
    return (struct cycle_op){.kind = CYCLE_UNIT,
                             .unit = (uint8_t)unit,
                             .slots = (uint16_t)slots,
                             .busy = (uint16_t)busy,
                             .latency = (uint16_t)latency};
}

static struct cycle_op in_float(const struct gpu *gpu, int count)
{
    return in_unit(UNIT_FLOAT, count, count * clocks_of(gpu, gpu->float_lanes),
                   count * gpu->arithmetic_latency);
}

static struct cycle_op in_integer(const struct gpu *gpu, int count)
{
    return in_unit(UNIT_INTEGER, count, count * clocks_of(gpu, gpu->integer_lanes),
                   count * gpu->arithmetic_latency + (count > 1));
}

static struct cycle_op in_multiply(const struct gpu *gpu, int count, int chain)
{
    return in_unit(UNIT_MULTIPLY, count, count * clocks_of(gpu, gpu->integer_lanes),
                   chain * gpu->arithmetic_latency);
}

static struct cycle_op in_double(const struct gpu *gpu, int count, int chain)
{
    return in_unit(UNIT_DOUBLE, count, count * clocks_of(gpu, gpu->double_lanes),
                   chain * gpu->double_latency);
}

/* A special function, with `more` plain instructions in the same chain. */
static struct cycle_op in_special(const struct gpu *gpu, int more)
{
    return in_unit(UNIT_SPECIAL, 1 + more, clocks_of(gpu, gpu->special_lanes),
                   gpu->special_latency + more * gpu->arithmetic_latency);
}

/* What nvcc 13 makes of an operation that takes several instructions: how many there are, for how
 * many passes they keep their unit, and the longest chain through them, in latencies of the unit.
 * The counts are those of its machine code; benchmarks/model/issue.cu measured the rest on an H200.
 */
struct sequence {
    int slots, uses, chain;
};
static const struct sequence divide_32 = {16, 3, 30}; /* uses: passes of the special lanes */
static const struct sequence divide_signed = {22, 3, 33}; /* signs go off first, and on again */
static const struct sequence divide_64 = {80, 14, 76};
static const struct sequence divide_known = {7, 7, 15}; /* by what has its reciprocal */
static const struct sequence divide_float = {14, 2, 10}; /* chain: after a special function */
static const struct sequence divide_double = {13, 13, 16}; /* a square root, too */
/* Instructions around a special function: where tiny numbers are scaled, for instance. */
enum { AROUND_ANGLE = 1, AROUND_QUOTIENT = 3, AROUND_TINY = 3, AROUND_EXACT_ROOT = 10 };
enum { WIDE_SUM_CLOCKS = 2, VOTE_LATENCY = 6 /* issue.cu: ballot */ };

/* A special function, scaled where its argument is tiny: a comparison decides that. */
static struct cycle_op in_scaled(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op = in_special(gpu, ptx_has(instr, MOD_FTZ) ? 0 : AROUND_TINY);

    if (!ptx_has(instr, MOD_FTZ))
        op.latency += (uint16_t)(gpu->predicate_latency - gpu->arithmetic_latency);
    return op;
}

static struct cycle_op in_integers(const struct gpu *gpu, const struct sequence *sequence,
                                   int lanes)
{
    return in_unit(UNIT_INTEGER, sequence->slots, sequence->uses * clocks_of(gpu, lanes),
                   sequence->chain * gpu->arithmetic_latency);
}

/* What is called: the warp issues nothing else before its last instruction. */
static struct cycle_op called(const struct gpu *gpu, struct cycle_op op)
{
    op.alone = (uint16_t)(op.latency - gpu->arithmetic_latency);
    return op;
}

static struct cycle_op division(const struct gpu *gpu, const struct ptx_instr *instr)
{
    switch (ptx_type_of(instr)) {
    case PTX_F64:
        return in_double(gpu, divide_double.slots, divide_double.chain);
    case PTX_F32:
        if (ptx_has(instr, MOD_APPROX) || ptx_has(instr, MOD_FULL))
            return in_special(gpu, AROUND_QUOTIENT);
        return in_unit(UNIT_SPECIAL, divide_float.slots,
                       divide_float.uses * clocks_of(gpu, gpu->special_lanes),
                       gpu->special_latency + divide_float.chain * gpu->arithmetic_latency);
    case PTX_S64:
    case PTX_U64:
        return called(gpu, in_integers(gpu, &divide_64, gpu->special_lanes));
    case PTX_S32:
        return in_integers(gpu, &divide_signed, gpu->special_lanes);
    default:
        return in_integers(gpu, &divide_32, gpu->special_lanes);
    }
}

static struct cycle_op root(const struct gpu *gpu, const struct ptx_instr *instr)
{
    if (ptx_type_of(instr) == PTX_F64)
        return in_double(gpu, divide_double.slots, divide_double.chain);
    if (ptx_has(instr, MOD_APPROX))
        return in_scaled(gpu, instr);
    return in_special(gpu, AROUND_EXACT_ROOT);
}

static struct cycle_op conversion(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum ptx_type to = instr->types[0], from = ptx_type_of(instr);
    const bool is_wide = ptx_type_size(to) == 8 || ptx_type_size(from) == 8;

    if (!ptx_type_is_float(to) && !ptx_type_is_float(from)) {
        if (ptx_type_size(to) >= 4 && ptx_type_size(from) >= 4 && !ptx_has(instr, MOD_SAT))
            return (struct cycle_op){.kind = CYCLE_FREE};
        return in_integer(gpu, 1);
    }
    if (ptx_type_is_float(to) && !is_wide)
        return in_integer(gpu, 1);
    return in_unit(UNIT_CONVERT, 1, clocks_of(gpu, gpu->convert_lanes), gpu->convert_latency);
}

/* A product of two registers that takes two: its adder takes two, too. */
static struct cycle_op wide_multiply(const struct gpu *gpu)
{
    return in_unit(UNIT_MULTIPLY, 1, 2 * clocks_of(gpu, gpu->integer_lanes),
                   gpu->arithmetic_latency + 1);
}

static struct cycle_op multiply(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);

    if (costs_doubles(instr))
        return in_double(gpu, 1, 1);
    if (ptx_type_is_float(type))
        return in_float(gpu, 1);
    if (ptx_type_size(type) == 8)
        return in_multiply(gpu, 4, 4);
    if (ptx_has(instr, MOD_WIDE) || ptx_has(instr, MOD_HI))
        return wide_multiply(gpu);
    return in_multiply(gpu, 1, 1);
}

static struct cycle_op exchange(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op = in_integer(gpu, 1);

    op.latency = (uint16_t)gpu->shuffle_latency;
    if (instr->opcode == OP_VOTE)
        op.latency = VOTE_LATENCY;
    else
        op.kind = CYCLE_EXCHANGE;
    return op;
}

static struct cycle_op fence(const struct gpu *gpu, const struct ptx_instr *instr)
{
    /* Within an SM: of a block, or between its threads and its copy engine. */
    const bool near =
        instr->opcode == OP_FENCE && !ptx_has(instr, MOD_SC) && !ptx_has(instr, MOD_ACQ_REL);

    return (struct cycle_op){.kind = ptx_has(instr, MOD_CTA) ? CYCLE_FREE : CYCLE_FENCE,
                             .slots = 1,
                             .latency =
                                 (uint16_t)(near ? gpu->shared_latency : gpu->fence_latency)};
}

static struct cycle_op comparison(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op =
        costs_doubles(instr) ? in_double(gpu, 1, 1) : in_integer(gpu, is_integer_64(instr) ? 2 : 1);

    op.latency = (uint16_t)gpu->predicate_latency;
    if (op.slots == 2) /* the upper halves are compared after the lower ones */
        op.latency += (uint16_t)gpu->arithmetic_latency;
    return op;
}

static struct cycle_op arithmetic(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);

    switch (instr->opcode) {
    case OP_MEMBAR:
    case OP_FENCE:
        return fence(gpu, instr);
    case OP_CVT:
        return conversion(gpu, instr);
    case OP_CVTA:
        return (struct cycle_op){.kind = CYCLE_FREE};
    case OP_NEG:
    case OP_ABS:
        if (ptx_type_is_float(type))
            return (struct cycle_op){.kind = CYCLE_FREE};
        break;
    default:
        break;
    }
    if (instr->opcode == OP_SETP)
        return comparison(gpu, instr);
    if (costs_doubles(instr))
        return in_double(gpu, 1, 1);
    if (ptx_type_is_float(type) && instr->opcode != OP_MIN && instr->opcode != OP_MAX)
        return in_float(gpu, 1);
    struct cycle_op op = in_integer(gpu, is_integer_64(instr) ? 2 : 1);
    /* Only a carry goes from half to half. */
    if (op.slots == 2 && instr->opcode != OP_ADD && instr->opcode != OP_SUB)
        op.latency = (uint16_t)(gpu->arithmetic_latency + 1);
    op.either = op.slots == 1 &&
                (instr->opcode == OP_ADD || instr->opcode == OP_SUB ||
                 (instr->opcode == OP_SHL && instr->operands[2].kind == OPERAND_IMMEDIATE));
    return op;
}

/* Rule 2. */
static struct cycle_op move(const struct gpu *gpu, const struct ptx_instr *instr)
{
    if (instr->opcode == OP_MOV && instr->operands[1].kind == OPERAND_SPECIAL) {
        const int sreg = instr->operands[1].number;
        struct cycle_op op = in_integer(gpu, 1);
        if (sreg >= SREG_FIRST_VOLATILE) {
            op.kind = CYCLE_CLOCK;
            return op;
        }
        const bool of_thread = (sreg >= SREG_TID_X && sreg <= SREG_TID_Z) ||
                               (sreg >= SREG_CTAID_X && sreg <= SREG_CTAID_Z) ||
                               sreg >= SREG_LANEID;
        op.latency = (uint16_t)(of_thread ? gpu->shuffle_latency : 0);
        if (!of_thread)
            op.kind = CYCLE_FREE;
        return op;
    }
    if (instr->opcode == OP_MOV)
        return (struct cycle_op){.kind = CYCLE_FREE};
    return in_integer(gpu, is_integer_64(instr) || costs_doubles(instr) ? 2 : 1);
}

/* Rule 2: a parameter, and a word of constant memory at a known address. */
static bool is_operand(const struct ptx_instr *instr)
{
    if (instr->opcode != OP_LD)
        return false;
    if (instr->space == PTX_PARAM)
        return true;
    return instr->space == PTX_CONST && ptx_type_size(ptx_type_of(instr)) >= 4 &&
           instr->operands[1].kind == OPERAND_ADDRESS && instr->operands[1].base != BASE_REGISTER;
}

/* How many groups of copies may still be under way. */
static uint16_t groups_of(const struct ptx_instr *instr)
{
    const uint64_t groups = instr->operands[0].bits;

    return (uint16_t)(groups < UINT16_MAX ? groups : UINT16_MAX);
}

/* Of four warps (wgmma). Only the wait for their group waits for the sums. */
static struct cycle_op warpgroup_multiply(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op = {.kind = CYCLE_UNIT, .slots = 1};

    if (instr->opcode == OP_WGMMA_MMA) {
        op = in_unit(UNIT_TENSOR, 1, tensor_clocks(gpu, instr), gpu->tensor_latency);
        op.kind = CYCLE_WGMMA;
    } else if (ptx_has(instr, MOD_COMMIT_GROUP)) {
        op.kind = CYCLE_COMMIT;
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        op.kind = CYCLE_AWAIT;
        op.groups = groups_of(instr);
    }
    op.background = OF_WGMMA;
    return op;
}

static struct cycle_op memory(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum cost_class class = isa_rows[instr->opcode].cost;
    struct cycle_op op = {.kind = CYCLE_MEMORY, .slots = 1};

    if (is_operand(instr))
        return (struct cycle_op){.kind = CYCLE_FREE};
    if (ptx_is_bulk_store(instr))
        op.background = ptx_has(instr, MOD_READ) ? OF_STORES_READ : OF_STORES;
    if (ptx_has(instr, MOD_COMMIT_GROUP)) {
        op.kind = CYCLE_COMMIT;
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        op.kind = CYCLE_AWAIT;
        op.groups = groups_of(instr);
    } else if (ptx_has(instr, MOD_WAIT_ALL)) {
        op.kind = CYCLE_AWAIT;
        op.all = true;
    }
    op.polls = ptx_has(instr, MOD_TRY_WAIT) || ptx_has(instr, MOD_TEST_WAIT);
    op.reduces = ptx_has(instr, MOD_REDUCE);
    op.loads = class != COST_STORE && class != COST_REDUCTION;
    op.moves = class == COST_LOAD && !ptx_is_bulk_store(instr) && !ptx_is_strong(instr);
    op.latency = (uint16_t)gpu->shared_latency;
    if (instr->space == PTX_CONST && instr->vector * ptx_type_size(ptx_type_of(instr)) > 8)
        op.slots = 2; /* there is no load of 16 bytes */
    return op;
}

static struct cycle_op barrier(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op = in_integer(gpu, 1);

    op.kind = ptx_has(instr, MOD_WARP)       ? CYCLE_UNIT
              : !ptx_has(instr, MOD_CLUSTER) ? CYCLE_BARRIER
              : ptx_has(instr, MOD_ARRIVE)   ? CYCLE_CLUSTER_ARRIVE
                                             : CYCLE_CLUSTER_WAIT;
    /* An arrival is a fence, too, unless it is relaxed. */
    if (op.kind == CYCLE_CLUSTER_ARRIVE)
        op.latency = (uint16_t)(ptx_has(instr, MOD_RELAXED) ? 0 : gpu->cluster_fence_latency);
    return op;
}

static struct cycle_op jump(const struct gpu *gpu)
{
    struct cycle_op op = in_integer(gpu, 1);

    op.kind = CYCLE_JUMP;
    op.busy = 0;
    return op;
}

static struct cycle_op dependency(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op = in_integer(gpu, 1);

    op.kind = ptx_has(instr, MOD_WAIT) ? CYCLE_AFTER_LAUNCH : CYCLE_NEXT_LAUNCH;
    return op;
}

struct cycle_op cycle_op_of(const struct gpu *gpu, const struct ptx_instr *instr)
{
    if (instr->opcode == OP_GRIDDEPCONTROL)
        return dependency(gpu, instr);
    if (instr->opcode == OP_WGMMA || instr->opcode == OP_WGMMA_MMA)
        return warpgroup_multiply(gpu, instr);
    switch (isa_rows[instr->opcode].cost) {
    case COST_MULTIPLY:
        return multiply(gpu, instr);
    case COST_DIVISION:
        return division(gpu, instr);
    case COST_INVERSE:
    case COST_ROOT:
        return root(gpu, instr);
    case COST_SPECIAL:
        return in_scaled(gpu, instr);
    case COST_ANGLE:
        return in_special(gpu, AROUND_ANGLE);
    case COST_BITS:
        return in_special(gpu, 0);
    case COST_MOVE:
        return move(gpu, instr);
    case COST_EXCHANGE:
        return exchange(gpu, instr);
    case COST_TENSOR:
        return in_unit(UNIT_TENSOR, 1, tensor_clocks(gpu, instr), gpu->tensor_latency);
    case COST_LOAD:
    case COST_FETCH:
    case COST_STORE:
    case COST_UPDATE:
    case COST_REDUCTION:
        return memory(gpu, instr);
    case COST_BARRIER:
        return barrier(gpu, instr);
    case COST_JUMP:
        return jump(gpu);
    case COST_HINT:
        return (struct cycle_op){.kind = CYCLE_FREE};
    default:
        return arithmetic(gpu, instr);
    }
}

struct cycle_op cycle_wide_sum(const struct gpu *gpu)
{
    return in_unit(UNIT_MULTIPLY, 1, WIDE_SUM_CLOCKS, gpu->arithmetic_latency + 1);
}

struct cycle_op cycle_multiply_of(const struct gpu *gpu, bool narrow, bool other_narrow)
{
    struct cycle_op op = wide_multiply(gpu);

    if (narrow && other_narrow)
        return op;
    if (!narrow && !other_narrow)
        return in_multiply(gpu, 4, 4);
    op.slots += 1;
    op.busy += (uint16_t)clocks_of(gpu, gpu->integer_lanes);
    op.latency += (uint16_t)gpu->arithmetic_latency;
    return op;
}

struct cycle_op cycle_half_of(struct cycle_op op, const struct gpu *gpu)
{
    op.slots /= 2;
    op.busy /= 2;
    op.latency = (uint16_t)(op.latency > gpu->predicate_latency ? gpu->predicate_latency
                                                                : gpu->arithmetic_latency);
    return op;
}

struct cycle_op cycle_moves(const struct gpu *gpu, struct cycle_op op)
{
    op.kind = CYCLE_UNIT;
    op.slots = 2;
    op.busy = 0;
    op.latency = (uint16_t)(gpu->arithmetic_latency + 1);
    return op;
}

struct cycle_op cycle_choices(const struct gpu *gpu, int count)
{
    return in_unit(UNIT_INTEGER, count, count, count + gpu->arithmetic_latency);
}

struct cycle_op cycle_divide_alike(const struct gpu *gpu)
{
    return in_integers(gpu, &divide_known, gpu->integer_lanes);
}
