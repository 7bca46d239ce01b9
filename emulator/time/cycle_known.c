/* SPDX-License-Identifier: MIT */
/* Which bits of a register are surely 0, and what a 64-bit instruction then needs not do: rule 3 of
 * cycle_code.c. */
#include "time/cycle_writer.h"

#include "machine/observer_memory.h"

enum { HALF = 32, ALL = 64, VARIABLES_ALIGNED = 4 };

static int most(int a, int b)
{
    return a > b ? a : b;
}

static struct known of_bits(uint64_t bits)
{
    if (!bits)
        return (struct known){.zeros = ALL};
    return (struct known){.zeros = (uint8_t)__builtin_ctzll(bits),
                          .width = (uint8_t)(ALL - __builtin_clzll(bits))};
}

static struct known of_operand(const struct writer *writer, const struct ptx_instr *instr, int k)
{
    const struct ptx_operand *operand = &instr->operands[k];

    if (k < instr->operand_count && operand->kind == OPERAND_REGISTER)
        return writer->known[operand->number];
    if (k < instr->operand_count && operand->kind == OPERAND_IMMEDIATE)
        return of_bits(operand->bits);
    /* A variable in shared memory lies at 16 bytes, whatever PTX says. */
    if (k < instr->operand_count && operand->kind == OPERAND_SYMBOL)
        return (struct known){
            (uint8_t)least(VARIABLES_ALIGNED, of_bits((uint64_t)operand->offset).zeros), ALL};
    return (struct known){0, ALL};
}

/* The constant number of bits by which it shifts; -1: it is not known. */
static int shift_of(const struct ptx_instr *instr)
{
    return instr->operands[2].kind == OPERAND_IMMEDIATE ? least((int)instr->operands[2].bits, ALL)
                                                        : -1;
}

static struct known shifted(const struct ptx_instr *instr, struct known from)
{
    const int by = shift_of(instr);

    if (instr->opcode == OP_SHL)
        return (struct known){(uint8_t)least(from.zeros + most(by, 0), ALL),
                              (uint8_t)(by < 0 ? ALL : least(from.width + by, ALL))};
    /* A signed number brings its sign. */
    if (ptx_type_of(instr) == PTX_S64 || ptx_type_of(instr) == PTX_S32)
        return (struct known){(uint8_t)most(from.zeros - (by < 0 ? ALL : by), 0), ALL};
    return (struct known){(uint8_t)most(from.zeros - (by < 0 ? ALL : by), 0),
                          (uint8_t)most(from.width - most(by, 0), 0)};
}

/* Of a conversion between integers, or a load: what is wider than its type is extended. */
static struct known extended(const struct ptx_instr *instr, struct known from)
{
    const enum ptx_type type = ptx_type_of(instr);
    const int width = 8 * (int)ptx_type_size(type);
    const bool is_signed = type == PTX_S64 || type == PTX_S32 || type == PTX_S16 || type == PTX_S8;

    if (ptx_type_is_float(instr->types[0]) || (is_signed && from.width >= width))
        return (struct known){from.zeros, ALL};
    return (struct known){from.zeros, (uint8_t)least(from.width, width)};
}

static struct known multiplied(const struct ptx_instr *instr, struct known a, struct known b)
{
    if (ptx_type_is_float(ptx_type_of(instr)) || ptx_has(instr, MOD_HI))
        return (struct known){0, ALL};
    return (struct known){(uint8_t)least(a.zeros + b.zeros, ALL),
                          (uint8_t)least(a.width + b.width, ALL)};
}

static struct known summed(struct known a, struct known b)
{
    return (struct known){(uint8_t)least(a.zeros, b.zeros),
                          (uint8_t)least(most(a.width, b.width) + 1, ALL)};
}

/* What is known of the result, before its type bounds it. */
static struct known result_of(const struct writer *writer, const struct ptx_instr *instr)
{
    const struct known a = of_operand(writer, instr, 1), b = of_operand(writer, instr, 2);

    switch (instr->opcode) {
    case OP_MOV:
    case OP_CVTA:
        return a;
    case OP_CVT:
        return extended(instr, a);
    case OP_LD:
        return extended(instr, (struct known){0, ALL});
    case OP_ADD:
        return summed(a, b);
    case OP_SUB:
        return (struct known){(uint8_t)least(a.zeros, b.zeros), ALL};
    case OP_SELP:
    case OP_OR:
    case OP_XOR:
        return (struct known){(uint8_t)least(a.zeros, b.zeros), (uint8_t)most(a.width, b.width)};
    case OP_AND:
        return (struct known){(uint8_t)most(a.zeros, b.zeros), (uint8_t)least(a.width, b.width)};
    case OP_SHL:
    case OP_SHR:
        return shifted(instr, a);
    case OP_MUL:
        return multiplied(instr, a, b);
    case OP_MAD:
        return summed(multiplied(instr, a, b), of_operand(writer, instr, 3));
    default:
        return (struct known){0, ALL};
    }
}

/* Learn from an instruction what it leaves in its results; `grows`: a result that gets wider may be
 * as wide as its register. Returns whether this was new. */
static bool learn(struct writer *writer, const struct ptx_instr *instr, bool grows)
{
    const struct known result = result_of(writer, instr);
    bool more = false;

    for (int k = 0; k < instr->write_count; k++) {
        const int reg = instr->registers[instr->read_count + k];
        const int room = 8 * (int)ptx_type_size(writer->function->registers[reg].type);
        struct known *known = &writer->known[reg];
        const int zeros = least(known->zeros, result.zeros);
        int width = most(known->width, least(result.width, room));
        if (grows && width > known->width)
            width = room;
        more |= zeros != known->zeros || width != known->width;
        *known = (struct known){(uint8_t)zeros, (uint8_t)width};
    }
    return more;
}

void code_find_known(struct writer *writer)
{
    enum { PASSES = 3 }; /* before what still grows, such as a counter, may be anything */
    const struct ptx_function *function = writer->function;
    bool more = true;

    for (int i = 0; i < function->register_count; i++)
        writer->known[i] = (struct known){.zeros = ALL};
    for (int pass = 0; more; pass++) {
        more = false;
        for (int i = 0; i < function->instr_count; i++)
            more |= learn(writer, &function->instrs[i], pass >= PASSES);
    }
}

/* Is its upper half 0? */
static bool is_narrow(struct known known)
{
    return known.width <= HALF;
}

/* How many halves of the constant differ from both of these. */
static int halves_beside(uint64_t bits, uint32_t one, uint32_t other)
{
    const uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> HALF);

    return (low != one && low != other) + (high != one && high != other);
}

/* How many instructions a 64-bit instruction is, one for each half that is not known beforehand;
 * -1: as many as it always is. */
static int halves_of(const struct writer *writer, const struct ptx_instr *instr)
{
    const struct known a = of_operand(writer, instr, 1), b = of_operand(writer, instr, 2);
    const bool constant = instr->operand_count > 2 && instr->operands[2].kind == OPERAND_IMMEDIATE;
    const uint64_t bits = instr->operands[2].bits;

    switch (instr->opcode) {
    case OP_AND:
        if (constant && !is_narrow(a))
            return halves_beside(bits, 0, UINT32_MAX);
        return is_narrow(a) || is_narrow(b) ? 1 : -1;
    case OP_OR:
    case OP_XOR:
        if (constant)
            return halves_beside(bits, 0, 0);
        return is_narrow(a) || is_narrow(b) ? 1 : -1;
    case OP_SHL:
    case OP_SHR:
        if (!constant || bits < HALF)
            return instr->opcode == OP_SHR && is_narrow(a) ? 1 : -1;
        return (bits > HALF) + (ptx_type_of(instr) == PTX_S64);
    case OP_SETP:
    case OP_SELP:
        return is_narrow(a) && is_narrow(b) ? 1 : -1;
    default:
        return -1;
    }
}

void code_narrow(struct writer *writer, int index)
{
    const struct ptx_instr *instr = &writer->function->instrs[index];
    struct cycle_op *op = &writer->code->ops[index];

    if (op->kind != CYCLE_UNIT || !is_integer_64(instr))
        return;
    if (instr->opcode == OP_MUL && ptx_has(instr, MOD_LO)) {
        code_take_cost(op, cycle_multiply_of(writer->gpu, is_narrow(of_operand(writer, instr, 1)),
                                             is_narrow(of_operand(writer, instr, 2))));
        return;
    }
    const int halves = halves_of(writer, instr);
    if (halves == 0)
        op->kind = CYCLE_FREE;
    else if (halves == 1)
        code_take_cost(op, cycle_half_of(*op, writer->gpu));
}
