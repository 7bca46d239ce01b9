/* SPDX-License-Identifier: MIT */
/* What becomes part of another instruction in machine code: rules 1, 2, 5 and 6 of cycle_code.c. */
#include "time/cycle_writer.h"

#include <stdlib.h>

#include "machine/observer_memory.h"
#include "ptx/flow.h"

enum { PREDICATED_MOST = 7 };

void code_take_registers(struct writer *writer, const int *registers, int count)
{
    struct cycle_code *code = writer->code;

    for (int i = 0; i < count; i++) {
        MAKE_ROOM(code->registers, writer->pool_count, writer->pool_room);
        code->registers[writer->pool_count++] = (uint32_t)registers[i];
    }
}

/* The register of a result; NULL: there is none. */
static const struct ptx_register *result_of(const struct writer *writer,
                                            const struct ptx_instr *instr)
{
    const int result = register_at(instr, 0);

    return result >= 0 ? &writer->function->registers[result] : NULL;
}

/* Rule 2: an atomic whose result is not read has none to wait for. */
static bool is_reduction(const struct writer *writer, const struct ptx_instr *instr)
{
    const struct ptx_register *result = result_of(writer, instr);

    return isa_rows[instr->opcode].cost == COST_UPDATE && result && result->reads == 0;
}

void code_note_registers(struct writer *writer, int index, struct cycle_op *op)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    const int *predicate = &writer->predicate[index],
              *written = instr->registers + instr->read_count;
    const bool is_predicated = *predicate >= 0, is_guarded = instr->guard >= 0;
    const bool reduces = is_reduction(writer, instr);
    const int write_count = reduces ? 0 : instr->write_count;

    op->registers = writer->pool_count;
    op->loads = op->loads && !reduces;
    code_take_registers(writer, predicate, is_predicated);
    code_take_registers(writer, instr->registers, is_guarded);
    code_take_registers(writer, written,
                        is_predicated ? write_count : 0); /* the old value may stay */
    code_take_registers(writer, instr->registers + is_guarded, instr->read_count - is_guarded);
    op->source_count = (uint8_t)(writer->pool_count - op->registers);
    code_take_registers(writer, written, write_count);
    op->result_count = (uint8_t)write_count;
}

void code_take_cost(struct cycle_op *op, struct cycle_op cost)
{
    op->unit = cost.unit;
    op->slots = cost.slots;
    op->busy = cost.busy;
    op->latency = cost.latency;
}

/* Rule 1: if all that a register is for is this sum, to which it brings an index that was widened
 * or scaled, the instruction that did this is free. Returns whether it is. */
static bool fold_index(struct writer *writer, int index, int reg)
{
    if (reg < 0 || writer->function->registers[reg].writes != 1 ||
        writer->function->registers[reg].reads != 1)
        return false;
    const int from = writer->function->registers[reg].writer;
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
    return (instr->opcode == OP_AND || instr->opcode == OP_OR || instr->opcode == OP_XOR ||
            instr->opcode == OP_NOT) &&
           ptx_type_size(ptx_type_of(instr)) == 4;
}

/* Add an operand to the inputs, unless it is one of them. Returns false if there is no room. */
static bool add_input(struct inputs *inputs, const struct ptx_operand *operand)
{
    int i = 0;

    while (i < inputs->count &&
           (inputs->all[i]->kind != operand->kind || inputs->all[i]->number != operand->number ||
            inputs->all[i]->bits != operand->bits))
        i++;
    if (i == INPUTS_MOST)
        return false;
    inputs->all[i] = operand;
    inputs->count += i == inputs->count;
    return true;
}

/* Rule 5: are all logic of `outer` and, in place of what it reads of that, of `inner` one
 * instruction? Then these are the inputs of `outer`. */
static bool joins_logic(struct writer *writer, int inner, int outer)
{
    const struct ptx_instr *instr = &writer->function->instrs[outer];
    const int value = register_at(&writer->function->instrs[inner], 0);
    struct inputs joined = {.count = 0};

    if (!is_logic(&writer->function->instrs[inner]) || !is_logic(instr))
        return false;
    const struct inputs *sets[] = {&writer->inputs[inner], &writer->inputs[outer]};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < sets[s]->count; i++)
            if ((s == 0 || sets[s]->all[i]->kind != OPERAND_REGISTER ||
                 sets[s]->all[i]->number != value) &&
                !add_input(&joined, sets[s]->all[i]))
                return false;
    writer->inputs[outer] = joined;
    return true;
}

/* Note what the instructions of logic read, each by itself. */
void code_find_inputs(struct writer *writer)
{
    for (int i = 0; i < writer->function->instr_count; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        for (int k = 1; k < instr->operand_count && is_logic(instr); k++)
            add_input(&writer->inputs[i], &instr->operands[k]);
    }
}

static bool is_word(const struct ptx_instr *instr)
{
    return !ptx_type_is_float(ptx_type_of(instr)) && ptx_type_size(ptx_type_of(instr)) == 4;
}

static bool is_sum(const struct ptx_instr *instr)
{
    return (instr->opcode == OP_ADD || instr->opcode == OP_SUB) &&
           !ptx_type_is_float(ptx_type_of(instr));
}

/* Are a product of floats and the sum or difference that it is for one multiply-add? Unless PTX
 * says how each of them is rounded. */
static bool contracts(const struct ptx_instr *inner, const struct ptx_instr *outer)
{
    return inner->opcode == OP_MUL && (outer->opcode == OP_ADD || outer->opcode == OP_SUB) &&
           ptx_type_is_float(ptx_type_of(inner)) && ptx_type_of(inner) == ptx_type_of(outer) &&
           !ptx_has(inner, MOD_RN) && !ptx_has(outer, MOD_RN);
}

/* Rule 5: does the machine do `inner` as part of `outer`? */
static bool merges(const struct ptx_instr *inner, const struct ptx_instr *outer)
{
    if (inner->guard >= 0 || outer->guard >= 0)
        return false;
    if (contracts(inner, outer))
        return true;
    if (outer->opcode == OP_MIN || outer->opcode == OP_MAX)
        return inner->opcode == OP_ADD && is_word(inner) && is_word(outer);
    if (!is_sum(outer) || ptx_type_size(ptx_type_of(outer)) != ptx_type_size(ptx_type_of(inner)))
        return false;
    if (inner->opcode == OP_SHL)
        return inner->operands[2].kind == OPERAND_IMMEDIATE;
    return is_sum(inner);
}

/* A product and the addition that reads it are one multiply-add: the addition is free. */
static bool adds_to_product(const struct ptx_instr *inner, const struct ptx_instr *outer)
{
    const size_t size = ptx_type_size(ptx_type_of(inner)) << ptx_has(inner, MOD_WIDE);

    return inner->opcode == OP_MUL && !ptx_type_is_float(ptx_type_of(inner)) &&
           !ptx_has(inner, MOD_HI) && outer->opcode == OP_ADD && inner->guard < 0 &&
           outer->guard < 0 && ptx_type_of(outer) != PTX_NONE &&
           ptx_type_size(ptx_type_of(outer)) == size;
}

/* A 64-bit product takes what it adds from two registers next to each other: halves of other
 * values, which cost nothing elsewhere, are moved there. */
static void move_halves(struct writer *writer, const struct ptx_instr *sum, int product)
{
    const int addend = register_at(sum, register_at(sum, 1) == product ? 2 : 1);

    if (!is_integer_64(sum) || addend < 0)
        return;
    const int from = writer->function->registers[addend].writer;
    const enum opcode opcode = writer->function->instrs[from].opcode;
    if (writer->code->ops[from].kind == CYCLE_FREE &&
        (opcode == OP_SHR || opcode == OP_AND || opcode == OP_CVT))
        writer->code->ops[from] = cycle_moves(writer->gpu, writer->code->ops[from]);
}

static void merge_inner(struct writer *writer, int index)
{
    const struct ptx_instr *inner = &writer->function->instrs[index];
    struct cycle_op *ops = writer->code->ops;
    const struct ptx_register *value = result_of(writer, inner);

    if (ops[index].kind != CYCLE_UNIT || !value)
        return;
    if (value->writes != 1 || value->reads != 1 || value->reader <= index ||
        writer->code->block_of[value->reader] != writer->code->block_of[index] ||
        ops[value->reader].kind != CYCLE_UNIT)
        return;
    const struct ptx_instr *outer = &writer->function->instrs[value->reader];
    if (inner->guard < 0 && outer->guard < 0 && joins_logic(writer, index, value->reader)) {
        ops[index].kind = CYCLE_FREE;
        return;
    }
    if (writer->has_third[value->reader])
        return;
    if (adds_to_product(inner, outer)) {
        ops[value->reader].kind = CYCLE_FREE;
        move_halves(writer, outer, register_at(inner, 0));
    } else if (merges(inner, outer)) {
        ops[index].kind = CYCLE_FREE;
        ops[value->reader].either = false;
    } else
        return;
    writer->has_third[value->reader] = true;
}

/* Rule 5: which registers may differ between the lanes of a warp. */
void code_find_varying(struct writer *writer)
{
    const struct ptx_function *function = writer->function;

    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < function->instr_count; i++) {
            const struct ptx_instr *instr = &function->instrs[i];
            const enum cost_class class = isa_rows[instr->opcode].cost;
            bool varies = (class == COST_LOAD && instr->space != PTX_PARAM) ||
                          class == COST_UPDATE || class == COST_FETCH || class == COST_EXCHANGE ||
                          instr->guard >= 0;
            for (int k = 1; k < instr->operand_count; k++)
                varies |= instr->operands[k].kind == OPERAND_SPECIAL &&
                          (instr->operands[k].number <= SREG_TID_Z ||
                           instr->operands[k].number >= SREG_LANEID);
            for (int k = 0; k < instr->read_count; k++)
                varies |= writer->varies[instr->registers[k]];
            for (int k = 0; varies && k < instr->write_count; k++) {
                bool *result = &writer->varies[instr->registers[instr->read_count + k]];
                more |= !*result;
                *result = true;
            }
        }
    }
}

static bool is_once_per_warp(const struct writer *writer, const struct ptx_instr *instr)
{
    const enum cost_class class = isa_rows[instr->opcode].cost;

    if ((class != COST_UPDATE && class != COST_REDUCTION) || !ptx_has(instr, MOD_ADD) ||
        ptx_type_is_float(ptx_type_of(instr)) || ptx_type_size(ptx_type_of(instr)) != 4)
        return false;
    for (int k = 0; k < instr->operand_count; k++)
        if (instr->operands[k].kind == OPERAND_ADDRESS)
            return instr->operands[k].base != BASE_REGISTER ||
                   !writer->varies[instr->operands[k].number];
    return false;
}

/* Rule 5: a divisor that a loop of one basic block does not change. */
static bool divides_alike(const struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    const struct cycle_block *block = &writer->code->blocks[writer->code->block_of[index]];
    const struct ptx_instr *last = &writer->function->instrs[block->end - 1];
    const int divisor = register_at(instr, 2);

    if (isa_rows[instr->opcode].cost != COST_DIVISION || divisor < 0 ||
        ptx_type_is_float(ptx_type_of(instr)) || ptx_type_size(ptx_type_of(instr)) != 4 ||
        last->opcode != OP_BRA || last->target != (int)block->first)
        return false;
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ptx_instr *other = &writer->function->instrs[i];
        for (int k = 0; k < other->write_count; k++)
            if (other->registers[other->read_count + k] == divisor)
                return false;
    }
    return true;
}

/* Where a warp may diverge, an instruction before the branch names the reconvergence point,
 * and one waits there for all lanes. */
static bool parts_lanes(const struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];

    return instr->opcode == OP_BRA && instr->guard >= 0 && instr->target > index &&
           instr->target < writer->function->instr_count &&
           writer->function->instrs[instr->target].opcode != OP_RET &&
           writer->varies[instr->guard] && writer->code->ops[index].kind == CYCLE_JUMP;
}

void code_merge(struct writer *writer, int index)
{
    struct cycle_op *op = &writer->code->ops[index];

    if (parts_lanes(writer, index))
        op->slots += 2;
    merge_inner(writer, index);
    op->once_per_warp = is_once_per_warp(writer, &writer->function->instrs[index]);
    if (divides_alike(writer, index))
        code_take_cost(op, cycle_divide_alike(writer->gpu));
}

void code_fold_addresses(struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    struct cycle_op *op = &writer->code->ops[index];
    const struct ptx_register *value = result_of(writer, instr);

    if (instr->opcode != OP_ADD || !value)
        return;
    if (instr->operands[2].kind == OPERAND_IMMEDIATE && value->writes == 1 &&
        value->reads == value->address_reads) {
        op->kind = CYCLE_FREE;
    } else if (is_integer_64(instr) && (fold_index(writer, index, register_at(instr, 1)) ||
                                        fold_index(writer, index, register_at(instr, 2)))) {
        code_take_cost(op, cycle_wide_sum(writer->gpu));
    }
}

/* Has what becomes of the instruction branches of its own? Divisions and roots that are exact have:
 * for tiny and huge numbers there is another way. */
static bool branches_itself(const struct ptx_instr *instr)
{
    const enum cost_class class = isa_rows[instr->opcode].cost;
    const enum ptx_type type = ptx_type_of(instr);

    return (class == COST_DIVISION || class == COST_ROOT || class == COST_INVERSE) &&
           !ptx_has(instr, MOD_APPROX) && !ptx_has(instr, MOD_FULL) &&
           (ptx_type_is_float(type) || ptx_type_size(type) == 8);
}

/* Rule 6: a branch over nothing but a few instructions that fall to where it goes. */
bool code_is_predicated(const struct ptx_function *function, int index)
{
    const struct ptx_instr *instr = &function->instrs[index];

    if (instr->opcode != OP_BRA || instr->guard < 0 || instr->target <= index ||
        instr->target - index - 1 > PREDICATED_MOST)
        return false;
    for (int i = index + 1; i < instr->target; i++) {
        const enum cost_class class = isa_rows[function->instrs[i].opcode].cost;
        if (class == COST_JUMP || class == COST_BARRIER || branches_itself(&function->instrs[i]) ||
            (i > index + 1 && function->instrs[i].leads))
            return false;
    }
    return true;
}

/* By index: how many branches go there. The caller's to free. */
static uint32_t *count_branches(const struct ptx_function *function)
{
    uint32_t *reached = observer_allocate((size_t)function->instr_count + 2, sizeof(*reached));

    for (int i = 0; i < function->instr_count; i++)
        for (int k = 0; k < jump_count(&function->instrs[i]); k++)
            reached[jump_target(&function->instrs[i], k)]++;
    return reached;
}

void code_find_predicates(struct writer *writer)
{
    const struct ptx_function *function = writer->function;
    uint32_t *reached = count_branches(function);

    for (int i = 0; i < function->instr_count; i++)
        writer->predicate[i] = -1;
    for (int i = 0; i < function->instr_count; i++) {
        const int target = function->instrs[i].target;
        /* Points of a warp's path are at the beginnings of blocks: none may vanish. */
        if (writer->code->reads_clock || !code_is_predicated(function, i) || reached[i + 1] > 0 ||
            reached[target] != 1)
            continue;
        for (int k = i + 1; k < target; k++)
            writer->predicate[k] = function->instrs[i].guard;
    }
    free(reached);
}
