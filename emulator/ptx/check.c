/* SPDX-License-Identifier: MIT */
/* Checks that an instruction has the operands that its form takes. */
#include "check.h"
#include "tables.h"

#include <string.h>

static void check_count(struct compilation *c, const struct ptx_instr *instr, int least)
{
    int most = instr->takes->count;
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
    const struct ptx_module *module;
    const struct ptx_function *function;
    const struct ptx_instr *instr;
    const struct isa_operand *takes;
    int index; /* of the operand */
};

_Noreturn static void wrong(const struct subject *s, const char *wanted)
{
    fail_at(s->compilation, s->instr->line, "operand %d of '%s' must be %s", s->index + 1,
            s->instr->text, wanted);
}

/* A register of one kind cannot hold values of another, where the kinds are integers, each type
 * of float, and each type of pair. Untyped bits go with every kind. */
static bool mixes(enum ptx_type type)
{
    return !ptx_type_is_float(type) && type != PTX_U16X2 && type != PTX_S16X2;
}

static bool are_different_kinds(enum ptx_type a, enum ptx_type b)
{
    if (ptx_type_is_untyped(a) || ptx_type_is_untyped(b))
        return false;
    return a != b && !(mixes(a) && mixes(b));
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
    bool widens = s->takes->widens && (!ptx_type_is_float(reg->type) || ptx_type_is_untyped(type));
    if (widens ? held < wanted : held != wanted)
        fail_at(s->compilation, s->instr->line,
                "operand %d of '%s' has %zu bytes, register '%s' %zu", s->index + 1, s->instr->text,
                wanted, reg->name, held);
}

static void check_constant(const struct subject *s, const struct ptx_operand *operand,
                           enum ptx_type type)
{
    uint64_t below = (uint64_t)s->takes->below, multiple = (uint64_t)s->takes->multiple;
    uint64_t power = (uint64_t)s->takes->power;
    if (!operand->is_float && ptx_type_is_float(type))
        fail_at(s->compilation, s->instr->line, "an integer where a value of type .%s is wanted",
                ptx_type_name(type));
    if (s->takes->equal && operand->bits != (uint64_t)s->takes->equal)
        fail_at(s->compilation, s->instr->line, "operand %d of '%s' must be %d", s->index + 1,
                s->instr->text, s->takes->equal);
    if (below && (operand->bits >= below || operand->bits < (uint64_t)s->takes->least))
        fail_at(s->compilation, s->instr->line, "operand %d of '%s' is %lld (allowed: %d to %d)",
                s->index + 1, s->instr->text, (long long)operand->bits, s->takes->least,
                s->takes->below - 1);
    if (s->takes->least && (int64_t)operand->bits < s->takes->least)
        fail_at(s->compilation, s->instr->line,
                "operand %d of '%s' is %lld (allowed: %d and above)", s->index + 1, s->instr->text,
                (long long)operand->bits, s->takes->least);
    if (power && (operand->bits < power || (operand->bits & (operand->bits - 1))))
        fail_at(s->compilation, s->instr->line,
                "operand %d of '%s' is %lld (allowed: powers of two from %d on)", s->index + 1,
                s->instr->text, (long long)operand->bits, s->takes->power);
    if (s->takes->sign && operand->bits != 1 && operand->bits != UINT64_MAX)
        fail_at(s->compilation, s->instr->line, "operand %d of '%s' is %lld (allowed: 1 and -1)",
                s->index + 1, s->instr->text, (long long)operand->bits);
    if (multiple && operand->bits % multiple)
        fail_at(s->compilation, s->instr->line,
                "operand %d of '%s' is %lld (allowed: multiples of %d)", s->index + 1,
                s->instr->text, (long long)operand->bits, s->takes->multiple);
}

/* The size of a special register in bytes. %gridid comes in two sizes. */
static bool fits_special(enum ptx_sreg sreg, enum ptx_type type)
{
    size_t size = ptx_type_size(type);
    if (sreg == SREG_GRIDID)
        return size >= 4;
    return size == (sreg == SREG_CLOCK64 || sreg == SREG_GLOBALTIMER ? 8 : 4);
}

static void check_named(const struct subject *s, enum ptx_type type)
{
    if (s->takes->letter != 'x' && s->takes->letter != 'S')
        wrong(s, type == PTX_PRED       ? "a predicate"
                 : isa_writes(s->takes) ? "a register"
                                        : "a value");
}

static void check_special(const struct subject *s, const struct ptx_operand *operand,
                          enum ptx_type type)
{
    check_named(s, type);
    if (!fits_special((enum ptx_sreg)operand->number, type))
        wrong(s, "a register of the special register's size");
}

/* Can the generic address of the instruction point into this space? */
static bool reaches(const struct ptx_instr *instr, enum ptx_space space)
{
    switch (isa_rows[instr->opcode].cost) {
    case COST_UPDATE:
    case COST_REDUCTION:
        return space == PTX_GLOBAL || space == PTX_SHARED;
    default:
        return space != PTX_CONST && space != PTX_PARAM;
    }
}

/* The state space of an address: that of the operand or else that of the instruction. */
static enum ptx_space space_of(const struct subject *s)
{
    char letter = s->takes->letter;
    return letter == 's' ? PTX_SHARED : letter == 'g' ? PTX_GLOBAL : s->instr->space;
}

static bool is_local(const struct ptx_function *function, int number)
{
    for (int i = 0; i < function->local_count; i++)
        if (function->locals[i] == number)
            return true;
    return false;
}

/* A variable in an operand must be in the state space that is named for it. If none is named it
 * must be in one that generic addresses reach. What is passed to a call belongs to all lanes, so
 * no guard may choose among them. */
static void check_space(const struct subject *s, int number)
{
    const struct ptx_var *var = &s->module->vars[number];
    enum ptx_space named = space_of(s);
    if (named == PTX_GENERIC ? !reaches(s->instr, var->space) : named != var->space)
        fail_at(s->compilation, s->instr->line, "'%s' is in .%s, where '%s' does not reach",
                var->name, ptx_space_name(var->space), s->instr->text);
    if (var->space == PTX_PARAM && s->instr->guard >= 0 && is_local(s->function, number))
        fail_at(s->compilation, s->instr->line, "'%s' of '%s' under a guard", s->instr->text,
                var->name);
}

static void check_symbol(const struct subject *s, const struct ptx_operand *operand,
                         enum ptx_type type)
{
    if (s->takes->letter == 'y') {
        check_space(s, operand->number);
        return;
    }
    check_named(s, type);
    if (s->module->vars[operand->number].space == PTX_GLOBAL && ptx_type_size(type) != 8)
        wrong(s, "a register of 64 bits, as a global address has");
}

/* Is this a correct selector of parts? For a single part it is b0 to b3, h0 or h1. For a source
 * of two or four parts it has a digit for each; digits from `parts` on name parts of the other
 * source. For such a destination it lists the parts that are written, the highest first. */
static bool has_part(const struct isa_operand *takes, const char *part)
{
    const size_t count = strlen(part + 1), parts = (size_t)takes->parts;
    const bool masks = parts > 1 && isa_writes(takes);
    const int below = parts == 1 ? *part == 'h' ? 2 : 4 : (int)(masks ? parts : 2 * parts);
    if ((*part != 'b' && *part != 'h') || (parts > 1 && *part != (parts == 2 ? 'h' : 'b')))
        return false;
    if (masks ? count == 0 : count != parts)
        return false;
    for (size_t i = 1; i <= count; i++)
        if (part[i] < '0' || part[i] >= '0' + below || (masks && i > 1 && part[i] >= part[i - 1]))
            return false;
    return true;
}

static void check_part(const struct subject *s, const struct ptx_operand *operand)
{
    if (*operand->part && !has_part(s->takes, operand->part))
        fail_at(s->compilation, s->instr->line, "operand %d of '%s' has no part '.%s'",
                s->index + 1, s->instr->text, operand->part);
}

/* Check a value, which may be a register or something else. */
static void check_value(const struct subject *s, const struct ptx_operand *operand,
                        enum ptx_type type, bool discards)
{
    bool written = isa_writes(s->takes);
    switch (operand->kind) {
    case OPERAND_REGISTER:
        if (s->takes->letter == 'n')
            wrong(s, "a constant");
        check_part(s, operand);
        if (operand->negated && s->takes->letter != 'p' && s->takes->letter != 'q' &&
            !s->takes->negates)
            wrong(s, "a value as it is, without '!'");
        check_register(s, operand->number, type);
        break;
    case OPERAND_IMMEDIATE:
        if (written || s->takes->letter == 'r')
            wrong(s, "a register");
        check_constant(s, operand, type);
        break;
    case OPERAND_SPECIAL:
        check_special(s, operand, type);
        break;
    case OPERAND_SYMBOL:
        check_symbol(s, operand, type);
        break;
    case OPERAND_SINK:
        if (!discards)
            wrong(s, written ? "a register" : "a value");
        break;
    default:
        wrong(s, "a value");
    }
}

static void check_pair(const struct subject *s, const struct ptx_operand *operand)
{
    if (!s->takes->second)
        wrong(s, "one register, not a pair");
    if (operand->number < 0 && !s->takes->discards)
        wrong(s, "a register");
    check_register(s, operand->number, s->takes->type);
    check_register(s, operand->second, PTX_PRED);
}

/* Must the operand be a vector, with as many elements as the instruction says? */
static bool is_vector(const struct subject *s)
{
    char letter = s->takes->letter;
    return s->takes->braced || letter == 'D' ||
           ((letter == 'v' || letter == 'w') && s->instr->vector > 1);
}

static bool takes_vector(const struct subject *s, const struct ptx_operand *operand)
{
    if (s->takes->letter == 'V' || s->takes->letter == 'S')
        return operand->count > 1 && (size_t)operand->count <= ptx_type_size(s->takes->type);
    const int wanted = s->takes->elements ? s->takes->elements : s->instr->vector;
    return operand->count == wanted && is_vector(s);
}

/* Registers for integers and for floats cannot be in one vector. One element must be a register
 * where results go, and in forms that always have braces. */
static void check_elements(const struct subject *s, const struct ptx_operand *operand)
{
    enum ptx_type before = PTX_NONE;
    for (int i = 0; i < operand->count; i++) {
        const struct ptx_operand *element = &operand->elements[i];
        if (element->kind != OPERAND_REGISTER)
            continue;
        enum ptx_type type = s->function->registers[element->number].type;
        if (before != PTX_NONE && are_different_kinds(type, before))
            wrong(s, "a vector without an integer register beside a float one");
        before = type;
    }
    if (before == PTX_NONE && (s->takes->braced || isa_writes(s->takes)))
        wrong(s, "a vector with a register in it");
}

static void check_vector(const struct subject *s, const struct ptx_operand *operand)
{
    if (s->takes->elements && operand->count != s->takes->elements)
        fail_at(s->compilation, s->instr->line, "operand %d of '%s' has %d elements, not %d",
                s->index + 1, s->instr->text, s->takes->elements, operand->count);
    if (!takes_vector(s, operand))
        wrong(s, !is_vector(s)      ? "a value, not a vector"
                 : s->takes->braced ? "a vector of as many elements as '.x' says"
                                    : "a vector of as many elements as '.v' says");
    for (int i = 0; i < operand->count; i++)
        check_value(s, &operand->elements[i], element_type(s->instr, s->index, operand->count),
                    isa_writes(s->takes));
    check_elements(s, operand);
}

/* The first factor of a product by four warps, in registers or in shared memory: only there it can
 * be turned over, as one operand more says. */
static void check_factor(const struct subject *s, const struct ptx_operand *operand)
{
    enum { TURNED = 8 };
    const int count = s->instr->operand_count;
    const bool held = operand->kind == OPERAND_VECTOR;
    const struct isa_operand described = {.letter = 'r', .type = PTX_U64};
    if (held ? count == TURNED : count == TURNED - 1)
        fail_at(s->compilation, s->instr->line, "'%s' takes %d operands, not %d", s->instr->text,
                held ? TURNED - 1 : TURNED, count);
    struct subject factor = *s;
    if (!held)
        factor.takes = &described;
    if (held)
        check_vector(s, operand);
    else
        check_value(&factor, operand, PTX_U64, false);
}

/* Generic and global addresses have 64 bits. Addresses in other spaces may have 32. */
static void check_pointer(const struct subject *s, int number)
{
    const struct ptx_register *reg = &s->function->registers[number];
    bool wide = space_of(s) == PTX_GENERIC || space_of(s) == PTX_GLOBAL;
    size_t size = ptx_type_size(reg->type);
    if ((size != 8 && (size != 4 || wide)) || ptx_type_is_float(reg->type))
        fail_at(s->compilation, s->instr->line, "register '%s' cannot hold an address of '%s'",
                reg->name, s->instr->text);
}

static void check_address(const struct subject *s, const struct ptx_operand *operand)
{
    if (operand->kind != OPERAND_ADDRESS)
        wrong(s, "an address in brackets");
    if (operand->base == BASE_REGISTER)
        check_pointer(s, operand->number);
    else if (s->takes->letter == 'M')
        wrong(s, "an address in a register");
    else if (operand->base == BASE_SYMBOL)
        check_space(s, operand->number);
    else if (space_of(s) != PTX_LOCAL)
        wrong(s, "an address in a register or of a variable");
}

/* Of the coordinates of a texture the layer is an integer, and the others have the type of the
 * instruction. */
static void check_coordinate(const struct subject *s, const struct ptx_operand *element, int index)
{
    bool is_layer = index == 0 && s->takes->letter == 'C';
    if (element->kind != OPERAND_REGISTER && element->kind != OPERAND_IMMEDIATE)
        wrong(s, s->takes->letter == 'k' ? "a tensor map and coordinates"
                                         : "a texture and its coordinates");
    const struct isa_operand any = {.letter = 'a', .type = is_layer ? PTX_U32 : s->takes->type};
    struct subject coordinate = *s;
    coordinate.takes = &any;
    check_value(&coordinate, element, any.type, false);
}

static void check_handle(const struct subject *s, int number, const char *what)
{
    const struct ptx_register *handle = &s->function->registers[number];
    if (ptx_type_size(handle->type) != 8 || ptx_type_is_float(handle->type))
        fail_at(s->compilation, s->instr->line, "register '%s' cannot hold a %s of '%s'",
                handle->name, what, s->instr->text);
}

/* [texture, {coordinates}], [tensor map, {coordinates}] */
static void check_texel(const struct subject *s, const struct ptx_operand *operand)
{
    const char *what = s->takes->letter == 'k' ? "tensor map" : "texture";
    if (operand->kind != OPERAND_ADDRESS)
        wrong(s, s->takes->letter == 'k' ? "a tensor map and coordinates in brackets"
                                         : "a texture and its coordinates in brackets");
    if (operand->count != s->takes->equal)
        fail_at(s->compilation, s->instr->line, "'%s' takes %d coordinates, not %d", s->instr->text,
                s->takes->equal, operand->count);
    check_handle(s, operand->number, what);
    for (int i = 0; i < operand->count; i++)
        check_coordinate(s, &operand->elements[i], i);
}

/* [texture], [surface] */
static void check_object(const struct subject *s, const struct ptx_operand *operand)
{
    if (operand->kind != OPERAND_ADDRESS)
        wrong(s, "an address in brackets");
    if (operand->base != BASE_REGISTER || operand->offset)
        wrong(s, "an address in a register");
    check_handle(s, operand->number, "texture");
}

static void check_operand(const struct subject *s, const struct ptx_operand *operand)
{
    char letter = s->takes->letter;
    if (letter == 'm' || letter == 'M' || letter == 's' || letter == 'g')
        check_address(s, operand);
    else if (isa_takes_coordinates(letter))
        check_texel(s, operand);
    else if (letter == 'o')
        check_object(s, operand);
    else if (letter == 'D')
        check_factor(s, operand);
    else if (operand->kind == OPERAND_VECTOR)
        check_vector(s, operand);
    else if (operand->kind == OPERAND_PAIR)
        check_pair(s, operand);
    else if (s->takes->second == 'P')
        wrong(s, "a pair, as in d|p");
    else if (is_vector(s))
        wrong(s, "a vector in braces");
    else if (operand->kind != OPERAND_LABEL)
        check_value(s, operand, s->takes->type, s->takes->discards);
}

void check_operands(struct compilation *c, const struct ptx_module *module,
                    const struct ptx_function *function, const struct ptx_instr *instr, int least)
{
    /* the operands of a call are no values; call() has checked them */
    if (instr->opcode == OP_CALL)
        return;
    check_count(c, instr, least);
    for (int i = 0; i < instr->operand_count; i++) {
        struct subject subject = {c, module, function, instr, &instr->takes->items[i], i};
        check_operand(&subject, &instr->operands[i]);
    }
}
