/* SPDX-License-Identifier: MIT */
/* The rules by which PTX stands for today's machine code: an estimate of what ptxas makes of it.
 *
 *  1. Addresses are folded. What a register holds plus a constant is part of a load or a store, and
 *     costs nothing where nothing else reads it. An index that is widened or shifted and then added
 *     to a base is one multiply-add.
 *  2. Parameters, constants, block sizes and moves between registers cost nothing, nor do words of
 *     constant memory at a known address, which are operands of what takes them, nor do a sign of
 *     a float, a conversion between address spaces and one between 32 and 64 bits of an integer. An
 *     atomic whose result nobody reads is a reduction, and waits for none.
 *  3. 64-bit integers take an instruction for each half, products four, divisions many.
 *  4. A division, a square root or a sine is as many instructions as nvcc 13 makes of it, of which
 *     a chain takes the latency measured for all of them.
 *  5. Three operands are one instruction: logic of logic, a sum of a sum, a sum of something
 *     shifted by a constant, a sum of an integer product, where the inner result is read nowhere
 *     else. Where a loop divides by what does not change in it, the reciprocal stands before the
 *     loop. Atomic additions whose address comes from parameters and block numbers alone are summed
 *     up within the warp first.
 *  6. A branch around a few instructions is none: they are predicated. They belong to the basic
 *     block of the branch, which goes on behind them where no other branch goes.
 *  7. A loop of one basic block that counts by a constant, and that PTX does not mark "nounroll",
 *     is unrolled: CYCLE_UNROLL copies at a time. What a copy writes before it reads it is its own;
 *     the counter is part of the addresses.
 *  8. A load moves up in its basic block, and so does what gives its address or decides the branch
 *     at the end, past WINDOW instructions at most, unless something in between gives what it
 *     reads, takes what it gives or changes memory that it may read. Loads keep their order.
 *     volatile ones do not move. No more than LOADS_AHEAD loads gather in front of an instruction.
 *
 * Not estimated: loads joined to wider ones, common expressions, registers spilled, loops unrolled
 * by other factors.
 */
#include "time/cycle_code.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"
#include "ptx/flow.h"
#include "ptx/mentions.h"
#include "ptx/tables.h"

enum { WINDOW = 32, LOADS_AHEAD = 16, UNROLLED_MOST = 64, PREDICATED_MOST = 7, POOL_STEP = 4096 };

/* What is known of a register from the whole text. */
struct value {
    int writes, reads, address_reads;
    int writer, reader; /* the last */
    bool varies; /* between the lanes of a warp, for all we know */
};

struct writer {
    const struct gpu *gpu;
    const struct ptx_function *function;
    struct cycle_code *code;
    struct value *values;
    bool *takes; /* by index: it has a third operand already */
    uint32_t *reached; /* by index: branches that go there */
    int *predicate; /* by index: what it is predicated by, as a branch around it was; or -1 */
    uint32_t pool_count, pool_room;
};

/* A unit of `lanes` lanes an SM keeps a scheduler's pipe that long for a warp. */
static int clocks_of(const struct gpu *gpu, int lanes)
{
    const int clocks = gpu->schedulers * WARP_SIZE / lanes;

    return clocks > 1 ? clocks : 1;
}

static struct cycle_op plain(enum cycle_pipe pipe, int slots, int busy, int latency)
{
    return (struct cycle_op){.kind = CYCLE_PLAIN,
                             .pipe = (uint8_t)pipe,
                             .slots = (uint16_t)slots,
                             .busy = (uint16_t)busy,
                             .latency = (uint16_t)latency};
}

static struct cycle_op in_float(const struct gpu *gpu, int count)
{
    return plain(PIPE_FLOAT, count, count * clocks_of(gpu, gpu->float_lanes),
                 count * gpu->arithmetic_latency);
}

static struct cycle_op in_integer(const struct gpu *gpu, int count)
{
    return plain(PIPE_INTEGER, count, count * clocks_of(gpu, gpu->integer_lanes),
                 count * gpu->arithmetic_latency + (count > 1));
}

static struct cycle_op in_product(const struct gpu *gpu, int count, int chain)
{
    return plain(PIPE_PRODUCT, count, count * clocks_of(gpu, gpu->integer_lanes),
                 chain * gpu->arithmetic_latency);
}

static struct cycle_op in_double(const struct gpu *gpu, int count, int chain)
{
    return plain(PIPE_DOUBLE, count, count * clocks_of(gpu, gpu->double_lanes),
                 chain * gpu->double_latency);
}

/* A special function, with `more` plain instructions in the same chain. */
static struct cycle_op in_special(const struct gpu *gpu, int more)
{
    return plain(PIPE_SPECIAL, 1 + more, clocks_of(gpu, gpu->special_lanes),
                 gpu->special_latency + more * gpu->arithmetic_latency);
}

static bool is_double(const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->type_count; i++)
        if (instr->types[i] == PTX_F64)
            return true;
    return false;
}

static bool is_integer_64(const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);

    return !ptx_type_is_float(type) && ptx_type_size(type) == 8;
}

/* Instruction counts and chains as measured for the sequences of nvcc 13. */
static struct cycle_op division(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const int special = clocks_of(gpu, gpu->special_lanes);
    const int a = gpu->arithmetic_latency;

    switch (ptx_type_of(instr)) {
    case PTX_F64:
        return in_double(gpu, 12, 15);
    case PTX_F32:
        if (ptx_has(instr, MOD_APPROX) || ptx_has(instr, MOD_FULL))
            return in_special(gpu, 3);
        return plain(PIPE_SPECIAL, 14, 2 * special, gpu->special_latency + 10 * a);
    case PTX_S64:
    case PTX_U64:
        return plain(PIPE_INTEGER, 80, 14 * special, 76 * a);
    default:
        return plain(PIPE_INTEGER, 16, 3 * special, 30 * a);
    }
}

static struct cycle_op root(const struct gpu *gpu, const struct ptx_instr *instr)
{
    if (ptx_type_of(instr) == PTX_F64)
        return in_double(gpu, 12, 15);
    if (ptx_has(instr, MOD_APPROX))
        return in_special(gpu, ptx_has(instr, MOD_FTZ) ? 0 : 4); /* scaled where it is tiny */
    return in_special(gpu, 9);
}

static struct cycle_op conversion(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum ptx_type to = instr->types[0], from = ptx_type_of(instr);
    struct cycle_op op =
        plain(PIPE_CONVERT, 1, clocks_of(gpu, gpu->convert_lanes), gpu->convert_latency);

    if (!ptx_type_is_float(to) && !ptx_type_is_float(from)) {
        if (ptx_type_size(to) >= 4 && ptx_type_size(from) >= 4 && !ptx_has(instr, MOD_SAT))
            return (struct cycle_op){.kind = CYCLE_FREE};
        return in_integer(gpu, 1);
    }
    if (ptx_type_size(to) == 8 || ptx_type_size(from) == 8)
        op.busy *= 2;
    return op;
}

static struct cycle_op product(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);

    if (is_double(instr))
        return in_double(gpu, 1, 1);
    if (ptx_type_is_float(type))
        return in_float(gpu, 1);
    if (ptx_type_size(type) == 8)
        return in_product(gpu, 4, 4);
    if (ptx_has(instr, MOD_WIDE) || ptx_has(instr, MOD_HI))
        return plain(PIPE_PRODUCT, 1, 2 * clocks_of(gpu, gpu->integer_lanes),
                     gpu->arithmetic_latency + 1);
    return in_product(gpu, 1, 1);
}

static struct cycle_op exchange(const struct gpu *gpu, const struct ptx_instr *instr)
{
    struct cycle_op op = in_integer(gpu, 1);

    op.latency = (uint16_t)gpu->shuffle_latency;
    if (instr->opcode == OP_VOTE)
        op.latency /= 2;
    else
        op.kind = CYCLE_EXCHANGE;
    return op;
}

static struct cycle_op arithmetic(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);

    switch (instr->opcode) {
    case OP_MEMBAR:
    case OP_FENCE: {
        /* Within an SM: of a block, or between its threads and its copy engine. */
        const bool near =
            instr->opcode == OP_FENCE && !ptx_has(instr, MOD_SC) && !ptx_has(instr, MOD_ACQ_REL);
        return (struct cycle_op){.kind = ptx_has(instr, MOD_CTA) ? CYCLE_FREE : CYCLE_FENCE,
                                 .slots = 1,
                                 .pipe = PIPE_INTEGER,
                                 .latency =
                                     (uint16_t)(near ? gpu->shared_latency : gpu->fence_latency)};
    }
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
    if (is_double(instr))
        return in_double(gpu, 1, 1);
    if (ptx_type_is_float(type) && instr->opcode != OP_SETP && instr->opcode != OP_MIN &&
        instr->opcode != OP_MAX)
        return in_float(gpu, 1);
    return in_integer(gpu, is_integer_64(instr) ? 2 : 1);
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
    return in_integer(gpu, is_integer_64(instr) || is_double(instr) ? 2 : 1);
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

static struct cycle_op memory(const struct gpu *gpu, const struct ptx_instr *instr)
{
    const enum latency latency = isa_rows[instr->opcode].latency;
    struct cycle_op op = {.kind = CYCLE_MEMORY, .slots = 1, .pipe = PIPE_INTEGER, .busy = 0};

    if (is_operand(instr))
        return (struct cycle_op){.kind = CYCLE_FREE};
    if (ptx_has(instr, MOD_COMMIT_GROUP)) {
        op.kind = CYCLE_COMMIT;
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        op.kind = CYCLE_AWAIT;
        op.groups = groups_of(instr);
    } else if (ptx_has(instr, MOD_WAIT_ALL)) {
        op.kind = CYCLE_AWAIT;
        op.all = true;
    }
    op.asks = ptx_has(instr, MOD_TRY_WAIT) || ptx_has(instr, MOD_TEST_WAIT);
    op.loads = latency != LATENCY_STORE && latency != LATENCY_REDUCTION;
    op.moves = latency == LATENCY_LOAD && !ptx_has(instr, MOD_VOLATILE) &&
               !ptx_has(instr, MOD_ACQUIRE) && !ptx_has(instr, MOD_RELAXED);
    op.latency = (uint16_t)gpu->shared_latency;
    return op;
}

static struct cycle_op op_of(const struct gpu *gpu, const struct ptx_instr *instr)
{
    switch (isa_rows[instr->opcode].latency) {
    case LATENCY_PRODUCT:
        return product(gpu, instr);
    case LATENCY_DIVISION:
        return division(gpu, instr);
    case LATENCY_INVERSE:
    case LATENCY_ROOT:
        return root(gpu, instr);
    case LATENCY_SPECIAL:
        return in_special(gpu, ptx_has(instr, MOD_FTZ) ? 0 : 4);
    case LATENCY_ANGLE:
        return in_special(gpu, 1);
    case LATENCY_COUNT:
        return in_special(gpu, 0);
    case LATENCY_MOVE:
        return move(gpu, instr);
    case LATENCY_EXCHANGE:
        return exchange(gpu, instr);
    case LATENCY_LOAD:
    case LATENCY_FETCH:
    case LATENCY_STORE:
    case LATENCY_UPDATE:
    case LATENCY_REDUCTION:
        return memory(gpu, instr);
    case LATENCY_BARRIER: {
        struct cycle_op op = in_integer(gpu, 1);
        op.kind = ptx_has(instr, MOD_WARP)       ? CYCLE_PLAIN
                  : !ptx_has(instr, MOD_CLUSTER) ? CYCLE_BARRIER
                  : ptx_has(instr, MOD_ARRIVE)   ? CYCLE_CLUSTER_ARRIVE
                                                 : CYCLE_CLUSTER_WAIT;
        /* What was written before it is seen by all, unless it says otherwise. */
        if (op.kind == CYCLE_CLUSTER_ARRIVE && !ptx_has(instr, MOD_RELAXED))
            op.latency = (uint16_t)gpu->cluster_fence_latency;
        else if (op.kind == CYCLE_CLUSTER_ARRIVE)
            op.latency = 0;
        return op;
    }
    case LATENCY_JUMP: {
        struct cycle_op op = in_integer(gpu, 1);
        op.kind = CYCLE_JUMP;
        op.busy = 0;
        return op;
    }
    case LATENCY_HINT:
        return (struct cycle_op){.kind = CYCLE_FREE};
    default:
        return arithmetic(gpu, instr);
    }
}

static void take_register(struct writer *writer, uint32_t reg)
{
    struct cycle_code *code = writer->code;

    if (writer->pool_count == writer->pool_room) {
        const uint32_t room = writer->pool_room + POOL_STEP;
        uint32_t *larger = observer_allocate(room, sizeof(*larger));
        memcpy(larger, code->registers, writer->pool_count * sizeof(*larger));
        free(code->registers);
        code->registers = larger;
        writer->pool_room = room;
    }
    code->registers[writer->pool_count++] = reg;
}

static int register_at(const struct ptx_instr *instr, int operand)
{
    return operand < instr->operand_count && instr->operands[operand].kind == OPERAND_REGISTER
               ? instr->operands[operand].number
               : -1;
}

static void drop_writes(struct mentions *mentions)
{
    int kept = 0;

    for (int i = 0; i < mentions->count; i++)
        if (!mentions->items[i].is_write)
            mentions->items[kept++] = mentions->items[i];
    mentions->count = kept;
}

/* Rule 2: an atomic whose result nobody reads waits for none. */
static bool is_reduction(const struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    const int result = register_at(instr, 0);

    return isa_rows[instr->opcode].latency == LATENCY_UPDATE && result >= 0 &&
           writer->values[result].reads == 0;
}

static void note_registers(struct writer *writer, int index, struct cycle_op *op)
{
    const int predicate = writer->predicate[index];
    struct mentions mentions;

    find_mentions(&writer->function->instrs[index], &mentions);
    op->registers = writer->pool_count;
    if (is_reduction(writer, index)) {
        op->loads = false;
        drop_writes(&mentions);
    }
    if (predicate >= 0) {
        take_register(writer, (uint32_t)predicate);
        op->source_count++;
    }
    for (int i = 0; i < mentions.count; i++)
        if (!mentions.items[i].is_write || predicate >= 0) { /* else what was there stays */
            take_register(writer, (uint32_t)mentions.items[i].reg);
            op->source_count++;
        }
    for (int i = 0; i < mentions.count; i++)
        if (mentions.items[i].is_write) {
            take_register(writer, (uint32_t)mentions.items[i].reg);
            op->result_count++;
        }
}

static void note_values(struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    struct mentions mentions;

    find_mentions(instr, &mentions);
    for (int i = 0; i < mentions.count; i++) {
        struct value *value = &writer->values[mentions.items[i].reg];
        if (mentions.items[i].is_write) {
            value->writes++;
            value->writer = index;
        } else {
            value->reads++;
            value->reader = index;
        }
    }
    for (int k = 0; k < instr->operand_count; k++)
        if (instr->operands[k].kind == OPERAND_ADDRESS && instr->operands[k].base == BASE_REGISTER)
            writer->values[instr->operands[k].number].address_reads++;
}

/* Rule 1: what widens or scales an index for one sum alone. */
static bool fold_index(struct writer *writer, int index, int reg)
{
    if (reg < 0 || writer->values[reg].writes != 1 || writer->values[reg].reads != 1)
        return false;
    const int from = writer->values[reg].writer;
    const struct ptx_instr *instr = &writer->function->instrs[from];
    const bool scales = (instr->opcode == OP_MUL && ptx_has(instr, MOD_WIDE)) ||
                        (instr->opcode == OP_SHL && ptx_type_size(ptx_type_of(instr)) == 8);
    if (from > index || !scales || writer->code->block_of[from] != writer->code->block_of[index])
        return false;
    writer->code->ops[from].kind = CYCLE_FREE;
    return true;
}

static bool is_logic(const struct ptx_instr *instr)
{
    return (instr->opcode == OP_AND || instr->opcode == OP_OR || instr->opcode == OP_XOR) &&
           ptx_type_size(ptx_type_of(instr)) == 4;
}

static bool is_sum(const struct ptx_instr *instr)
{
    return (instr->opcode == OP_ADD || instr->opcode == OP_SUB) &&
           !ptx_type_is_float(ptx_type_of(instr));
}

/* Rule 5: does the machine do `inner` as part of `outer`? */
static bool merges(const struct ptx_instr *inner, const struct ptx_instr *outer)
{
    if (inner->guard >= 0 || outer->guard >= 0)
        return false;
    if (is_logic(inner))
        return is_logic(outer);
    if (!is_sum(outer) || ptx_type_size(ptx_type_of(outer)) != ptx_type_size(ptx_type_of(inner)))
        return false;
    if (inner->opcode == OP_SHL)
        return inner->operands[2].kind == OPERAND_IMMEDIATE;
    return is_sum(inner) ? ptx_type_size(ptx_type_of(inner)) == 4 : false;
}

/* A product's sum is its own: the outer one is free. */
static bool adds_to_product(const struct ptx_instr *inner, const struct ptx_instr *outer)
{
    return inner->opcode == OP_MUL && !ptx_type_is_float(ptx_type_of(inner)) &&
           ptx_has(inner, MOD_LO) && outer->opcode == OP_ADD && inner->guard < 0 &&
           outer->guard < 0 && ptx_type_of(outer) != PTX_NONE &&
           ptx_type_size(ptx_type_of(outer)) == ptx_type_size(ptx_type_of(inner));
}

static void merge(struct writer *writer, int index)
{
    const struct ptx_instr *inner = &writer->function->instrs[index];
    struct cycle_op *ops = writer->code->ops;
    const int result = register_at(inner, 0);

    if (ops[index].kind != CYCLE_PLAIN || result < 0)
        return;
    const struct value *value = &writer->values[result];
    if (value->writes != 1 || value->reads != 1 || value->reader <= index ||
        writer->code->block_of[value->reader] != writer->code->block_of[index] ||
        ops[value->reader].kind != CYCLE_PLAIN || writer->takes[value->reader])
        return;
    const struct ptx_instr *outer = &writer->function->instrs[value->reader];
    if (adds_to_product(inner, outer))
        ops[value->reader].kind = CYCLE_FREE;
    else if (merges(inner, outer))
        ops[index].kind = CYCLE_FREE;
    else
        return;
    writer->takes[value->reader] = true;
}

/* Rule 5: which registers may differ between the lanes of a warp. */
static void find_varying(struct writer *writer)
{
    const struct ptx_function *function = writer->function;

    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < function->instr_count; i++) {
            const struct ptx_instr *instr = &function->instrs[i];
            const enum latency latency = isa_rows[instr->opcode].latency;
            struct mentions mentions;
            bool varies = (latency == LATENCY_LOAD && instr->space != PTX_PARAM) ||
                          latency == LATENCY_UPDATE || latency == LATENCY_FETCH ||
                          latency == LATENCY_EXCHANGE || instr->guard >= 0;
            for (int k = 1; k < instr->operand_count; k++)
                varies |= instr->operands[k].kind == OPERAND_SPECIAL &&
                          (instr->operands[k].number <= SREG_TID_Z ||
                           instr->operands[k].number >= SREG_LANEID);
            find_mentions(instr, &mentions);
            for (int k = 0; k < mentions.count; k++)
                varies |=
                    !mentions.items[k].is_write && writer->values[mentions.items[k].reg].varies;
            for (int k = 0; varies && k < mentions.count; k++) {
                struct value *value = &writer->values[mentions.items[k].reg];
                more |= mentions.items[k].is_write && !value->varies;
                value->varies |= mentions.items[k].is_write;
            }
        }
    }
}

static bool is_joined(const struct writer *writer, const struct ptx_instr *instr)
{
    const enum latency latency = isa_rows[instr->opcode].latency;

    if ((latency != LATENCY_UPDATE && latency != LATENCY_REDUCTION) || !ptx_has(instr, MOD_ADD) ||
        ptx_type_is_float(ptx_type_of(instr)) || ptx_type_size(ptx_type_of(instr)) != 4)
        return false;
    for (int k = 0; k < instr->operand_count; k++)
        if (instr->operands[k].kind == OPERAND_ADDRESS)
            return instr->operands[k].base != BASE_REGISTER ||
                   !writer->values[instr->operands[k].number].varies;
    return false;
}

/* Rule 5: a divisor that a loop of one basic block does not change. */
static bool divides_alike(const struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    const struct cycle_block *block = &writer->code->blocks[writer->code->block_of[index]];
    const struct ptx_instr *last = &writer->function->instrs[block->end - 1];
    const int divisor = register_at(instr, 2);

    if ((instr->opcode != OP_DIV && instr->opcode != OP_REM) || divisor < 0 ||
        ptx_type_is_float(ptx_type_of(instr)) || ptx_type_size(ptx_type_of(instr)) != 4 ||
        last->opcode != OP_BRA || last->target != (int)block->first)
        return false;
    for (uint32_t i = block->first; i < block->end; i++) {
        struct mentions mentions;
        find_mentions(&writer->function->instrs[i], &mentions);
        for (int k = 0; k < mentions.count; k++)
            if (mentions.items[k].is_write && mentions.items[k].reg == divisor)
                return false;
    }
    return true;
}

static void fold_addresses(struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    struct cycle_op *op = &writer->code->ops[index];
    const int result = register_at(instr, 0);

    if (instr->opcode != OP_ADD || result < 0)
        return;
    const struct value *value = &writer->values[result];
    if (instr->operands[2].kind == OPERAND_IMMEDIATE && value->writes == 1 &&
        value->reads == value->address_reads) {
        op->kind = CYCLE_FREE;
    } else if (is_integer_64(instr) && (fold_index(writer, index, register_at(instr, 1)) ||
                                        fold_index(writer, index, register_at(instr, 2)))) {
        const struct cycle_op wide = plain(PIPE_PRODUCT, 1, 2, writer->gpu->arithmetic_latency + 1);
        op->pipe = wide.pipe;
        op->slots = wide.slots;
        op->busy = wide.busy;
        op->latency = wide.latency;
    }
}

/* Rule 6: a branch over nothing but a few instructions that fall to where it goes. */
static bool is_predicated(const struct ptx_function *function, int index)
{
    const struct ptx_instr *instr = &function->instrs[index];

    if (instr->opcode != OP_BRA || instr->guard < 0 || instr->target <= index ||
        instr->target - index - 1 > PREDICATED_MOST)
        return false;
    for (int i = index + 1; i < instr->target; i++) {
        const enum latency latency = isa_rows[function->instrs[i].opcode].latency;
        if (latency == LATENCY_JUMP || latency == LATENCY_BARRIER ||
            (i > index + 1 && function->instrs[i].leads))
            return false;
    }
    return true;
}

static void count_branches(struct writer *writer)
{
    const struct ptx_function *function = writer->function;

    for (int i = 0; i < function->instr_count; i++) {
        const struct ptx_instr *instr = &function->instrs[i];
        for (int k = 0; k < jump_count(instr); k++)
            writer->reached[jump_target(instr, k)]++;
    }
}

/* Does the machine code have no branch from `index`, nor any to where it goes? */
static bool vanishes(const struct writer *writer, int index)
{
    if (writer->code->reads_clock || !is_predicated(writer->function, index))
        return false; /* a clock is told at the beginning of a block */
    return writer->reached[index + 1] == 0 &&
           writer->reached[writer->function->instrs[index].target] == 1;
}

/* Which instructions are predicated, and so part of the block that they begin behind. */
static void find_predicates(struct writer *writer)
{
    for (int i = 0; i < writer->function->instr_count; i++)
        writer->predicate[i] = -1;
    for (int i = 0; i < writer->function->instr_count; i++)
        if (vanishes(writer, i))
            for (int k = i + 1; k < writer->function->instrs[i].target; k++)
                writer->predicate[k] = writer->function->instrs[i].guard;
}

/* Order within a block. */

struct order {
    const struct cycle_code *code;
    uint32_t register_count;
    struct cycle_item *items;
    bool *early;
    uint32_t count;
};

static uint32_t renamed(const struct order *order, struct cycle_item item, uint32_t reg)
{
    return order->code->carried[reg] ? reg : reg + item.copy * order->register_count;
}

static const uint32_t *sources_of(const struct order *order, struct cycle_item item)
{
    return order->code->registers + order->code->ops[item.index].registers;
}

static bool mentions(const struct order *order, struct cycle_item item, uint32_t reg, int from,
                     int to)
{
    const uint32_t *registers = sources_of(order, item);

    for (int i = from; i < to; i++)
        if (renamed(order, item, registers[i]) == reg)
            return true;
    return false;
}

/* Does no access to memory pass it? */
static bool is_barrier(const struct cycle_op *op)
{
    return op->kind == CYCLE_BARRIER || op->kind == CYCLE_FENCE || op->kind == CYCLE_AWAIT ||
           op->kind == CYCLE_COMMIT || op->kind == CYCLE_CLUSTER_ARRIVE ||
           op->kind == CYCLE_CLUSTER_WAIT;
}

/* Does `first` have to stay in front of `second`? */
static bool depends(const struct order *order, struct cycle_item second, struct cycle_item first)
{
    const struct cycle_op *b = &order->code->ops[second.index];
    const struct cycle_op *a = &order->code->ops[first.index];
    const uint32_t *registers = sources_of(order, second);

    for (int i = 0; i < b->source_count + b->result_count; i++) {
        const uint32_t reg = renamed(order, second, registers[i]);
        if (mentions(order, first, reg, i < b->source_count ? a->source_count : 0,
                     a->source_count + a->result_count))
            return true;
    }
    if (a->kind == CYCLE_JUMP || a->kind == CYCLE_CLOCK || b->kind == CYCLE_CLOCK)
        return true;
    if (is_barrier(a))
        return b->kind != CYCLE_PLAIN && b->kind != CYCLE_FREE;
    if (a->kind != CYCLE_MEMORY || b->kind != CYCLE_MEMORY)
        return false;
    if (a->moves)
        return false; /* a load; loads are kept apart in move_up() */
    const struct ptx_instr *x = &order->code->function->instrs[first.index];
    const struct ptx_instr *y = &order->code->function->instrs[second.index];
    return x->space == y->space || x->space == PTX_GENERIC || y->space == PTX_GENERIC ||
           isa_rows[x->opcode].latency == LATENCY_UPDATE ||
           isa_rows[x->opcode].latency == LATENCY_LOAD;
}

/* Loads, what gives their addresses, and what decides the branch: from the end back. */
static void find_early(struct order *order, const struct cycle_item *plain_order)
{
    bool *wanted = observer_allocate((size_t)order->register_count * CYCLE_UNROLL + 1, 1);

    if (order->count) {
        const struct cycle_item last = plain_order[order->count - 1];
        const int guard = order->code->function->instrs[last.index].guard;
        if (guard >= 0)
            wanted[renamed(order, last, (uint32_t)guard)] = true;
    }
    for (uint32_t i = order->count; i-- > 0;) {
        const struct cycle_item item = plain_order[i];
        const struct cycle_op *op = &order->code->ops[item.index];
        const uint32_t *registers = sources_of(order, item);
        bool early = op->kind == CYCLE_MEMORY && op->moves;
        if (!early && op->kind != CYCLE_MEMORY)
            for (int k = op->source_count; k < op->source_count + op->result_count; k++)
                early |= wanted[renamed(order, item, registers[k])];
        order->early[i] = early;
        for (int k = 0; early && k < op->source_count; k++)
            wanted[renamed(order, item, registers[k])] = true;
    }
    free(wanted);
}

static bool is_load(const struct order *order, struct cycle_item item)
{
    const struct cycle_op *op = &order->code->ops[item.index];

    return op->kind == CYCLE_MEMORY && op->moves;
}

/* Have so many loads gathered in front of the instruction at `at` that it gets its turn first? */
static bool is_crowded(const struct order *order, uint32_t at)
{
    int loads = 0;

    while (at > 0 && order->early[at - 1] && loads < LOADS_AHEAD)
        loads += is_load(order, order->items[--at]);
    return loads == LOADS_AHEAD;
}

/* Rule 8. */
static void move_up(struct order *order)
{
    struct cycle_item *plain_order = observer_allocate(order->count + 1, sizeof(*plain_order));

    memcpy(plain_order, order->items, order->count * sizeof(*plain_order));
    order->early = observer_allocate(order->count + 1, 1);
    find_early(order, plain_order);
    for (uint32_t i = 0; i < order->count; i++) {
        const struct cycle_item item = plain_order[i];
        const bool early = order->early[i];
        uint32_t at = i;
        while (early && at > 0 && i - at < WINDOW) {
            const struct cycle_item before = order->items[at - 1];
            if (is_load(order, before) || depends(order, item, before) ||
                (is_load(order, item) && is_crowded(order, at - 1)))
                break;
            at--;
        }
        memmove(&order->items[at + 1], &order->items[at], (i - at) * sizeof(item));
        order->items[at] = item;
        memmove(&order->early[at + 1], &order->early[at], i - at);
        order->early[at] = early;
    }
    free(order->early);
    free(plain_order);
}

/* The branch back of a loop, and what decides it: the last copy alone has them. */
static bool closes(const struct writer *writer, const struct cycle_block *block, uint32_t index)
{
    const struct ptx_instr *last = &writer->function->instrs[block->end - 1];

    return index == block->end - 1 ||
           register_at(&writer->function->instrs[index], 0) == last->guard;
}

static struct cycle_item *make_items(struct writer *writer, const struct cycle_block *block,
                                     uint32_t copies, uint32_t *count)
{
    const uint32_t length = block->end - block->first;
    struct order order = {
        .code = writer->code,
        .register_count = (uint32_t)writer->function->register_count,
    };

    order.items = observer_allocate(length * copies + 1, sizeof(*order.items));
    for (uint32_t i = 0; i < length * copies; i++) {
        const struct cycle_item item = {block->first + i % length, i / length};
        if (item.copy + 1 == copies || !closes(writer, block, item.index))
            order.items[order.count++] = item;
    }
    move_up(&order);
    if (length * copies > writer->code->longest)
        writer->code->longest = length * copies;
    *count = order.count;
    return order.items;
}

/* Does a register in the block only grow by a constant? */
static bool counts(const struct writer *writer, const struct cycle_block *block, int reg)
{
    int writes = 0;

    for (uint32_t i = block->first; reg >= 0 && i < block->end; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        if (register_at(instr, 0) != reg || !writes_operand(instr, 0))
            continue;
        if ((instr->opcode != OP_ADD && instr->opcode != OP_SUB) || register_at(instr, 1) != reg ||
            instr->operands[2].kind != OPERAND_IMMEDIATE)
            return false;
        writes++;
    }
    return writes == 1;
}

/* Is the branch at the block's end taken for a number of times that is known beforehand? */
static bool is_counted(const struct writer *writer, const struct cycle_block *block)
{
    const int guard = writer->function->instrs[block->end - 1].guard;

    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        if (instr->opcode == OP_SETP && register_at(instr, 0) == guard)
            return counts(writer, block, register_at(instr, 1));
    }
    return false;
}

/* Rule 7: is the block a loop of its own that a compiler may unroll? */
static bool unrolls(const struct writer *writer, const struct cycle_block *block)
{
    const struct ptx_instr *last = &writer->function->instrs[block->end - 1];

    if (last->opcode != OP_BRA || last->target != (int)block->first ||
        block->end - block->first > UNROLLED_MOST ||
        writer->function->instrs[block->first].rolled || !is_counted(writer, block))
        return false;
    for (uint32_t i = block->first; i < block->end; i++)
        if (is_barrier(&writer->code->ops[i]))
            return false;
    return true;
}

/* Registers that a copy reads before it writes them, or that others read: not its own. */
static void find_carried(struct writer *writer, const struct cycle_block *block)
{
    struct cycle_code *code = writer->code;
    bool *written = observer_allocate((size_t)writer->function->register_count + 1, 1);

    for (uint32_t i = block->first; i < block->end; i++) {
        const struct cycle_op *op = &code->ops[i];
        const uint32_t *registers = code->registers + op->registers;
        for (int k = 0; k < op->source_count; k++)
            if (!written[registers[k]])
                code->carried[registers[k]] = true;
        for (int k = op->source_count; k < op->source_count + op->result_count; k++)
            written[registers[k]] = true;
    }
    free(written);
}

/* A counter of an unrolled loop: the copies fold it into what uses it. */
static void fold_counters(struct writer *writer, const struct cycle_block *block)
{
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        const int result = register_at(instr, 0);
        if (instr->opcode == OP_ADD && result >= 0 && result == register_at(instr, 1) &&
            instr->operands[2].kind == OPERAND_IMMEDIATE)
            writer->code->ops[i].kind = CYCLE_FREE;
    }
}

/* Is the instruction the first of a block? Not where what is predicated begins or ends. */
static bool leads(const struct writer *writer, int index)
{
    const struct ptx_instr *instrs = writer->function->instrs;

    if (index == 0 || !instrs[index].leads)
        return index == 0;
    return (writer->predicate[index - 1] >= 0) == (writer->predicate[index] >= 0);
}

static void make_blocks(struct writer *writer)
{
    struct cycle_code *code = writer->code;
    const int count = writer->function->instr_count;

    code->blocks = observer_allocate((size_t)count + 1, sizeof(*code->blocks));
    for (int i = 0; i < count; i++) {
        if (leads(writer, i))
            code->blocks[code->block_count++].first = (uint32_t)i;
        code->block_of[i] = code->block_count - 1;
        code->blocks[code->block_count - 1].end = (uint32_t)i + 1;
    }
}

/* Where the items begin, and how long they are. */
static uint32_t lay_out(struct cycle_code *code, const struct cycle_item *items, uint32_t count)
{
    const uint32_t place = code->length;

    for (uint32_t i = 0; i < count; i++)
        if (code->ops[items[i].index].kind != CYCLE_FREE)
            code->length += code->ops[items[i].index].slots;
    return place;
}

static void order_blocks(struct writer *writer)
{
    struct cycle_code *code = writer->code;

    for (uint32_t b = 0; b < code->block_count; b++)
        if (unrolls(writer, &code->blocks[b])) {
            find_carried(writer, &code->blocks[b]);
            fold_counters(writer, &code->blocks[b]);
        }
    for (uint32_t b = 0; b < code->block_count; b++) {
        struct cycle_block *block = &code->blocks[b];
        block->items = make_items(writer, block, 1, &block->item_count);
        if (unrolls(writer, block))
            block->unrolled = make_items(writer, block, CYCLE_UNROLL, &block->unrolled_count);
        block->place = lay_out(code, block->items, block->item_count);
        block->unrolled_place = lay_out(code, block->unrolled, block->unrolled_count);
    }
}

static bool function_reads_clock(const struct ptx_function *function)
{
    for (int i = 0; i < function->instr_count; i++)
        for (int k = 0; k < function->instrs[i].operand_count; k++)
            if (function->instrs[i].operands[k].kind == OPERAND_SPECIAL &&
                function->instrs[i].operands[k].number >= SREG_FIRST_VOLATILE)
                return true;
    return false;
}

bool cycle_is_at_barrier(const struct ptx_instr *instr)
{
    return instr->opcode == OP_MBARRIER || (instr->opcode == OP_CP && ptx_has(instr, MOD_BULK)) ||
           (instr->opcode == OP_ST && ptx_has(instr, MOD_ASYNC));
}

/* It itself, or a function of its module that is no kernel. */
static bool may_read_clock(const struct ptx_module *module, const struct ptx_function *function)
{
    bool reads = function_reads_clock(function);

    for (int i = 0; i < module->function_count && !reads; i++)
        reads = !module->functions[i].is_entry && function_reads_clock(&module->functions[i]);
    return reads;
}

struct cycle_code *cycle_code_new(const struct gpu *gpu, const struct ptx_module *module,
                                  const struct ptx_function *function)
{
    const size_t count = (size_t)function->instr_count + 1;
    struct writer writer = {.gpu = gpu, .function = function, .pool_room = POOL_STEP};
    struct cycle_code *code = observer_allocate(1, sizeof(*code));

    writer.code = code;
    code->registers = observer_allocate(POOL_STEP, sizeof(*code->registers));
    code->function = function;
    code->reads_clock = may_read_clock(module, function);
    writer.values = observer_allocate((size_t)function->register_count + 1, sizeof(*writer.values));
    writer.takes = observer_allocate(count, 1);
    code->ops = observer_allocate(count, sizeof(*code->ops));
    code->block_of = observer_allocate(count, sizeof(*code->block_of));
    code->carried = observer_allocate((size_t)function->register_count + 1, 1);
    writer.reached = observer_allocate(count + 1, sizeof(*writer.reached));
    writer.predicate = observer_allocate(count, sizeof(*writer.predicate));
    count_branches(&writer);
    find_predicates(&writer);
    make_blocks(&writer);
    for (int i = 0; i < function->instr_count; i++)
        note_values(&writer, i);
    for (int i = 0; i < function->instr_count; i++) {
        code->ops[i] = op_of(gpu, &function->instrs[i]);
        code->has_phases |= cycle_is_at_barrier(&function->instrs[i]);
        note_registers(&writer, i, &code->ops[i]);
        fold_addresses(&writer, i);
        if (is_predicated(function, i))
            code->ops[i].kind = CYCLE_FREE;
    }
    find_varying(&writer);
    for (int i = 0; i < function->instr_count; i++) {
        merge(&writer, i);
        code->ops[i].joined = is_joined(&writer, &function->instrs[i]);
        if (divides_alike(&writer, i)) {
            code->ops[i].slots = 7;
            code->ops[i].busy = 7 * clocks_of(gpu, gpu->integer_lanes);
            code->ops[i].latency = 15 * gpu->arithmetic_latency;
        }
    }
    order_blocks(&writer);
    free(writer.predicate);
    free(writer.reached);
    free(writer.takes);
    free(writer.values);
    return code;
}

void cycle_code_free(struct cycle_code *code)
{
    if (!code)
        return;
    for (uint32_t b = 0; b < code->block_count; b++) {
        free(code->blocks[b].items);
        free(code->blocks[b].unrolled);
    }
    free(code->blocks);
    free(code->ops);
    free(code->registers);
    free(code->block_of);
    free(code->carried);
    free(code);
}
