/* SPDX-License-Identifier: MIT */
/* From instructions to ops: operands become slots, opcodes become executors. */
#include "bind.h"
#include "launch.h"
#include "ptx/flow.h"
#include "steady.h"

#include <stdlib.h>

enum { POOL_ALIGN = 64 };

void bind_refuse(struct binder *binder, const char *why)
{
    if (binder->failed)
        return;
    binder->failed = true;
    char where[160];
    ptx_where(binder->program->module, binder->instr, false, where, sizeof where);
    snprintf(binder->error, binder->error_size, "%s: %s: '%s'", where,
             why ? why : "the emulator has no such form of the instruction", binder->instr->whole);
}

static const struct ptx_operand *operand_at(struct binder *binder, int i)
{
    static const struct ptx_operand missing = {.kind = OPERAND_SINK};
    if (i < binder->instr->operand_count)
        return &binder->instr->operands[i];
    bind_refuse(binder, "an operand is missing");
    return &missing;
}

static struct slot register_slot(struct binder *binder, int number)
{
    const struct ptx_register *reg = &binder->code->function->registers[number];
    if (reg->type == PTX_PRED)
        return (struct slot){
            .offset = reg->slot * 4, .file = FILE_PREDICATES, .present = true, .width = 0};
    return (struct slot){.offset = reg->slot,
                         .file = FILE_REGISTERS,
                         .bytes = (uint8_t)lane_bytes(reg->type),
                         .width = (uint8_t)ptx_type_size(reg->type),
                         .present = true};
}

/* The constant as a broadcast value of the pool: 4 or 8 bytes a lane, 0 for a mask. */
static struct slot constant(struct binder *binder, uint64_t bits, size_t bytes)
{
    struct code *code = binder->code;
    const size_t length = WARP_SIZE * (bytes ? bytes : 4);
    if (code->pool_used + length > code->pool_size) {
        const size_t size = 2 * (code->pool_size + length);
        char *pool = aligned_alloc(POOL_ALIGN, round_up(size, POOL_ALIGN));
        if (!pool) {
            bind_refuse(binder, "no memory");
            return (struct slot){.file = FILE_POOL};
        }
        if (code->pool_used)
            memcpy(pool, code->pool, code->pool_used);
        free(code->pool);
        code->pool = pool;
        code->pool_size = size;
    }
    const struct slot slot = {.offset = (uint32_t)code->pool_used,
                              .file = FILE_POOL,
                              .bytes = (uint8_t)bytes,
                              .width = (uint8_t)bytes,
                              .present = true};
    for (int i = 0; i < WARP_SIZE; i++)
        if (bytes == 8)
            ((lane_u64 *)(code->pool + slot.offset))[i] = bits;
        else
            ((lane_u32 *)(code->pool + slot.offset))[i] = (uint32_t)bits;
    code->pool_used += length;
    return slot;
}

static struct slot special_slot(struct binder *binder, int sreg, size_t bytes)
{
    if (sreg >= SREG_FIRST_VOLATILE)
        bind_refuse(binder, "only mov reads this special register");
    if (bytes == 8 && sreg != SREG_GRIDID)
        bind_refuse(binder, "the special register has 32 bits");
    binder->code->specials |= UINT64_C(1) << sreg;
    if (sreg >= SREG_CLUSTERID_X && sreg <= SREG_CLUSTER_NCTARANK) {
        binder->program->clusters = true;
        if (binder->machine->gpu.major < 9)
            bind_refuse(binder, "the special register needs compute capability 9.0");
    }
    return (struct slot){.offset = special_offset(sreg, bytes == 8),
                         .file = FILE_SPECIALS,
                         .bytes = (uint8_t)bytes,
                         .width = (uint8_t)bytes,
                         .present = true};
}

uint64_t bind_symbol(struct binder *binder, int number, enum relative *relative)
{
    const struct ptx_var *var = &binder->program->module->vars[number];
    *relative = RELATIVE_NONE;
    switch (var->space) {
    case PTX_GLOBAL:
    case PTX_CONST:
        return binder->program->variables[number]->address;
    case PTX_LOCAL:
        *relative = RELATIVE_LOCAL;
        return var->offset;
    case PTX_SHARED:
        if (!var->is_extern)
            return var->offset;
        *relative = RELATIVE_DYNAMIC_SHARED;
        return 0;
    case PTX_PARAM:
        return var->offset;
    default:
        bind_refuse(binder, "the address of such a variable is not known");
        return 0;
    }
}

static struct slot symbol_slot(struct binder *binder, const struct ptx_operand *operand,
                               size_t bytes)
{
    enum relative relative;
    const uint64_t address =
        bind_symbol(binder, operand->number, &relative) + (uint64_t)operand->offset;
    if (relative == RELATIVE_DYNAMIC_SHARED && binder->code->function->is_entry)
        return constant(binder, binder->code->function->dynamic_shared_offset + address, bytes);
    if (relative != RELATIVE_NONE && !binder->code->function->is_entry)
        bind_refuse(binder, "only mov takes this variable's address in a function");
    return constant(binder, address, bytes);
}

void bind_element(struct binder *binder, struct slot *slot, const struct ptx_operand *operand,
                  size_t bytes, bool destination)
{
    *slot = (struct slot){.bytes = (uint8_t)bytes};
    if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PAIR)
        *slot = operand->number < 0 ? (struct slot){.bytes = (uint8_t)bytes}
                                    : register_slot(binder, operand->number);
    else if (operand->kind == OPERAND_SINK && destination)
        return;
    else if (destination)
        bind_refuse(binder, "the destination is not a register");
    else if (operand->kind == OPERAND_IMMEDIATE)
        *slot = constant(binder, operand->bits, bytes);
    else if (operand->kind == OPERAND_SPECIAL)
        *slot = special_slot(binder, operand->number, bytes);
    else if (operand->kind == OPERAND_SYMBOL)
        *slot = symbol_slot(binder, operand, bytes);
    else
        bind_refuse(binder, "an operand is of the wrong kind");
    if (slot->present && slot->bytes != bytes)
        bind_refuse(binder, "an operand is of the wrong width");
    slot->negated = operand->negated && bytes == 0;
}

/* Give a result that nobody wants a slot to go to. */
static void ensure_slot(struct slot *slot, size_t bytes)
{
    if (slot->present)
        return;
    *slot = (struct slot){.offset = SPECIALS_SINK,
                          .file = FILE_SPECIALS,
                          .bytes = (uint8_t)bytes,
                          .width = (uint8_t)bytes,
                          .present = true};
}

void bind_destination(struct binder *binder, struct slot *slot, int i, size_t bytes)
{
    bind_element(binder, slot, operand_at(binder, i), bytes, true);
    ensure_slot(slot, bytes);
}

void bind_source(struct binder *binder, struct slot *slot, int i, size_t bytes)
{
    bind_element(binder, slot, operand_at(binder, i), bytes, false);
}

/* One operand, a register of `bytes` or wider. */
static void bind_wider(struct binder *binder, struct slot *slot, const struct ptx_operand *operand,
                       size_t bytes, bool destination)
{
    if (operand->kind != OPERAND_REGISTER) {
        bind_element(binder, slot, operand, bytes > 4 ? 8 : 4, destination);
        return;
    }
    *slot = register_slot(binder, operand->number);
    if (slot->width < bytes)
        bind_refuse(binder, "a register is too narrow");
}

void bind_vector(struct binder *binder, struct slot *slots, const struct ptx_operand *vector,
                 size_t bytes, bool destination)
{
    for (int i = 0; i < vector->count; i++)
        bind_wider(binder, &slots[i], &vector->elements[i], bytes, destination);
}

void bind_elements(struct binder *binder, const struct ptx_operand *vector, size_t bytes,
                   bool destination)
{
    struct op *op = binder->op;
    op->elements = calloc((size_t)vector->count, sizeof *op->elements);
    if (op->elements)
        bind_vector(binder, op->elements, vector, bytes, destination);
    else
        bind_refuse(binder, "no memory");
}

/* A result or a source that is no address. */
static void bind_value(struct binder *binder, struct slot *slot, int i)
{
    const struct isa_operand *takes = &binder->instr->takes->items[i];
    const struct ptx_operand *operand = &binder->instr->operands[i];
    const size_t bytes = takes->type == PTX_PRED ? 0 : lane_bytes(takes->type);
    if (takes->widens)
        bind_wider(binder, slot, operand, ptx_type_size(takes->type), isa_writes(takes));
    else if (isa_writes(takes))
        bind_destination(binder, slot, i, bytes);
    else if (bytes == 0 && operand->kind == OPERAND_IMMEDIATE)
        *slot = constant(binder, operand->bits ? UINT32_MAX : 0, 0);
    else
        bind_source(binder, slot, i, bytes);
}

void bind_operands(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    struct slot *sources[] = {&op->a, &op->b, &op->c, &op->e}, **source = sources;
    for (int i = 0; i < instr->operand_count; i++) {
        const struct ptx_operand *operand = &instr->operands[i];
        const char letter = instr->takes->items[i].letter;
        if (letter == 'm') {
            bind_address(binder, i);
            source++;
        } else if (isa_writes(&instr->takes->items[i]) && operand->kind != OPERAND_VECTOR) {
            bind_value(binder, &op->d, i);
            if (operand->kind == OPERAND_PAIR && operand->second >= 0)
                op->d2 = register_slot(binder, operand->second);
        } else if (strchr("apqrxyS", letter)) {
            bind_value(binder, *source++, i);
        }
    }
}

/* Is the variable among the parameters the kernel was launched with? */
static bool is_kernel_param(const struct binder *binder, int number)
{
    const struct ptx_function *function = binder->code->function;
    const ptrdiff_t at = &binder->program->module->vars[number] - function->params;
    return function->is_entry && at >= 0 && at < function->param_count;
}

void bind_address(struct binder *binder, int i)
{
    const struct ptx_operand *operand = operand_at(binder, i);
    struct op *op = binder->op;
    op->offset = operand->offset;
    op->address = ADDRESS_CONSTANT;
    if (operand->kind != OPERAND_ADDRESS) {
        bind_refuse(binder, "an address is missing");
    } else if (operand->base == BASE_SYMBOL) {
        op->offset = (int64_t)((uint64_t)operand->offset +
                               bind_symbol(binder, operand->number, &op->relative));
        op->frame_param = op->space == PTX_PARAM && !is_kernel_param(binder, operand->number);
    } else if (operand->base == BASE_REGISTER) {
        op->pointer = register_slot(binder, operand->number);
        op->address = op->pointer.bytes == 8 ? ADDRESS_64 : ADDRESS_32;
        op->frame_param = !binder->code->function->is_entry;
        if (op->pointer.bytes == 0)
            bind_refuse(binder, "a predicate is no address");
    }
}

static void bind_instruction(struct binder *binder)
{
    typedef void family(struct binder *);
    static family *const families[OPCODE_COUNT] = {
#define INSTRUCTION(id, text, family, ...) [OP_##id] = bind_##family,
#include "isa/instructions.def"
#undef INSTRUCTION
    };
    const struct ptx_instr *instr = binder->instr;
    const struct gpu *gpu = &binder->machine->gpu;
    const int needed = instr->since;
    if (needed > gpu->major * 10 + gpu->minor) {
        char why[128];
        snprintf(why, sizeof why, "needs compute capability %d.%d, the GPU has %d.%d", needed / 10,
                 needed % 10, gpu->major, gpu->minor);
        bind_refuse(binder, why);
        return;
    }
    binder->op->instr = instr;
    binder->op->guard = -1;
    if (instr->guard >= 0) {
        binder->op->guard = (int)binder->code->function->registers[instr->guard].slot;
        binder->op->guard_flip = instr->guard_negated ? UINT32_MAX : 0;
    }
    family *const bind = families[instr->opcode];
    bind(binder);
    binder->op->jumps = bind == bind_control;
    binder->op->quiet = bind == bind_arithmetic || bind == bind_bits || bind == bind_video ||
                        bind == bind_compare || bind == bind_move;
    if (!binder->failed && !binder->op->handler)
        bind_refuse(binder, NULL);
}

/* What a stepped warp stops before. */
static enum stepped_stop stop_of(const struct op *op)
{
    const struct ptx_instr *instr = op->instr;
    if (!instr)
        return STEPPED_LIMIT;
    for (int i = 0; i < instr->operand_count; i++)
        if (instr->operands[i].kind == OPERAND_SPECIAL &&
            instr->operands[i].number >= SREG_FIRST_VOLATILE)
            return STEPPED_CLOCK;
    if (instr->space == PTX_SHARED || instr->space == PTX_LOCAL)
        return STEPPED_LIMIT;
    const bool atomic = ptx_effect_of(instr) == EFFECT_UPDATES;
    return atomic || op->ordered ? STEPPED_ORDERED : STEPPED_LIMIT;
}

/* Is memory the same afterwards, whichever block goes first? */
static bool commutes(const struct ptx_instr *instr)
{
    const enum ptx_type type = ptx_type_of(instr);
    if (ptx_has(instr, MOD_ADD))
        return type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
    return ptx_has(instr, MOD_AND) || ptx_has(instr, MOD_OR) || ptx_has(instr, MOD_XOR) ||
           ptx_has(instr, MOD_MIN) || ptx_has(instr, MOD_MAX);
}

/* Does it read what other blocks write meanwhile? */
static bool reads_others(const struct op *op, const struct ptx_register *registers)
{
    const struct ptx_instr *instr = op->instr;
    if (op->stops != STEPPED_ORDERED || instr->opcode == OP_ST || instr->opcode == OP_RED ||
        instr->opcode == OP_CP)
        return false;
    const struct ptx_operand *result = &instr->operands[0];
    return instr->opcode != OP_ATOM || result->kind != OPERAND_REGISTER ||
           registers[result->number].reads > 0;
}

/* Could the program tell whether this ran before or after an operation of another block? `seen`:
 * does the kernel read what other blocks write? */
static bool orders_blocks(const struct op *op, bool seen)
{
    if (op->call)
        return call_orders_blocks(op);
    if (op->stops != STEPPED_ORDERED)
        return false;
    const bool atomic = ptx_effect_of(op->instr) == EFFECT_UPDATES;
    return seen || !atomic || !commutes(op->instr);
}

/* Which operations the called functions have, and so the kernels that may call them. */
struct block_orders {
    bool any_reads; /* some function or kernel reads what others write */
    bool functions_read, functions_order;
};

static bool calls(const struct code *code)
{
    for (int i = 0; i < code->op_count; i++)
        if (code->ops[i].call && !call_orders_blocks(&code->ops[i]))
            return true;
    return false;
}

/* An operation may be a wait for other blocks if it reads, and a path may come to it again, in a
 * loop or by another call of the function. */
static void find_reading(struct code *code, struct block_orders *all)
{
    int back = code->function->is_entry ? code->op_count : 0;
    for (int i = code->op_count - 1; i >= 0; i--) {
        const struct ptx_instr *instr = &code->function->instrs[i];
        struct op *op = &code->ops[i];
        const bool reads = reads_others(op, code->function->registers);
        for (int j = 0; j < jump_count(instr); j++)
            back = jump_target(instr, j) < back ? jump_target(instr, j) : back;
        op->may_poll = back <= i && (op->call || reads);
        code->reads_others |= reads;
    }
    all->any_reads |= code->reads_others;
    all->functions_read |= code->reads_others && !code->function->is_entry;
}

static void find_ordering(struct code *code, struct block_orders *all)
{
    const bool is_entry = code->function->is_entry;
    const bool seen =
        is_entry ? code->reads_others || (all->functions_read && calls(code)) : all->any_reads;
    for (int i = 0; i < code->op_count; i++) {
        code->ops[i].orders_blocks = orders_blocks(&code->ops[i], seen);
        code->orders_blocks |= code->ops[i].orders_blocks;
    }
    all->functions_order |= code->orders_blocks && !is_entry;
}

void bind_block_order(struct program *program)
{
    const int count = program->module->function_count;
    struct block_orders all = {0};
    for (int f = 0; f < count; f++)
        if (program->codes[f].ops)
            find_reading(&program->codes[f], &all);
    for (int f = 0; f < count; f++)
        if (program->codes[f].ops)
            find_ordering(&program->codes[f], &all);
    for (int f = 0; f < count && all.functions_order; f++)
        program->codes[f].orders_blocks |= program->codes[f].ops && calls(&program->codes[f]);
}

/* Neighbours are reset together. */
static void add_fresh(struct code *code, uint32_t first, size_t size)
{
    const int count = code->fresh_count;
    struct run *last = count > 0 ? &code->fresh[count - 1] : NULL;
    const uint32_t bytes = WARP_SIZE * (uint32_t)(size > 4 ? size : 4);
    if (last && last->first + last->bytes == first)
        last->bytes += bytes;
    else
        code->fresh[code->fresh_count++] = (struct run){first, bytes};
}

static void note_fresh(struct code *code, const struct slot *slot)
{
    if (slot->present && slot->file == FILE_REGISTERS)
        add_fresh(code, slot->offset, slot->bytes);
}

static bool find_fresh(struct code *code)
{
    const struct ptx_function *function = code->function;
    int most = 1 + function->register_count;
    for (int i = 0; i < code->op_count; i++)
        most += code->ops[i].elements ? 1 + code->ops[i].vector : 1;
    code->fresh = calloc((size_t)most, sizeof *code->fresh);
    if (!code->fresh)
        return false;
    /* From the last on, as place_registers() gives them their slots. */
    for (int i = function->register_count - 1; i >= 0; i--) {
        const struct ptx_register *reg = &function->registers[i];
        if (reg->unwritten && reg->type == PTX_PRED)
            code->fresh_predicates = true;
        else if (reg->unwritten)
            add_fresh(code, reg->slot, ptx_type_size(reg->type));
    }
    for (int i = 0; i < code->op_count; i++) {
        const struct op *op = &code->ops[i];
        if (op->stops != STEPPED_ORDERED)
            continue;
        note_fresh(code, &op->d);
        for (int k = 0; op->elements && k < op->vector; k++)
            note_fresh(code, &op->elements[k]);
    }
    return true;
}

bool bind_code(struct binder *binder, int function)
{
    struct code *code = &binder->program->codes[function];
    code->program = binder->program;
    code->function = &binder->program->module->functions[function];
    if (!code->function->has_body)
        return true;
    code->op_count = code->function->instr_count;
    code->ops = calloc((size_t)code->op_count + 1, sizeof *code->ops);
    binder->code = code;
    if (!code->ops) {
        snprintf(binder->error, binder->error_size, "no memory");
        return false;
    }
    for (int i = 0; i < code->op_count && !binder->failed; i++) {
        binder->instr = &code->function->instrs[i];
        binder->op = &code->ops[i];
        binder->op->number = binder->program->op_count++;
        bind_instruction(binder);
        binder->op->stops = (uint8_t)stop_of(binder->op);
    }
    /* After the last instruction, as if there stood a ret. */
    code->ops[code->op_count] = (struct op){.handler = control_end, .guard = -1};
    if (binder->failed || (find_fresh(code) && steady_find(code)))
        return !binder->failed;
    snprintf(binder->error, binder->error_size, "no memory");
    return false;
}
