/* SPDX-License-Identifier: MIT */
/* Small arrays in local memory that ptxas keeps in registers: rule 14 of cycle_code.c. */
#include "time/cycle_writer.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

/* What a register holds: no address of local memory, a fixed one, or a computed one. */
enum address { NO_ADDRESS, FIXED, COMPUTED };

/* The function's local memory, as one array. */
struct array {
    uint8_t *address; /* by register: enum address */
    bool *counted; /* by register: it is one of `addresses` */
    bool escapes; /* an address goes where nobody follows it */
    int addresses; /* registers with computed addresses, in loops */
    int zeros; /* so many of the lowest bits are 0 in each computed address */
};

/* The address of a load or store of local memory; NULL: it is none. */
static const struct ptx_operand *address_in(const struct ptx_instr *instr)
{
    if (instr->space != PTX_LOCAL || (instr->opcode != OP_LD && instr->opcode != OP_ST))
        return NULL;
    return &instr->operands[instr->opcode == OP_LD];
}

static bool is_local(const struct writer *writer, const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_SYMBOL &&
           writer->module->vars[operand->number].space == PTX_LOCAL;
}

/* The address that an instruction computes from the operands after its first one. */
static enum address sum_of(const struct writer *writer, const struct array *array,
                           const struct ptx_instr *instr)
{
    bool has_address = false, has_other = false;

    for (int k = 1; k < instr->operand_count; k++) {
        const struct ptx_operand *operand = &instr->operands[k];
        const enum address from = operand->kind == OPERAND_REGISTER
                                      ? (enum address)array->address[operand->number]
                                  : is_local(writer, operand) ? FIXED
                                                              : NO_ADDRESS;
        has_address |= from != NO_ADDRESS;
        has_other |= from == COMPUTED || (operand->kind == OPERAND_REGISTER && !from);
    }
    return !has_address ? NO_ADDRESS : has_other ? COMPUTED : FIXED;
}

/* Follow addresses through an instruction. Returns whether this was new. */
static bool follow(const struct writer *writer, struct array *array, const struct ptx_instr *instr)
{
    enum address sum = sum_of(writer, array, instr);
    const int to = register_at(instr, 0);

    if (!sum || instr->opcode == OP_SETP)
        return false;
    if (to < 0 || (instr->opcode != OP_MOV && instr->opcode != OP_ADD && instr->opcode != OP_MAD)) {
        array->escapes = true;
        return false;
    }
    if (writer->function->registers[to].writes > 1) /* as a loop goes on */
        sum = COMPUTED;
    const bool is_new = array->address[to] != sum;
    array->address[to] = (uint8_t)sum;
    return is_new;
}

static void mark_loops(const struct ptx_function *function, bool *in_loop)
{
    for (int i = 0; i < function->instr_count; i++) {
        const int target = function->instrs[i].target;
        if (isa_rows[function->instrs[i].opcode].cost == COST_JUMP && target >= 0 && target <= i)
            memset(&in_loop[target], true, (size_t)(i - target + 1));
    }
}

static enum address address_at(const struct array *array, const struct ptx_operand *operand)
{
    return operand->base == BASE_REGISTER ? (enum address)array->address[operand->number] : FIXED;
}

static void count_addresses(const struct writer *writer, struct array *array, const bool *in_loop)
{
    const struct ptx_function *function = writer->function;

    array->zeros = 64;
    for (int i = 0; i < function->instr_count; i++) {
        const struct ptx_operand *operand = address_in(&function->instrs[i]);
        if (!operand)
            continue;
        const enum address address = address_at(array, operand);
        array->escapes |= address == NO_ADDRESS;
        if (address != COMPUTED)
            continue;
        array->zeros = least(array->zeros, writer->known[operand->number].zeros);
        array->addresses += in_loop[i] && !array->counted[operand->number];
        array->counted[operand->number] |= in_loop[i];
    }
}

/* The number of elements, if ptxas keeps the array in registers; or 0. */
static int elements_of(const struct writer *writer, const struct array *array)
{
    /* Of 1254 small kernels, ptxas 13.0 did so up to 14 to 16 elements with one computed address in
     * a loop, 9 to 14 with two and 7 to 9 with more, however wide an element is; in a loop of a
     * loop up to 4 fewer; outside of loops up to 11 with eight addresses, and at least 40 with two.
     */
    static const size_t most[] = {16, 14, 10, 6};
    const size_t elements = writer->function->local_bytes >> least(array->zeros, 31);

    return !array->escapes && elements <= most[least(array->addresses, 3)] ? (int)elements : 0;
}

/* An access to each element is a comparison, and a predicated move of each word. */
static void take_moves(const struct writer *writer, const struct array *array, int elements)
{
    for (int i = 0; i < writer->function->instr_count; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        const struct ptx_operand *operand = address_in(instr);
        const int words = instr->vector * ((int)ptx_type_size(ptx_type_of(instr)) + 3) / 4;
        struct cycle_op *op = &writer->code->ops[i];
        if (!operand)
            continue;
        op->kind = address_at(array, operand) == FIXED ? CYCLE_FREE : CYCLE_UNIT;
        op->loads = op->moves = false;
        code_take_cost(op, cycle_choices(writer->gpu, elements * (words + 1)));
    }
}

void code_find_arrays(struct writer *writer)
{
    const struct ptx_function *function = writer->function;
    const size_t registers = (size_t)function->register_count + 1;
    struct array array = {0};

    if (!function->local_bytes)
        return;
    bool *in_loop = observer_allocate((size_t)function->instr_count + 1, 1);
    array.address = observer_allocate(registers, 1);
    array.counted = observer_allocate(registers, 1);
    mark_loops(function, in_loop);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < function->instr_count; i++)
            more |= follow(writer, &array, &function->instrs[i]);
    }
    count_addresses(writer, &array, in_loop);
    const int elements = elements_of(writer, &array);
    if (elements)
        take_moves(writer, &array, elements);
    free(array.counted);
    free(array.address);
    free(in_loop);
}
