/* SPDX-License-Identifier: MIT */
/* Slices of kernels (M. Weiser, "Program slicing", ICSE 1981), without regard to the order of
 * instructions: a register that is needed somewhere is needed wherever it is written.
 *
 * Kept are all that moves control, waits, or reaches global memory, and what gives these their
 * registers: addresses and guards, but not what is stored. What is loaded from memory is needed as
 * soon as its register is, and then so is what is stored to memory of that kind. */
#include "slice.h"

#include "access.h"
#include "compile/translation.h"
#include "execute/lanes.h"
#include "launch.h"
#include "shape.h"
#include "stretch.h"

#include <stdlib.h>
#include <string.h>

struct slicer {
    const struct code *code;
    bool strict; /* each address counts, not only those of global memory */
    bool *needed; /* by register */
    bool *kept; /* by instruction */
    bool carry, local; /* needed, too; local memory as a whole, shared memory as two: */
    bool floats, counts;
    bool signals; /* the same of what blocks tell each other: atomics, ordered loads and stores */
    bool data; /* and of what else is in global memory */
    bool changed;
};

static void need(struct slicer *slicer, bool *what)
{
    slicer->changed |= !*what;
    *what = true;
}

static void need_operand(struct slicer *slicer, const struct ptx_operand *operand)
{
    const bool named = operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PAIR ||
                       (operand->kind == OPERAND_ADDRESS && operand->base == BASE_REGISTER);

    if (named && operand->number >= 0)
        need(slicer, &slicer->needed[operand->number]);
    if (operand->kind == OPERAND_PAIR && operand->second >= 0)
        need(slicer, &slicer->needed[operand->second]);
    if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_ADDRESS)
        for (int i = 0; i < operand->count; i++)
            need_operand(slicer, &operand->elements[i]);
}

static void need_sources(struct slicer *slicer, const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->read_count; i++)
        need(slicer, &slicer->needed[instr->registers[i]]);
}

static bool has_needed_result(const struct slicer *slicer, const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->write_count; i++)
        if (slicer->needed[instr->registers[instr->read_count + i]])
            return true;
    return slicer->carry && ptx_has(instr, MOD_CC);
}

static bool is_in_block(const struct ptx_instr *instr)
{
    return instr->space == PTX_SHARED || instr->space == PTX_LOCAL || instr->space == PTX_CONST ||
           instr->space == PTX_PARAM;
}

/* Matrices are taken for floats, whatever they are moved as. */
static bool moves_floats(const struct ptx_instr *instr)
{
    return ptx_type_is_float(ptx_type_of(instr)) ||
           (instr->opcode != OP_LD && instr->opcode != OP_ST && instr->opcode != OP_ATOM &&
            instr->opcode != OP_RED);
}

/* Is what the instruction writes to shared or local memory needed there? */
static bool is_wanted(const struct slicer *slicer, const struct ptx_instr *instr)
{
    const bool shared = moves_floats(instr) ? slicer->floats : slicer->counts;

    return (instr->space != PTX_LOCAL && instr->space != PTX_GLOBAL && shared) ||
           (instr->space != PTX_SHARED && instr->space != PTX_GLOBAL && slicer->local);
}

/* Has the instruction to run, whatever becomes of its results? */
static bool must_run(const struct slicer *slicer, const struct op *op)
{
    const struct ptx_instr *instr = op->instr;

    switch (ptx_effect_of(instr)) {
    case EFFECT_LANEWISE:
    case EFFECT_COMPARES:
    case EFFECT_SELECTS:
        return !op->quiet;
    case EFFECT_SHUFFLES:
    case EFFECT_CROSSES:
    case EFFECT_MULTIPLIES:
    case EFFECT_ACCUMULATES:
    case EFFECT_VOTES:
    case EFFECT_FETCHES:
        return false;
    case EFFECT_LOADS:
        return slicer->strict || !is_in_block(instr);
    case EFFECT_STORES:
    case EFFECT_UPDATES:
        return slicer->strict || !is_in_block(instr) || ptx_has(instr, MOD_ASYNC) ||
               is_wanted(slicer, instr);
    default:
        return true;
    }
}

static void need_loaded(struct slicer *slicer, const struct op *op)
{
    const struct ptx_instr *instr = op->instr;
    const bool atomic = ptx_effect_of(instr) == EFFECT_UPDATES;

    if (ptx_effect_of(instr) == EFFECT_FETCHES)
        need(slicer, &slicer->data);
    else if (instr->space == PTX_SHARED)
        need(slicer, moves_floats(instr) ? &slicer->floats : &slicer->counts);
    else if (instr->space == PTX_LOCAL)
        need(slicer, &slicer->local);
    else if (!is_in_block(instr))
        need(slicer, atomic || op->ordered ? &slicer->signals : &slicer->data);
}

/* Is what a store or an atomic operation writes needed? Of memory that blocks signal by, only what
 * ordered operations write: a plain store there only sets it back to a known value. */
static bool needs_stored(const struct slicer *slicer, const struct op *op)
{
    const struct ptx_instr *instr = op->instr;
    const bool orders = op->ordered || ptx_effect_of(instr) == EFFECT_UPDATES;

    return slicer->data || is_wanted(slicer, instr) ||
           (slicer->signals && !is_in_block(instr) && orders);
}

static void need_of_write(struct slicer *slicer, const struct op *op, bool result)
{
    const struct ptx_instr *instr = op->instr;
    const bool updates = ptx_effect_of(instr) == EFFECT_UPDATES;

    if (instr->guard >= 0)
        need(slicer, &slicer->needed[instr->guard]);
    if (result || needs_stored(slicer, op)) {
        need_sources(slicer, instr);
        return;
    }
    for (int i = 0; i < instr->operand_count; i++)
        if (updates ? instr->operands[i].kind == OPERAND_ADDRESS : i != 1)
            need_operand(slicer, &instr->operands[i]);
}

static void visit(struct slicer *slicer, int at)
{
    const struct op *op = &slicer->code->ops[at];
    const struct ptx_instr *instr = op->instr;
    const enum effect effect = ptx_effect_of(instr);
    const bool result = has_needed_result(slicer, instr);

    if (!result && !must_run(slicer, op))
        return;
    need(slicer, &slicer->kept[at]);
    if (instr->opcode == OP_ADDC || instr->opcode == OP_SUBC || instr->opcode == OP_MADC)
        need(slicer, &slicer->carry);
    if (result && (effect == EFFECT_LOADS || effect == EFFECT_UPDATES || effect == EFFECT_FETCHES))
        need_loaded(slicer, op);
    if (effect == EFFECT_COPIES && slicer->floats && !ptx_is_mbarrier(instr))
        need(slicer, &slicer->data);
    if (effect == EFFECT_STORES || effect == EFFECT_UPDATES)
        need_of_write(slicer, op, result);
    else
        need_sources(slicer, instr);
}

/* Returns false without memory. The caller frees `needed` and `kept`. */
static bool find_kept(struct slicer *slicer)
{
    const struct code *code = slicer->code;

    slicer->needed = calloc((size_t)code->function->register_count + 1, sizeof(bool));
    slicer->kept = calloc((size_t)code->op_count + 1, sizeof(bool));
    for (slicer->changed = slicer->needed && slicer->kept; slicer->changed;) {
        slicer->changed = false;
        for (int i = code->op_count - 1; i >= 0; i--)
            visit(slicer, i);
    }
    return slicer->needed && slicer->kept;
}

static void slicer_stop(struct slicer *slicer)
{
    free(slicer->needed);
    free(slicer->kept);
}

/* Does any instruction depend on what only a run of the whole kernel knows? */
static bool is_opaque(const struct code *code)
{
    for (int i = 0; i < code->op_count; i++)
        if (code->ops[i].call || code->ops[i].stops == STEPPED_CLOCK)
            return true;
    return false;
}

/* Does what is in global memory decide where the kernel goes? */
static bool depends_on_data(const struct code *code)
{
    struct slicer slicer = {.code = code, .strict = true};
    const bool depends = !find_kept(&slicer) || slicer.data;

    slicer_stop(&slicer);
    return depends;
}

static bool leave_out(struct progress *progress)
{
    (void)progress;
    return true;
}

/* A request whose values nobody needs, and no memory need be there for. */
EXECUTOR(reach_load)
{
    struct addresses addresses;
    access_addresses(warp, op, lanes, ACCESS_LOAD, &addresses);
}

EXECUTOR(reach_store)
{
    struct addresses addresses;
    access_addresses(warp, op, lanes, ACCESS_STORE, &addresses);
}

/* A count in shared memory. */
EXECUTOR(load_count)
{
    const struct block *block = warp->block;
    const struct op *slice = warp->path->frame->code->ops;
    uint64_t addresses[WARP_SIZE];

    gather_addresses(warp, op, addresses);
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint64_t at = addresses[i];
        if (lanes >> i & 1 && at < block->shared_bytes && block->copied[at / COPIED_BYTES]) {
            warp_fault(warp, op->instr, i, FAULT_UNSUPPORTED, "no sample",
                       "what it reads came by a copy, and decides what the kernel does: run it "
                       "without --sample");
            return;
        }
    }
    block->launch->code->ops[op - slice].handler(warp, op, lanes);
}

static bool knows_stored(const struct slicer *slicer, const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->read_count; i++)
        if (!slicer->needed[instr->registers[i]])
            return false;
    return true;
}

/* How an instruction that is kept runs in a sliced block. */
static void choose_handler(const struct slicer *slicer, struct op *op)
{
    const struct ptx_instr *instr = op->instr;
    const bool loads = instr->opcode == OP_LD || instr->opcode == OP_LDU;
    const bool result = has_needed_result(slicer, instr);
    const bool plain = !op->ordered && !ptx_has(instr, MOD_ASYNC);

    if (loads && result && instr->space == PTX_SHARED) {
        op->handler = load_count;
        op->move = NULL;
    } else if (loads && !result && plain && !is_in_block(instr)) {
        op->handler = reach_load;
    } else if (instr->opcode == OP_ST && plain && !is_in_block(instr) &&
               !knows_stored(slicer, instr)) {
        op->handler = reach_store;
        op->move = NULL;
    }
}

/* An instruction that does nothing, and as many as follow it. */
static void drop(struct op *op, int count)
{
    op->handler = do_nothing;
    op->guard = -1;
    op->quiet = true;
    op->jumps = op->always = op->orders_blocks = op->copies = false;
    op->stops = STEPPED_LIMIT;
    op->request = 0;
    op->run_length = count;
    atomic_store(&op->run, count > 1 ? leave_out : NULL);
}

static struct code *make_slice(const struct slicer *slicer)
{
    const struct code *code = slicer->code;
    struct code *slice = malloc(sizeof *slice);
    const size_t bytes = ((size_t)code->op_count + 1) * sizeof *code->ops;

    if (!slice)
        return NULL;
    *slice = *code;
    slice->translation = NULL;
    slice->ops = malloc(bytes);
    if (!slice->ops) {
        free(slice);
        return NULL;
    }
    memcpy(slice->ops, code->ops, bytes);
    for (int i = code->op_count - 1, count = 0; i >= 0; i--) {
        count = slicer->kept[i] ? 0 : count + 1;
        if (count)
            drop(&slice->ops[i], count);
        else
            choose_handler(slicer, &slice->ops[i]);
    }
    stretch_mark_code(slice);
    return slice;
}

static void slice_kernel(struct code *code)
{
    struct slicer slicer = {.code = code};

    if (find_kept(&slicer) && !slicer.data)
        code->slice = make_slice(&slicer);
    slicer_stop(&slicer);
}

void slice_program(struct program *program)
{
    for (int i = 0; i < program->kernel_count; i++) {
        const struct kernel *kernel = &program->kernels[i];
        if (!kernel->info.failure && (is_opaque(kernel->code) || depends_on_data(kernel->code)))
            return;
    }
    for (int i = 0; i < program->kernel_count; i++)
        if (!program->kernels[i].info.failure)
            slice_kernel(program->kernels[i].code);
}

void slice_free(struct code *slice)
{
    if (!slice)
        return;
    translation_free(slice->translation);
    free(slice->ops);
    free(slice);
}
