/* SPDX-License-Identifier: MIT */
/* The rules by which today's PTX stands for machine code of 2007.
 *
 *  1. Addresses are 32 bits. A 64-bit register that ends up in an address, perhaps by way of sums,
 *     shifts, products and moves, is one register, and what computes it is 32-bit arithmetic.
 *     Widening an index costs nothing; times a power of two it is a shift.
 *  2. Parameters, constants and block sizes are operands: reading them costs nothing.
 *  3. Moves between registers, and to generic addresses and back, are gone.
 *  4. A load from shared memory whose result is used by plain arithmetic of the same basic block
 *     alone, with no store or barrier in between, is an operand of it; an instruction has one such
 *     operand at most, and keeps the issue port longer for it. Where several instructions use it,
 *     that must cost no more than the load would: two do, three do not. A wide load or store is one
 *     for each word.
 *  5. A product and a sum are one multiply-add: fma stands for it, and so does a mul without
 *     rounding, or a mul24, whose result one add of the same basic block uses.
 *  6. 32-bit products take four machine instructions (of 16 bits each); 24-bit ones take one.
 *     64-bit integers take an instruction for each half, and many for products and divisions.
 *  7. Special functions keep the port four times as long.
 *  8. A load from global memory moves up to one before it in its basic block, 64 instructions at
 *     most, and so do sums that give its address, unless something in between gives what they read,
 *     takes what they give or changes memory. What has moved up is not moved up to.
 */
#include "time/g80_code.h"

#include <stdlib.h>

#include "machine/observer_memory.h"
#include "ptx/liveness.h"
#include "ptx/tables.h"

/* What is known of a register from the whole text. */
struct value {
    bool is_address; /* rule 1 */
    bool is_operand; /* rule 2: a constant or a parameter, whatever way it came */
};

struct mapper {
    const struct gpu *gpu;
    const struct ptx_function *function;
    struct value *values; /* by register */
    struct g80_op *ops;
    bool *fused; /* its multiplication is done by the addition after it */
    bool *has_shared_operand;
};

static const struct ptx_register *register_of(const struct mapper *mapper, int reg)
{
    return &mapper->function->registers[reg];
}

static bool is_wide(const struct mapper *mapper, int reg)
{
    return ptx_type_size(register_of(mapper, reg)->type) == 8;
}

static int result_of(const struct ptx_instr *instr)
{
    return instr->operand_count && instr->operands[0].kind == OPERAND_REGISTER &&
                   writes_operand(instr, 0)
               ? instr->operands[0].number
               : -1;
}

/* Rule 1: what passes its operands on to an address. */
static bool computes_address(const struct ptx_instr *instr)
{
    switch (instr->opcode) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_SHL:
    case OP_SHR:
    case OP_AND:
    case OP_OR:
    case OP_MOV:
    case OP_CVT:
    case OP_CVTA:
    case OP_SELP:
    case OP_MIN:
    case OP_MAX:
        return true;
    default:
        return false;
    }
}

static bool mark_address(struct mapper *mapper, const struct ptx_operand *operand)
{
    if (operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_ADDRESS)
        return false;
    if (operand->kind == OPERAND_ADDRESS && operand->base != BASE_REGISTER)
        return false;
    if (!is_wide(mapper, operand->number) || mapper->values[operand->number].is_address)
        return false;
    mapper->values[operand->number].is_address = true;
    return true;
}

/* From the addresses of loads and stores backward, until nothing is new. */
static void find_addresses(struct mapper *mapper)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = mapper->function->instr_count - 1; i >= 0; i--) {
            const struct ptx_instr *instr = &mapper->function->instrs[i];
            const int result = result_of(instr);
            const bool passes =
                result >= 0 && mapper->values[result].is_address && computes_address(instr);
            for (int k = 0; k < instr->operand_count; k++)
                if (instr->operands[k].kind == OPERAND_ADDRESS || (passes && k > 0))
                    more |= mark_address(mapper, &instr->operands[k]);
        }
    }
}

static bool is_constant(const struct mapper *mapper, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case OPERAND_IMMEDIATE:
    case OPERAND_SYMBOL:
        return true;
    case OPERAND_SPECIAL:
        return operand->number < SREG_FIRST_VOLATILE && operand->number != SREG_TID_X &&
               operand->number != SREG_TID_Y && operand->number != SREG_TID_Z &&
               operand->number != SREG_LANEID && operand->number != SREG_WARPID;
    case OPERAND_REGISTER:
        return mapper->values[operand->number].is_operand;
    default:
        return false;
    }
}

/* Rules 2 and 3: instructions that are not in the machine code. */
static bool is_move(const struct mapper *mapper, const struct ptx_instr *instr)
{
    const int result = result_of(instr);

    switch (instr->opcode) {
    case OP_MOV:
        return instr->operands[1].kind == OPERAND_REGISTER ||
               is_constant(mapper, &instr->operands[1]);
    case OP_CVTA:
        return true;
    case OP_CVT:
        return result >= 0 && instr->operands[1].kind == OPERAND_REGISTER &&
               (mapper->values[result].is_address ||
                mapper->values[instr->operands[1].number].is_address) &&
               !ptx_type_is_float(ptx_type_of(instr));
    case OP_LD:
        return instr->space == PTX_PARAM;
    default:
        return false;
    }
}

/* Rule 2: registers that only ever hold one constant or parameter. */
static void find_operands(struct mapper *mapper)
{
    for (int i = 0; i < mapper->function->instr_count; i++) {
        const struct ptx_instr *instr = &mapper->function->instrs[i];
        const int result = result_of(instr);
        if (result < 0 || register_of(mapper, result)->writes != 1 || !is_move(mapper, instr))
            continue;
        mapper->values[result].is_operand =
            instr->opcode == OP_LD || is_constant(mapper, &instr->operands[1]);
    }
}

/* The only instruction that reads what `index` writes, if it comes after it in the same basic
 * block; else -1. */
static int only_reader(const struct mapper *mapper, int index)
{
    const int result = result_of(&mapper->function->instrs[index]);

    if (result < 0 || register_of(mapper, result)->writes != 1 ||
        register_of(mapper, result)->reads != 1)
        return -1;
    const int reader = register_of(mapper, result)->reader;
    for (int i = index + 1; i <= reader; i++)
        if (mapper->function->instrs[i].leads)
            return -1;
    return reader > index ? reader : -1;
}

static bool is_plain_alu(const struct ptx_instr *instr)
{
    switch (instr->opcode) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_MUL24:
    case OP_MAD24:
    case OP_FMA:
    case OP_MIN:
    case OP_MAX:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_SHL:
    case OP_SHR:
    case OP_SETP:
    case OP_NEG:
        return ptx_type_size(ptx_type_of(instr)) == 4;
    default:
        return false;
    }
}

static bool changes_shared(const struct ptx_instr *instr)
{
    switch (isa_rows[instr->opcode].cost) {
    case COST_BARRIER:
    case COST_UPDATE:
        return true;
    case COST_STORE:
        return instr->space != PTX_GLOBAL && instr->space != PTX_LOCAL;
    default:
        return false;
    }
}

/* The instruction that takes what `reader` (an alias of it, perhaps a neg) computes. */
static int through_negation(const struct mapper *mapper, int reader)
{
    while (reader >= 0 && mapper->function->instrs[reader].opcode == OP_NEG)
        reader = only_reader(mapper, reader);
    return reader;
}

static bool mentions_register(const struct ptx_instr *instr, int reg)
{
    for (int i = 0; i < instr->read_count + instr->write_count; i++)
        if (instr->registers[i] == reg)
            return true;
    return false;
}

enum { MOST_USERS = 8 };

/* Who takes the value that `index` loads, all in its basic block and before anything may change it
 * in memory: their count, or 0 if there are others, or more than `most`. */
static int find_users(const struct mapper *mapper, int index, int *users, int most)
{
    const int result = result_of(&mapper->function->instrs[index]);
    const struct ptx_register *value = register_of(mapper, result);
    int count = 0;

    if (value->writes != 1)
        return 0;
    for (int i = index + 1; i < mapper->function->instr_count && count < value->reads; i++) {
        const struct ptx_instr *instr = &mapper->function->instrs[i];
        if (instr->leads)
            return 0;
        if (mentions_register(instr, result)) {
            if (count == most)
                return 0;
            users[count++] = i;
        }
        if (changes_shared(instr))
            break;
    }
    return count == value->reads ? count : 0;
}

/* Rule 4. */
static bool fold_shared(struct mapper *mapper, int index)
{
    const struct gpu *gpu = mapper->gpu;
    const struct ptx_instr *instr = &mapper->function->instrs[index];
    const int more = gpu->shared_operand_clocks - gpu->issue_clocks;
    int users[MOST_USERS];

    if (instr->opcode != OP_LD || instr->space != PTX_SHARED || instr->vector > 1 ||
        ptx_type_size(ptx_type_of(instr)) != 4)
        return false;
    const int count = find_users(mapper, index, users, MOST_USERS);
    if (count == 0 || (count > 1 && count * more > gpu->issue_clocks))
        return false;
    for (int i = 0; i < count; i++) {
        const int user = through_negation(mapper, users[i]);
        if (user < 0 || !is_plain_alu(&mapper->function->instrs[user]) ||
            mapper->has_shared_operand[user])
            return false;
        users[i] = user;
    }
    for (int i = 0; i < count; i++)
        mapper->has_shared_operand[users[i]] = true;
    return true;
}

/* A sign is part of the operand of a float. */
static bool is_sign(const struct mapper *mapper, int index)
{
    const struct ptx_instr *instr = &mapper->function->instrs[index];

    return instr->opcode == OP_NEG && ptx_type_of(instr) == PTX_F32 &&
           only_reader(mapper, index) >= 0;
}

/* Rule 5. */
static bool fuses(const struct mapper *mapper, int index)
{
    const struct ptx_instr *instr = &mapper->function->instrs[index];
    const bool multiplies =
        instr->opcode == OP_MUL24 ||
        (instr->opcode == OP_MUL && ptx_type_of(instr) == PTX_F32 && !ptx_has(instr, MOD_RN) &&
         !ptx_has(instr, MOD_RZ) && !ptx_has(instr, MOD_RM) && !ptx_has(instr, MOD_RP));
    const int reader = multiplies ? only_reader(mapper, index) : -1;

    if (reader < 0)
        return false;
    const enum opcode sum = mapper->function->instrs[reader].opcode;
    return sum == OP_ADD || sum == OP_SUB;
}

static bool is_power_of_two(const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_IMMEDIATE && operand->bits &&
           !(operand->bits & (operand->bits - 1));
}

struct cost {
    int parts, clocks;
};

enum {
    /* Machine instructions of what is a sequence. */
    MULTIPLY_32 = 4, /* CUDA Programming Guide 1.1, 5.1.1.1: 16 clocks a warp */
    HIGH_MULTIPLY_32 = 8,
    MULTIPLY_64 = 18, /* three 32-bit ones, one of them wide, and sums */
    DIVISION_32 = 35,
    DIVISION_64 = 180,
    FLOAT_DIVISION = 9, /* 36 clocks: the same section */
};

/* Rule 6 for mul and mad. */
static struct cost multiply(const struct mapper *mapper, const struct ptx_instr *instr)
{
    const int alu = mapper->gpu->issue_clocks;
    const int result = result_of(instr);
    const int sum = instr->opcode == OP_MAD;
    const bool address = result >= 0 && mapper->values[result].is_address;
    const bool wide = ptx_has(instr, MOD_WIDE) || ptx_type_size(ptx_type_of(instr)) == 8;
    const bool shift = is_power_of_two(&instr->operands[2]) || is_power_of_two(&instr->operands[1]);

    if (ptx_type_is_float(ptx_type_of(instr)) || ptx_type_size(ptx_type_of(instr)) == 2)
        return (struct cost){1, alu};
    if (wide && !address && !ptx_has(instr, MOD_WIDE))
        return (struct cost){(shift ? 3 : MULTIPLY_64) + 2 * sum, alu};
    if (wide && !address)
        return (struct cost){(shift ? 2 : HIGH_MULTIPLY_32) + 2 * sum, alu};
    if (ptx_has(instr, MOD_HI))
        return (struct cost){HIGH_MULTIPLY_32 + sum, alu};
    return (struct cost){(shift ? 1 : MULTIPLY_32) + sum, alu};
}

static struct cost division(const struct mapper *mapper, const struct ptx_instr *instr)
{
    const int alu = mapper->gpu->issue_clocks;

    switch (ptx_type_of(instr)) {
    case PTX_F32:
        if (ptx_has(instr, MOD_APPROX) || ptx_has(instr, MOD_FULL))
            return (struct cost){1, mapper->gpu->special_clocks + alu};
        return (struct cost){FLOAT_DIVISION, alu};
    case PTX_S64:
    case PTX_U64:
        return (struct cost){DIVISION_64, alu};
    default:
        return (struct cost){DIVISION_32, alu};
    }
}

/* Integers of 64 bits that are no address. */
static bool is_long(const struct mapper *mapper, const struct ptx_instr *instr)
{
    const int result = result_of(instr);

    return ptx_type_size(ptx_type_of(instr)) == 8 && !ptx_type_is_float(ptx_type_of(instr)) &&
           !(result >= 0 && mapper->values[result].is_address);
}

static struct cost cost_of(const struct mapper *mapper, const struct ptx_instr *instr)
{
    const int alu = mapper->gpu->issue_clocks;
    const int special = mapper->gpu->special_clocks;

    switch (isa_rows[instr->opcode].cost) {
    case COST_MULTIPLY:
        return multiply(mapper, instr);
    case COST_DIVISION:
        return division(mapper, instr);
    case COST_INVERSE:
    case COST_SPECIAL:
        return (struct cost){1, special};
    case COST_ROOT:
    case COST_ANGLE:
        return (struct cost){2, special};
    case COST_SHIFT:
        return (struct cost){is_long(mapper, instr) ? 4 : 1, alu};
    default:
        return (struct cost){is_long(mapper, instr) ? 2 : 1, alu};
    }
}

static void add(uint32_t *registers, uint8_t *count, uint8_t most, int reg)
{
    for (int i = 0; i < *count; i++)
        if (registers[i] == (uint32_t)reg)
            return;
    if (*count < most)
        registers[(*count)++] = (uint32_t)reg;
}

/* What a free instruction gives is ready when what it reads is, whatever was there before. */
static void add_registers(const struct mapper *mapper, const struct ptx_instr *instr,
                          struct g80_op *op)
{
    const bool is_free = op->kind == G80_FREE || op->kind == G80_FOLDED;

    for (int i = 0; i < instr->read_count + instr->write_count; i++) {
        const int reg = instr->registers[i];
        const bool written = i >= instr->read_count;
        if (mapper->values[reg].is_operand)
            continue;
        if (!(written && is_free))
            add(op->sources, &op->source_count, G80_SOURCES, reg);
        if (written)
            add(op->results, &op->result_count, G80_RESULTS, reg);
    }
}

static enum g80_kind kind_of(const struct mapper *mapper, int index)
{
    const struct ptx_instr *instr = &mapper->function->instrs[index];

    if (is_move(mapper, instr) || is_sign(mapper, index) || mapper->fused[index])
        return G80_FREE;
    switch (isa_rows[instr->opcode].cost) {
    case COST_LOAD:
    case COST_FETCH:
    case COST_STORE:
    case COST_UPDATE:
    case COST_REDUCTION:
        return G80_MEMORY;
    case COST_BARRIER:
        return G80_BARRIER;
    case COST_HINT:
        return G80_FREE;
    default:
        return G80_PLAIN;
    }
}

static enum g80_width width_of(const struct ptx_instr *instr)
{
    if (isa_rows[instr->opcode].cost == COST_FETCH)
        return G80_WORD; /* what its cache asks of memory */
    const int vector = instr->vector > 1 ? instr->vector : 1;
    const int bytes = ptx_type_size(ptx_type_of(instr)) * vector;

    return bytes <= 4 ? G80_WORD : bytes <= 8 ? G80_DOUBLE_WORD : G80_QUAD_WORD;
}

static void map_instruction(struct mapper *mapper, int index)
{
    const struct ptx_instr *instr = &mapper->function->instrs[index];
    struct g80_op *op = &mapper->ops[index];
    const struct cost cost = cost_of(mapper, instr);
    const enum cost_class class = isa_rows[instr->opcode].cost;

    op->kind = kind_of(mapper, index);
    op->parts = (uint16_t)cost.parts;
    op->clocks = (uint8_t)cost.clocks;
    op->latency =
        (uint8_t)(cost.clocks - mapper->gpu->issue_clocks + mapper->gpu->arithmetic_latency);
    op->jumps = class == COST_JUMP;
    op->loads = class == COST_LOAD || class == COST_FETCH || class == COST_UPDATE;
    op->stores = class == COST_STORE || class == COST_UPDATE || class == COST_REDUCTION;
    if (op->kind == G80_MEMORY)
        op->width = (uint8_t)width_of(instr);
    if (op->kind == G80_MEMORY && fold_shared(mapper, index))
        op->kind = G80_FOLDED;
    add_registers(mapper, instr, op);
}

static bool is_global_load(const struct mapper *mapper, int index)
{
    const struct ptx_instr *instr = &mapper->function->instrs[index];

    return isa_rows[instr->opcode].cost == COST_LOAD && instr->space == PTX_GLOBAL &&
           !ptx_is_strong(instr);
}

/* Must `index` stay after `other`: it gives what `index` reads, takes or sets what that gives, or
 * changes memory? */
static bool keeps_down(const struct mapper *mapper, int index, int other)
{
    const struct ptx_instr *here = &mapper->function->instrs[index];
    const struct ptx_instr *there = &mapper->function->instrs[other];

    switch (isa_rows[there->opcode].cost) {
    case COST_STORE:
    case COST_UPDATE:
    case COST_REDUCTION:
    case COST_BARRIER:
        return true;
    default:
        break;
    }
    for (int i = 0; i < here->read_count + here->write_count; i++)
        for (int k = 0; k < there->read_count + there->write_count; k++)
            if (here->registers[i] == there->registers[k] &&
                (i >= here->read_count || k >= there->read_count))
                return true;
    return false;
}

/* Rule 8: by how much `index` moves up; 0: it does not. */
static int find_early(const struct mapper *mapper, int index)
{
    enum { REACH = 64 };
    int early = 0, top = 0;

    for (int i = index; i > 0 && index - i < REACH && !mapper->function->instrs[i].leads; i--) {
        const int above = i - 1, moved = mapper->ops[above].early;

        if (keeps_down(mapper, index, above)) {
            if (!moved)
                break;
            top = above - moved > top ? above - moved : top;
        }
        if (!moved && above >= top && is_global_load(mapper, above))
            early = index - above;
    }
    return early;
}

static bool gives_address(const struct mapper *mapper, int index)
{
    const struct g80_op *op = &mapper->ops[index];
    const int result = result_of(&mapper->function->instrs[index]);

    return op->kind == G80_PLAIN && op->parts == 1 && result >= 0 &&
           mapper->values[result].is_address;
}

/* Does a load move up to where `index` does? */
static bool goes_with_load(const struct mapper *mapper, int index)
{
    const int target = index - mapper->ops[index].early;

    for (int i = index + 1; i < mapper->function->instr_count; i++) {
        if (mapper->function->instrs[i].leads)
            return false;
        if (mapper->ops[i].early && i - mapper->ops[i].early == target && is_global_load(mapper, i))
            return true;
    }
    return false;
}

static void move_loads_up(struct mapper *mapper)
{
    for (int i = 0; i < mapper->function->instr_count; i++)
        if (is_global_load(mapper, i) || gives_address(mapper, i))
            mapper->ops[i].early = (uint16_t)find_early(mapper, i);
    for (int i = 0; i < mapper->function->instr_count; i++)
        if (mapper->ops[i].early && !is_global_load(mapper, i) && !goes_with_load(mapper, i))
            mapper->ops[i].early = 0;
}

static struct mapper mapper_new(const struct gpu *gpu, const struct ptx_function *function)
{
    const size_t count = (size_t)function->instr_count + 1;
    struct mapper mapper = {
        .gpu = gpu,
        .function = function,
        .values = observer_allocate((size_t)function->register_count + 1, sizeof(struct value)),
        .ops = observer_allocate(count, sizeof(struct g80_op)),
        .fused = observer_allocate(count, sizeof(bool)),
        .has_shared_operand = observer_allocate(count, sizeof(bool)),
    };

    find_addresses(&mapper);
    find_operands(&mapper);
    for (int i = 0; i < function->instr_count; i++)
        mapper.fused[i] = fuses(&mapper, i);
    for (int i = 0; i < function->instr_count; i++)
        map_instruction(&mapper, i);
    move_loads_up(&mapper);
    for (int i = 0; i < function->instr_count; i++)
        if (mapper.has_shared_operand[i] && mapper.ops[i].clocks == gpu->issue_clocks)
            mapper.ops[i].clocks = (uint8_t)gpu->shared_operand_clocks;
    return mapper;
}

static void mapper_free(struct mapper *mapper)
{
    free(mapper->values);
    free(mapper->fused);
    free(mapper->has_shared_operand);
}

struct g80_op *g80_code(const struct gpu *gpu, const struct ptx_function *function)
{
    struct mapper mapper = mapper_new(gpu, function);

    mapper_free(&mapper);
    return mapper.ops;
}

/* Registers: how many the machine code needs for one of PTX. */
static int weight_of(const struct mapper *mapper, int reg)
{
    const struct value *value = &mapper->values[reg];
    const struct ptx_register *text = register_of(mapper, reg);

    if (text->type == PTX_PRED || value->is_operand)
        return 0;
    if (text->writes == 1 && mapper->ops[text->writer].kind == G80_FOLDED)
        return 0;
    return ptx_type_size(text->type) == 8 && !value->is_address ? 2 : 1;
}

int g80_registers(const struct gpu *gpu, const struct ptx_function *function)
{
    struct mapper mapper = mapper_new(gpu, function);
    int *weights = observer_allocate((size_t)function->register_count + 1, sizeof(*weights));

    for (int reg = 0; reg < function->register_count; reg++)
        weights[reg] = weight_of(&mapper, reg);
    const int most = ptx_most_alive(function, weights, NULL);
    free(weights);
    free(mapper.ops);
    mapper_free(&mapper);
    return most < 0 ? function->live_registers : most;
}
