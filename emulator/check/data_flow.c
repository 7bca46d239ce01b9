/* SPDX-License-Identifier: MIT */
#include "check/data_flow.h"

#include <stdlib.h>

#include "machine/observer_memory.h"
#include "ptx/tables.h"

/* Sets of a function's registers: one bool each. */

static bool has_operand(const bool *set, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return set[operand->number];
    case OPERAND_VECTOR:
        for (int i = 0; i < operand->count; i++)
            if (has_operand(set, &operand->elements[i]))
                return true;
        return false;
    default:
        return false;
    }
}

/* Add the registers that an operand writes; tells whether one is new. */
static bool add_operand(bool *set, const struct ptx_operand *operand)
{
    bool added = false;

    if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PAIR) {
        added = !set[operand->number];
        set[operand->number] = true;
    }
    for (int i = 0; operand->kind == OPERAND_VECTOR && i < operand->count; i++)
        added |= add_operand(set, &operand->elements[i]);
    return added;
}

static bool takes(const struct ptx_instr *instr, const bool *set)
{
    for (int i = 1; i < instr->operand_count; i++)
        if (has_operand(set, &instr->operands[i]))
            return true;
    return false;
}

/* The registers that the loaded value reaches. The caller frees them. */
static bool *reached_by(const struct ptx_function *function, const struct ptx_instr *load)
{
    bool *set = observer_allocate((size_t)function->register_count, sizeof(*set));
    bool added = add_operand(set, &load->operands[0]);

    while (added) {
        added = false;
        for (int i = 0; i < function->instr_count; i++) {
            const struct ptx_instr *instr = &function->instrs[i];
            if (writes_operand(instr, 0) && takes(instr, set))
                added |= add_operand(set, &instr->operands[0]);
        }
    }
    return set;
}

static bool compares(const struct ptx_instr *instr)
{
    const enum effect effect = ptx_effect_of(instr);

    return effect == EFFECT_COMPARES || effect == EFFECT_VOTES;
}

/* Does the instruction store a parameter or a result of a function? */
static bool hands_on(const struct ptx_instr *instr)
{
    return instr->opcode == OP_ST && instr->space == PTX_PARAM;
}

bool decides(const struct ptx_function *function, const struct ptx_instr *load)
{
    bool *set = reached_by(function, load);
    bool found = false;

    for (int i = 0; i < function->instr_count && !found; i++)
        found = (compares(&function->instrs[i]) || hands_on(&function->instrs[i])) &&
                takes(&function->instrs[i], set);
    free(set);
    return found;
}

static bool is_same_address(const struct ptx_instr *load, const struct ptx_instr *store)
{
    const struct ptx_operand *a = &load->operands[1], *b = &store->operands[0];

    return load->space == store->space && a->base == b->base && a->number == b->number &&
           a->offset == b->offset;
}

const struct ptx_instr *updated_by(const struct ptx_function *function,
                                   const struct ptx_instr *store)
{
    for (int i = (int)(store - function->instrs) - 1; i >= 0; i--) {
        const struct ptx_instr *load = &function->instrs[i];
        if (load->opcode != OP_LD || !is_same_address(load, store))
            continue;
        bool *set = reached_by(function, load);
        const bool found = takes(store, set);
        free(set);
        if (found)
            return load;
    }
    return NULL;
}
