#include "tables.h"

const struct opcode_row opcode_rows[OPCODE_COUNT] = {
#define OPCODE(id, text, operands, family, capability) [OP_##id] = {text, operands},
    OPCODES(OPCODE)
#undef OPCODE
};

const char *const modifier_names[MODIFIER_COUNT] = {
#define X(id, text) [MOD_##id] = text,
    MODIFIERS(X)
#undef X
};

const char *const special_names[SREG_COUNT] = {
#define X(id, text) [SREG_##id] = text,
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

enum ptx_type immediate_type(const struct ptx_instr *instr, int index, int elements)
{
    enum ptx_type own = ptx_type_of(instr);
    switch (instr->opcode) {
    case OP_MOV: /* {a, b} are the parts of one value */
        return elements > 1 ? bits_of_size(ptx_type_size(own) / (size_t)elements) : own;
    case OP_SLCT: /* slct.dtype.ctype d, a, b, c */
        return index == 3 ? own : instr->types[0];
    default:
        return own;
    }
}
