/* The tables of opcodes.h and ptx.h as arrays, and what follows from them. */
#include "tables.h"

const struct opcode_row opcode_rows[OPCODE_COUNT] = {
#define OPCODE(id, text, operands, family, capability) [OP_##id] = {(text), (operands)},
    OPCODES(OPCODE)
#undef OPCODE
};

const char *const modifier_names[MODIFIER_COUNT] = {
#define X(id, text) [MOD_##id] = (text),
    MODIFIERS(X)
#undef X
};

const char *const special_names[SREG_COUNT] = {
#define X(id, text) [SREG_##id] = (text),
    PTX_SPECIAL_REGISTERS(X)
#undef X
};

static const struct {
    const char *name;
    size_t size;
    bool is_float, is_signed;
} types[PTX_TYPE_COUNT] = {
    [PTX_NONE] = {"none", 0, false, false},   [PTX_PRED] = {"pred", 0, false, false},
    [PTX_B8] = {"b8", 1, false, false},       [PTX_B16] = {"b16", 2, false, false},
    [PTX_B32] = {"b32", 4, false, false},     [PTX_B64] = {"b64", 8, false, false},
    [PTX_B128] = {"b128", 16, false, false},  [PTX_U8] = {"u8", 1, false, false},
    [PTX_U16] = {"u16", 2, false, false},     [PTX_U32] = {"u32", 4, false, false},
    [PTX_U64] = {"u64", 8, false, false},     [PTX_S8] = {"s8", 1, false, true},
    [PTX_S16] = {"s16", 2, false, true},      [PTX_S32] = {"s32", 4, false, true},
    [PTX_S64] = {"s64", 8, false, true},      [PTX_F16] = {"f16", 2, true, true},
    [PTX_F16X2] = {"f16x2", 4, true, true},   [PTX_BF16] = {"bf16", 2, true, true},
    [PTX_BF16X2] = {"bf16x2", 4, true, true}, [PTX_F32] = {"f32", 4, true, true},
    [PTX_F64] = {"f64", 8, true, true},
};

size_t ptx_type_size(enum ptx_type type)
{
    return types[type].size;
}

bool ptx_type_is_float(enum ptx_type type)
{
    return types[type].is_float;
}

bool ptx_type_is_signed(enum ptx_type type)
{
    return types[type].is_signed;
}

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

const char *ptx_space_name(enum ptx_space space)
{
    static const char *const names[PTX_SPACE_COUNT] = {
        [PTX_GENERIC] = "generic", [PTX_REG] = "reg",     [PTX_CONST] = "const",
        [PTX_GLOBAL] = "global",   [PTX_LOCAL] = "local", [PTX_PARAM] = "param",
        [PTX_SHARED] = "shared",
    };
    return names[space];
}

char opcode_operand(enum opcode opcode, int index)
{
    for (const char *letter = opcode_rows[opcode].operands; *letter; letter++) {
        if (*letter != '?' && index-- == 0)
            return *letter;
    }
    return 0;
}

bool writes_operand(const struct ptx_instr *instr, int index)
{
    char letter = opcode_operand(instr->opcode, index);
    if (letter == 'D')
        return true;
    if (letter != 'd')
        return false;
    /* A barrier has a destination only where it reduces; its number stands first otherwise. */
    bool barrier = instr->opcode == OP_BAR || instr->opcode == OP_BARRIER;
    return !barrier || ptx_has(instr, MOD_RED);
}

static enum ptx_type bits_of_size(size_t size)
{
    switch (size) {
    case 1:
        return PTX_B8;
    case 2:
        return PTX_B16;
    case 4:
        return PTX_B32;
    default:
        return PTX_B64;
    }
}

static enum ptx_type twice_as_wide(enum ptx_type type)
{
    return ptx_type_size(type) == 2 ? PTX_B32 : PTX_B64;
}

/* Of bar.red the predicate to reduce stands last; all else are numbers of barriers, threads. */
static enum ptx_type barrier_operand_type(const struct ptx_instr *instr, int index)
{
    if (!ptx_has(instr, MOD_RED))
        return PTX_U32;
    if (index == 0)
        return ptx_type_of(instr);
    return index == instr->operand_count - 1 ? PTX_PRED : PTX_U32;
}

enum ptx_type operand_type(const struct ptx_instr *instr, int index)
{
    enum ptx_type own = ptx_type_of(instr);
    switch (instr->opcode) {
    case OP_MUL:
    case OP_MAD:
        return ptx_has(instr, MOD_WIDE) && (index == 0 || index == 3) ? twice_as_wide(own) : own;
    case OP_SHL:
    case OP_SHR:
    case OP_SZEXT:
    case OP_REDUX:
        return index == 2 ? PTX_U32 : own;
    case OP_SHF:
    case OP_BFI:
        return index >= 3 ? PTX_U32 : own;
    case OP_BFE:
    case OP_SHFL:
        return index >= 2 ? PTX_U32 : own;
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
        return index == 0 ? PTX_U32 : own;
    case OP_LOP3:
        return index == 4 ? PTX_U32 : own;
    case OP_SETP:
        return index == 0 || index == 3 ? PTX_PRED : own;
    case OP_SET:
        return index == 3 ? PTX_PRED : index == 0 ? instr->types[0] : own;
    case OP_SELP:
        return index == 3 ? PTX_PRED : own;
    case OP_SLCT:
        return index == 3 ? own : instr->types[0];
    case OP_TESTP:
        return index == 0 ? PTX_PRED : own;
    case OP_CVT:
        return index == 0 ? instr->types[0] : own;
    case OP_ISSPACEP:
        return index == 0 ? PTX_PRED : PTX_B64;
    case OP_VOTE:
        return index == 1 ? PTX_PRED : index == 2 ? PTX_U32 : own;
    case OP_MATCH:
        return index == 1 ? own : PTX_U32;
    case OP_BAR:
    case OP_BARRIER:
        return barrier_operand_type(instr, index);
    case OP_ELECT:
    case OP_BRX:
    case OP_PMEVENT:
        return PTX_U32;
    default:
        return own;
    }
}

enum ptx_type element_type(const struct ptx_instr *instr, int index, int count)
{
    enum ptx_type type = operand_type(instr, index);
    /* {a, b} of a mov are the parts of one value, everywhere else they are values. */
    bool parts = instr->opcode == OP_MOV && count > 1;
    return parts ? bits_of_size(ptx_type_size(type) / (size_t)count) : type;
}
