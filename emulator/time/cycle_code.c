/* SPDX-License-Identifier: MIT */
/* The rules by which PTX stands for today's machine code: an estimate of what ptxas makes of it.
 *
 *  1. Addresses are folded. What a register holds plus a constant is part of a load or a store, and
 *     costs nothing where nothing else reads it. An index that is widened or shifted and then added
 *     to a base is one multiply-add.
 *  2. These cost nothing: parameters, constants, block sizes; moves between registers; words of
 *     constant memory at a known address, which are operands; the sign of a float; conversions
 *     between address spaces, and between integers of 32 and 64 bits. An atomic whose result is not
 *     read is a reduction, and has no result to wait for.
 *  3. 64-bit integers take an instruction for each half, products four, divisions many. A half that
 *     is known to be 0, to stay as it is, or to be another half takes none; a product of two lower
 *     halves is one instruction. What such a product adds is moved to neighbouring registers.
 *  4. A division, a square root or a sine is as many instructions as nvcc 13 makes of it, with the
 *     latency measured for the whole sequence. A 64-bit division is called: what comes after it
 *     waits for its end.
 *  5. An instruction takes three operands, so two PTX instructions are one if the inner result is
 *     read nowhere else: a sum of a sum, a sum of something shifted by a constant, a sum of a
 *     product (of floats, unless PTX says how each is rounded), the smaller or larger one of a sum
 *     and something; and all logic of three inputs is one. A sum of two may run where products do.
 *     Where a loop divides by a number that does not change in it, the reciprocal is computed
 *     before the loop. Atomic additions whose address depends on parameters and block numbers alone
 *     are summed within the warp first.
 *  6. A branch over a few instructions does not exist: they are predicated, and belong to the basic
 *     block of the branch. If no other branch leads to what follows them, that block goes on
 *     there. Around any other branch forward at which lanes may part, two instructions see to it
 *     that they meet again. An exact division or root has branches itself: it stays after one.
 *  7. A loop of one basic block that counts by a constant, and that PTX does not mark "nounroll",
 *     is unrolled: CYCLE_UNROLL copies at a time. Each copy has its own registers for what it
 *     writes before it reads it; the counter is part of the addresses.
 *  8. A load moves up in its basic block, past FAR instructions at most, one of shared memory past
 *     NEAR, and so do instructions that compute its address or decide the branch at the end. They
 *     stop below an instruction that writes what they read, reads what they write, or changes
 *     memory that they may read; a load also below a store that is more than PAST_STORE
 *     instructions before it. Loads keep their order, but those of device memory pass those of
 *     shared memory. volatile ones do not move. At most LOADS_AHEAD loads of a kind gather before
 *     an instruction, and only as many as leave room for all warps of a full SM, unless the
 *     kernel needs more registers than that anyway.
 *  9. Where an instruction would wait for what it reads, a later one that need not goes first: the
 *     one of the next AHEAD that can be issued first. Accesses to memory keep the order of rule 8,
 *     copies of a loop are not mixed, and nothing moves down past a barrier.
 *  10. Functions are not inlined: a call is a jump there and one back, and an instruction for each
 *     store of a parameter or result.
 *  11. Loads of neighbouring words of shared memory are one load of 8 or 16 bytes, of constants one
 *     of 8, if nothing is stored in between, and if what is known of the address says that it is
 *     aligned.
 *  12. The register file has two banks. Of three registers two are in one, and take turns; but a
 *     register that the instruction before it read is still there.
 *  13. A constant at a computed address that is the same in all lanes goes to a uniform register,
 *     if each instruction that reads it is arithmetic and has no number for another operand: only
 *     one of three operands may be either. Parameters and sizes of blocks and grids come the same
 *     way, when a warp begins.
 *  14. A small array in local memory is in registers. An access to a computed element of it is as
 *     many comparisons as there are elements, and as many predicated moves for each word. How small
 *     it must be depends on how many computed addresses are in loops.
 *
 * Not estimated: common expressions, registers spilled, loops unrolled by other factors.
 */
#include "time/cycle_writer.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

/* Is the instruction the first of a block? Not where predicated instructions begin or end. */
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

/* Parameters are constants from 0x210 on, and sizes of blocks and grids from 0 on: so it is in
 * machine code for compute capability 9.0. */
static uint32_t count_start_lines(const struct ptx_function *function)
{
    enum { FIRST = 0x210 };
    const size_t last = FIRST + function->param_bytes - 1;
    const bool sizes = ptx_reads_special(function, SREG_NTID_X, SREG_NTID_Z) ||
                       ptx_reads_special(function, SREG_NCTAID_X, SREG_NCTAID_Z);

    return sizes + (function->param_bytes
                        ? (uint32_t)(last / CONSTANT_LINE_BYTES - FIRST / CONSTANT_LINE_BYTES + 1)
                        : 0);
}

bool cycle_is_at_barrier(const struct ptx_instr *instr)
{
    return ptx_is_mbarrier(instr) ||
           (instr->opcode == OP_CP && ptx_has(instr, MOD_BULK) && !ptx_is_bulk_store(instr)) ||
           (instr->opcode == OP_ST && ptx_has(instr, MOD_ASYNC));
}

/* An atomic with a result, or a strong load. */
static bool sees_others(const struct ptx_instr *instr)
{
    return instr->opcode == OP_ATOM || (instr->opcode == OP_LD && ptx_is_strong(instr));
}

/* Does it read the clock, or a function of its module that it may call? */
static bool may_read_clock(const struct ptx_module *module, const struct ptx_function *function)
{
    bool reads = ptx_reads_clock(function);

    for (int i = 0; i < module->function_count && !reads; i++)
        reads = !module->functions[i].is_entry && ptx_reads_clock(&module->functions[i]);
    return reads;
}

/* Translate the instructions, each by itself first. */
static void write_ops(struct writer *writer)
{
    const struct ptx_function *function = writer->function;
    struct cycle_op *ops = writer->code->ops;

    for (int i = 0; i < function->instr_count; i++) {
        ops[i] = cycle_op_of(writer->gpu, &function->instrs[i]);
        writer->code->has_phases |= cycle_is_at_barrier(&function->instrs[i]);
        writer->code->sees_others |= sees_others(&function->instrs[i]);
        writer->code->calls |= function->instrs[i].opcode == OP_CALL;
        code_note_registers(writer, i, &ops[i]);
        code_fold_addresses(writer, i);
        if (code_is_predicated(function, i))
            ops[i].kind = CYCLE_FREE;
    }
    code_find_varying(writer);
    code_find_inputs(writer);
    code_find_known(writer);
    code_find_arrays(writer);
    for (int i = 0; i < function->instr_count; i++)
        code_narrow(writer, i);
    for (int i = 0; i < function->instr_count; i++)
        code_merge(writer, i);
    code_join_loads(writer);
}

static struct cycle_code *write_code(const struct gpu *gpu, const struct ptx_module *module,
                                     const struct ptx_function *function)
{
    const size_t count = (size_t)function->instr_count + 1;
    const size_t registers = (size_t)function->register_count + 1;
    struct writer writer = {.gpu = gpu, .module = module, .function = function};
    struct cycle_code *code = observer_allocate(1, sizeof(*code));

    writer.code = code;
    code->function = function;
    code->reads_clock = may_read_clock(module, function);
    code->start_lines = count_start_lines(function);
    code->functions = observer_allocate(1, sizeof(*code->functions));
    code->functions[code->function_count++] =
        (struct cycle_function){function->instrs, (uint32_t)function->instr_count, 0};
    code->op_count = (uint32_t)function->instr_count;
    code->register_count = (uint32_t)function->register_count;
    code->ops = observer_allocate(count, sizeof(*code->ops));
    code->block_of = observer_allocate(count, sizeof(*code->block_of));
    MAKE_ROOM(code->registers, writer.pool_count, writer.pool_room); /* some, even for none */
    code->carried = observer_allocate(registers, 1);
    writer.known = observer_allocate(registers, sizeof(*writer.known));
    writer.varies = observer_allocate(registers, sizeof(*writer.varies));
    writer.words = observer_allocate(registers, sizeof(*writer.words));
    writer.alive = observer_allocate(count, sizeof(*writer.alive));
    writer.inputs = observer_allocate(count, sizeof(*writer.inputs));
    writer.has_third = observer_allocate(count, 1);
    writer.predicate = observer_allocate(count, sizeof(*writer.predicate));
    code_find_predicates(&writer);
    make_blocks(&writer);
    write_ops(&writer);
    code_order_blocks(&writer);
    code->pool_count = writer.pool_count;
    free(writer.predicate);
    free(writer.has_third);
    free(writer.inputs);
    free(writer.alive);
    free(writer.words);
    free(writer.varies);
    free(writer.known);
    return code;
}

static void free_code(struct cycle_code *code)
{
    for (uint32_t b = 0; b < code->block_count; b++) {
        free(code->blocks[b].items);
        free(code->blocks[b].unrolled);
    }
    free(code->blocks);
    free(code->ops);
    free(code->registers);
    free(code->block_of);
    free(code->carried);
    free(code->functions);
    free(code);
}

static void shift_items(struct cycle_item *items, uint32_t count, uint32_t by)
{
    for (uint32_t i = 0; i < count; i++)
        items[i].index += by;
}

/* Append `more` to the first `count` elements of `all`, and free it. */
static void *join(void *all, uint32_t count, void *more, uint32_t more_count, size_t size)
{
    all = observer_grow(all, (size_t)count + more_count + 1, size);
    memcpy((char *)all + count * size, more, more_count * size);
    free(more);
    return all;
}

/* Append the code of another function. */
static void add_code(struct cycle_code *code, struct cycle_code *more)
{
    more->functions[0].first = code->op_count;
    for (uint32_t i = 0; i < more->op_count; i++) {
        more->ops[i].registers += code->pool_count;
        more->block_of[i] += code->block_count;
    }
    for (uint32_t i = 0; i < more->pool_count; i++)
        more->registers[i] += code->register_count;
    for (uint32_t b = 0; b < more->block_count; b++) {
        struct cycle_block *block = &more->blocks[b];
        block->first += code->op_count;
        block->end += code->op_count;
        shift_items(block->items, block->item_count, code->op_count);
        shift_items(block->unrolled, block->unrolled_count, code->op_count);
        block->address += code->length;
        block->unrolled_address += code->length;
    }
#define JOIN(items, count) \
    code->items = join(code->items, code->count, more->items, more->count, sizeof(*code->items))
    JOIN(functions, function_count);
    JOIN(ops, op_count);
    JOIN(block_of, op_count);
    JOIN(registers, pool_count);
    JOIN(carried, register_count);
    JOIN(blocks, block_count);
#undef JOIN
    code->function_count++;
    code->op_count += more->op_count;
    code->register_count += more->register_count;
    code->pool_count += more->pool_count;
    code->block_count += more->block_count;
    code->length += more->length;
    code->longest = more->longest > code->longest ? more->longest : code->longest;
    code->has_phases |= more->has_phases;
    code->sees_others |= more->sees_others;
    free(more);
}

static struct cycle_code *new_code(const struct gpu *gpu, const struct ptx_module *module,
                                   const struct ptx_function *function)
{
    struct cycle_code *code = write_code(gpu, module, function);

    for (int i = 0; code->calls && i < module->function_count; i++)
        if (!module->functions[i].is_entry && module->functions[i].instr_count)
            add_code(code, write_code(gpu, module, &module->functions[i]));
    return code;
}

/* A module may be unloaded and another one loaded at the same address: this tells them apart. */
static uint64_t digest_of(const struct ptx_module *module, const struct ptx_function *function)
{
    uint64_t digest = (uint64_t)function->instr_count;

    for (int i = 0; i < module->function_count; i++)
        digest = digest * 31 + (uintptr_t)module->functions[i].instrs;

    for (int i = 0; i < function->instr_count; i++)
        digest = digest * 31 + (uint64_t)function->instrs[i].opcode +
                 (uintptr_t)function->instrs[i].takes;
    return digest;
}

const struct cycle_code *cycle_code_of(struct cycle_codes *codes, const struct gpu *gpu,
                                       const struct ptx_module *module,
                                       const struct ptx_function *function)
{
    const uint64_t digest = digest_of(module, function);
    size_t at = 0;

    while (at < codes->count && codes->all[at]->function != function)
        at++;
    if (at < codes->count && codes->all[at]->digest == digest)
        return codes->all[at];
    if (at < codes->count)
        free_code(codes->all[at]);
    else
        codes->all = observer_grow(codes->all, ++codes->count, sizeof(struct cycle_code *));
    codes->all[at] = new_code(gpu, module, function);
    codes->all[at]->digest = digest;
    return codes->all[at];
}

void cycle_codes_free(struct cycle_codes *codes)
{
    for (size_t i = 0; i < codes->count; i++)
        free_code(codes->all[i]);
    free(codes->all);
}
