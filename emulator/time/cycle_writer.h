/* SPDX-License-Identifier: MIT */
/* From PTX to the machine code of cycle_code.h, in parts: cycle_costs.c says what an instruction
 * costs, cycle_fold.c which instructions become part of another one, cycle_order.c in which order
 * they come. */
#ifndef CYCLE_WRITER_H
#define CYCLE_WRITER_H

#include "ptx/tables.h"
#include "time/cycle_code.h"

/* What is known of a register's value: how many of its lowest bits are 0, and how many bits it has
 * at most. */
struct known {
    uint8_t zeros, width;
};

/* What an instruction of logic depends on: the machine has one for any function of three. */
enum { INPUTS_MOST = 3 };
struct inputs {
    const struct ptx_operand *all[INPUTS_MOST];
    int count;
};

struct writer {
    const struct gpu *gpu;
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct cycle_code *code;
    struct known *known; /* by register */
    bool *varies; /* by register: its value may differ between the lanes of a warp */
    struct inputs *inputs; /* by index, of logic */
    bool *has_third; /* by index: it has taken a third operand already (rule 5) */
    int *words; /* by register: 32-bit registers that it takes in machine code */
    int *alive; /* by index: such words in use before the instruction */
    int room; /* words up to which loads move up (rule 8) */
    int *predicate; /* by index: the register that it is predicated by (rule 6); or -1 */
    uint32_t pool_count, pool_room; /* of the code's `registers` */
};

static inline bool is_integer_64(const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);

    return !ptx_type_is_float(type) && ptx_type_size(type) == 8;
}

static inline int register_at(const struct ptx_instr *instr, int operand)
{
    return operand < instr->operand_count && instr->operands[operand].kind == OPERAND_REGISTER
               ? instr->operands[operand].number
               : -1;
}

/* Costs: cycle_costs.c. */
struct cycle_op cycle_op_of(const struct gpu *gpu, const struct ptx_instr *instr);
/* A multiply-add that gives a 64-bit address. */
struct cycle_op cycle_wide_sum(const struct gpu *gpu);
/* The lower half of a product of 64-bit integers, of which the upper half of one or both is 0. */
struct cycle_op cycle_multiply_of(const struct gpu *gpu, bool narrow, bool other_narrow);
/* The moves of both halves of a 64-bit value, instead of what cost nothing. */
struct cycle_op cycle_moves(const struct gpu *gpu, struct cycle_op op);
/* What is left of a 64-bit operation if one half of its result is known. */
struct cycle_op cycle_half_of(struct cycle_op op, const struct gpu *gpu);
/* So many comparisons and predicated moves, which both kinds of integer units share. */
struct cycle_op cycle_choices(const struct gpu *gpu, int count);
/* A division whose reciprocal is known. */
struct cycle_op cycle_divide_alike(const struct gpu *gpu);

/* Known bits: cycle_known.c. Find them; then, for a 64-bit instruction, leave out what they make
 * unnecessary. */
void code_find_known(struct writer *writer);
void code_narrow(struct writer *writer, int index);

/* Rule 14: find accesses to arrays that are in registers. cycle_local.c. */
void code_find_arrays(struct writer *writer);

/* Folding: cycle_fold.c. */

void code_take_cost(struct cycle_op *op, struct cycle_op cost);

/* Rule 6: find the instructions that are predicated. */
void code_find_predicates(struct writer *writer);
bool code_is_predicated(const struct ptx_function *function, int index);
/* Note the registers that the instruction reads and writes as machine code. */
void code_note_registers(struct writer *writer, int index, struct cycle_op *op);
/* Put registers after those that the code's instructions name so far. */
void code_take_registers(struct writer *writer, const int *registers, int count);
/* Rule 1: fold addresses. */
void code_fold_addresses(struct writer *writer, int index);
/* Rule 5. Find the registers that may differ between the lanes of a warp, and the inputs of logic.
 * Then, for an instruction: merge it with the one that reads its result, or see whether it is an
 * atomic that is summed first or a division whose reciprocal is known. */
void code_find_varying(struct writer *writer);
void code_find_inputs(struct writer *writer);
void code_merge(struct writer *writer, int index);

/* Rule 8: find the words in use. cycle_alive.c. */
void code_find_alive(struct writer *writer);

/* Rule 11: join loads of shared memory to wider ones. cycle_join.c. */
void code_join_loads(struct writer *writer);

/* Rule 12: find what the instructions wait for the banks of the register file. */
void code_find_conflicts(const struct writer *writer, struct cycle_item *items, uint32_t count);

/* Order: cycle_order.c, rules 7 to 9. */
void code_order_blocks(struct writer *writer);

#endif
