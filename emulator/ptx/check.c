/* Whether an instruction has the types and operands that its opcode asks for. */
#include "check.h"
#include "tables.h"

static bool is_barrier(const struct ptx_instr *instr)
{
    return instr->opcode == OP_BAR || instr->opcode == OP_BARRIER;
}

static int types_needed(const struct ptx_instr *instr)
{
    switch (instr->opcode) {
    case OP_CVT:
    case OP_SET:
    case OP_SLCT:
    case OP_DP4A:
    case OP_DP2A:
        return 2;
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_PMEVENT:
    case OP_GRIDDEPCONTROL:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_ISSPACEP:
    case OP_ELECT:
        return 0;
    case OP_BAR:
    case OP_BARRIER:
        return ptx_has(instr, MOD_RED) ? 1 : 0;
    default:
        return 1;
    }
}

/* Only these work on predicates as a whole. */
static bool may_be_of_predicates(enum opcode opcode)
{
    switch (opcode) {
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_MOV:
    case OP_VOTE:
    case OP_BAR:
    case OP_BARRIER:
        return true;
    default:
        return false;
    }
}

void check_types(struct compilation *c, const struct ptx_instr *instr)
{
    const char *opcode = opcode_rows[instr->opcode].text;
    int needed = types_needed(instr);
    if (instr->type_count != needed)
        fail_at(c, instr->line, "'%s' names %d types, '%s' takes %d", instr->text,
                instr->type_count, opcode, needed);
    for (int i = 0; i < instr->type_count; i++) {
        if (instr->types[i] == PTX_PRED && !may_be_of_predicates(instr->opcode))
            fail_at(c, instr->line, "'%s' does not take predicates", opcode);
    }
}

static void check_count(struct compilation *c, const struct ptx_instr *instr)
{
    int least = 0, most = 0;
    for (const char *letter = opcode_rows[instr->opcode].operands; *letter; letter++) {
        most += *letter != '?';
        least += *letter == '?' ? -1 : 1;
    }
    if (instr->operand_count >= least && instr->operand_count <= most)
        return;
    if (least == most)
        fail_at(c, instr->line, "'%s' takes %d operands, not %d", instr->text, least,
                instr->operand_count);
    fail_at(c, instr->line, "'%s' takes %d to %d operands, not %d", instr->text, least, most,
            instr->operand_count);
}

/* What is being checked. */
struct subject {
    struct compilation *compilation;
    const struct ptx_function *function;
    const struct ptx_instr *instr;
    int index; /* of the operand */
};

_Noreturn static void wrong(const struct subject *s, const char *wanted)
{
    fail_at(s->compilation, s->instr->line, "operand %d of '%s' must be %s", s->index + 1,
            s->instr->text, wanted);
}

/* Loads, stores and conversions let a register be wider than the value in it. */
static bool fits(const struct ptx_instr *instr, size_t held, size_t wanted)
{
    switch (instr->opcode) {
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_CVT:
        return held >= wanted;
    default:
        return held == wanted;
    }
}

static bool is_untyped(enum ptx_type type)
{
    return type >= PTX_B8 && type <= PTX_B128;
}

/* Integer and floating point do not mix; bits go with both. */
static bool are_different_kinds(enum ptx_type a, enum ptx_type b)
{
    return !is_untyped(a) && !is_untyped(b) && ptx_type_is_float(a) != ptx_type_is_float(b);
}

static void check_register(const struct subject *s, int number, enum ptx_type type)
{
    if (number < 0)
        return;
    const struct ptx_register *reg = &s->function->registers[number];
    if ((reg->type == PTX_PRED) != (type == PTX_PRED))
        wrong(s, type == PTX_PRED ? "a predicate" : "a value, not a predicate");
    if (are_different_kinds(reg->type, type))
        fail_at(s->compilation, s->instr->line,
                "operand %d of '%s' is of type .%s, register '%s' of type .%s", s->index + 1,
                s->instr->text, ptx_type_name(type), reg->name, ptx_type_name(reg->type));
    size_t held = ptx_type_size(reg->type), wanted = ptx_type_size(type);
    if (!fits(s->instr, held, wanted))
        fail_at(s->compilation, s->instr->line,
                "operand %d of '%s' has %zu bytes, register '%s' %zu", s->index + 1, s->instr->text,
                wanted, reg->name, held);
}

/* A register, or what else a value may be. */
static void check_value(const struct subject *s, const struct ptx_operand *operand,
                        enum ptx_type type)
{
    bool written = writes_operand(s->instr, s->index);
    switch (operand->kind) {
    case OPERAND_REGISTER:
        if (operand->negated && (type != PTX_PRED || written))
            wrong(s, "a value as it is, without '!'");
        check_register(s, operand->number, type);
        break;
    case OPERAND_IMMEDIATE:
        if (written)
            wrong(s, "a register");
        break;
    case OPERAND_SPECIAL:
    case OPERAND_SYMBOL:
        if (written || type == PTX_PRED)
            wrong(s, type == PTX_PRED ? "a predicate" : "a register");
        break;
    case OPERAND_SINK:
        if (!written)
            wrong(s, "a value");
        break;
    default:
        wrong(s, "a value");
    }
}

static void check_pair(const struct subject *s, const struct ptx_operand *operand,
                       enum ptx_type type)
{
    if (opcode_operand(s->instr->opcode, s->index) != 'D')
        wrong(s, "one register, not a pair");
    check_register(s, operand->number, type);
    check_register(s, operand->second, PTX_PRED);
}

static bool takes_vector(const struct subject *s, const struct ptx_operand *operand)
{
    if (s->instr->opcode == OP_MOV)
        return operand->count > 1 && ptx_type_size(ptx_type_of(s->instr)) > 1;
    return operand->count == s->instr->vector && s->instr->vector > 1;
}

static void check_vector(const struct subject *s, const struct ptx_operand *operand)
{
    if (!takes_vector(s, operand))
        wrong(s, s->instr->vector > 1 ? "a vector of as many elements as '.v' says"
                                      : "a value, not a vector");
    for (int i = 0; i < operand->count; i++)
        check_value(s, &operand->elements[i], element_type(s->instr, s->index, operand->count));
}

static void check_address(const struct subject *s, const struct ptx_operand *operand)
{
    if (operand->kind != OPERAND_ADDRESS)
        wrong(s, "an address in brackets");
    if (operand->base != BASE_REGISTER)
        return;
    const struct ptx_register *reg = &s->function->registers[operand->number];
    if (ptx_type_size(reg->type) != 4 && ptx_type_size(reg->type) != 8)
        fail_at(s->compilation, s->instr->line, "register '%s' cannot hold an address", reg->name);
}

static void check_operand(const struct subject *s, const struct ptx_operand *operand)
{
    enum ptx_type type = operand_type(s->instr, s->index);
    if (opcode_operand(s->instr->opcode, s->index) == 'm')
        check_address(s, operand);
    else if (operand->kind == OPERAND_VECTOR)
        check_vector(s, operand);
    else if (operand->kind == OPERAND_PAIR)
        check_pair(s, operand, type);
    else if (s->instr->vector > 1)
        wrong(s, "a vector in braces");
    else if (operand->kind != OPERAND_LABEL)
        check_value(s, operand, type);
}

void check_operands(struct compilation *c, const struct ptx_function *function,
                    const struct ptx_instr *instr)
{
    check_count(c, instr);
    /* call() has looked at those of a call, which are no values. */
    for (int i = 0; i < instr->operand_count && instr->opcode != OP_CALL; i++) {
        struct subject subject = {c, function, instr, i};
        check_operand(&subject, &instr->operands[i]);
    }
    if (is_barrier(instr) && ptx_has(instr, MOD_RED) && instr->operand_count < 3)
        fail_at(c, instr->line, "'%s' takes 3 to 4 operands, not %d", instr->text,
                instr->operand_count);
}
