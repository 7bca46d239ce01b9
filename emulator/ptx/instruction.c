/* SPDX-License-Identifier: MIT */
/* Parses an instruction: guard, opcode, modifiers, types, operands. */
#include <string.h>

#include "check.h"
#include "parser.h"
#include "tables.h"

enum { MAX_LIST = 256 };

static const char of_cluster[] = "shared::cluster";

static void add_keyword(struct parser *p, const char *text, enum name_kind kind, int value)
{
    add_name(p->compilation, &p->keywords, text, strlen(text), kind, value);
}

void make_keywords(struct parser *p)
{
    for (int i = PTX_PRED; i < PTX_TYPE_COUNT; i++)
        add_keyword(p, ptx_type_name((enum ptx_type)i), NAME_TYPE, i);
    for (int i = PTX_CONST; i < PTX_SPACE_COUNT; i++)
        add_keyword(p, ptx_space_name((enum ptx_space)i), NAME_SPACE, i);
    add_keyword(p, "shared::cta", NAME_SPACE, PTX_SHARED);
    add_keyword(p, of_cluster, NAME_SPACE, PTX_SHARED);
    add_keyword(p, "param::entry", NAME_SPACE, PTX_PARAM);
    add_keyword(p, "param::func", NAME_SPACE, PTX_PARAM);
    add_keyword(p, "x1", NAME_VECTOR, 1);
    add_keyword(p, "x2", NAME_VECTOR, 2);
    add_keyword(p, "x4", NAME_VECTOR, 4);
    add_keyword(p, "v2", NAME_VECTOR, 2);
    add_keyword(p, "v4", NAME_VECTOR, 4);
    add_keyword(p, "v8", NAME_VECTOR, 8);
    for (int i = 0; i < MODIFIER_COUNT; i++)
        add_keyword(p, isa_modifier_names[i], NAME_MODIFIER, i);
    for (int i = 0; i < OPCODE_COUNT; i++)
        add_name(p->compilation, &p->opcodes, isa_rows[i].text, strlen(isa_rows[i].text),
                 NAME_OPCODE, i);
    for (int i = 0; i < SREG_COUNT; i++)
        add_name(p->compilation, &p->specials, special_names[i], strlen(special_names[i]),
                 NAME_SPECIAL, i);
}

/* Two words that are one, such as .row.col: make one of them. */
static bool join(const struct names *names, struct token *first, const struct token *second)
{
    const size_t length = first->length + 1 + second->length;
    if (second->text != first->text + first->length + 1 || !find_name(names, first->text, length))
        return false;
    first->length = length;
    return true;
}

/* The opcode as it is written, put together piece by piece, without blanks between the pieces. */
struct spelling {
    char text[192];
    size_t length;
    struct token suffixes[ISA_MAX_WORDS + ISA_MAX_TYPES];
    int count;
};

static void spell(struct parser *p, struct spelling *spelling, const struct token *piece)
{
    bool dot = piece->kind == TOKEN_DOT_WORD;
    size_t length = piece->length + dot;
    if (spelling->length + length >= sizeof spelling->text)
        fail_at(p->compilation, piece->line, "more modifiers than any instruction has");
    memcpy(spelling->text + spelling->length, piece->text - dot, length);
    spelling->length += length;
}

/* An opcode with its suffixes. It is parsed once, for all instructions of the text that begin
 * with it. */
struct mnemonic {
    struct ptx_instr instr; /* without guard, operands and location */
    struct isa_suffixes suffixes;
    struct isa_operands all, least; /* with the optional operands, and without them */
};

_Noreturn static void written_twice(struct parser *p, const struct token *suffix, const char *what)
{
    fail_at(p->compilation, suffix->line, "%s '.%.*s' of an instruction that has one", what,
            (int)suffix->length, suffix->text);
}

static void add_modifier(struct parser *p, struct ptx_instr *instr, const struct token *suffix,
                         enum modifier modifier)
{
    if (ptx_has(instr, modifier))
        fail_at(p->compilation, suffix->line, "modifier '.%s' is written twice",
                isa_modifier_names[modifier]);
    instr->modifiers[modifier / 64] |= UINT64_C(1) << (modifier % 64);
}

static void add_type(struct parser *p, struct mnemonic *mnemonic, const struct token *suffix,
                     enum ptx_type type)
{
    struct isa_suffixes *suffixes = &mnemonic->suffixes;
    if (suffixes->type_count == PTX_MAX_TYPES)
        fail_at(p->compilation, suffix->line, "more than %d types", PTX_MAX_TYPES);
    suffixes->type_first |= suffixes->word_count == 0;
    suffixes->types[suffixes->type_count++] = type;
    mnemonic->instr.types[mnemonic->instr.type_count++] = type;
}

static void add_suffix(struct parser *p, struct mnemonic *mnemonic, const struct token *suffix)
{
    struct ptx_instr *instr = &mnemonic->instr;
    const struct name *known = find_name(&p->keywords, suffix->text, suffix->length);
    if (known && known->kind == NAME_TYPE) {
        add_type(p, mnemonic, suffix, (enum ptx_type)known->value);
        return;
    }
    if (known && known->kind == NAME_SPACE) {
        if (instr->space != PTX_GENERIC && instr->opcode != OP_CP)
            written_twice(p, suffix, "state space");
        if (instr->space == PTX_GENERIC) {
            instr->space = (enum ptx_space)known->value;
            instr->of_cluster = known->text == of_cluster;
        }
    } else if (known && known->kind == NAME_VECTOR) {
        if (instr->vector != 1)
            written_twice(p, suffix, "vector size");
        instr->vector = known->value;
    } else if (known) {
        add_modifier(p, instr, suffix, (enum modifier)known->value);
    }
    if (mnemonic->suffixes.word_count == ISA_MAX_WORDS)
        fail_at(p->compilation, suffix->line, "more modifiers than any instruction has");
    mnemonic->suffixes.words[mnemonic->suffixes.word_count++] =
        compilation_text(p->compilation, suffix->text, suffix->length);
}

/* From PTX 9.1 on local memory may be volatile. Only its thread sees it: that changes nothing. */
static bool is_idle(const struct parser *p, enum opcode opcode, const struct spelling *spelling,
                    const struct token *suffix)
{
    const int version = 1000 * p->module->version_major + p->module->version_minor;
    bool local = false;
    if (suffix->length != 8 || memcmp(suffix->text, "volatile", 8) || version < 9001)
        return false;
    for (int i = 0; i < spelling->count; i++)
        local |=
            spelling->suffixes[i].length == 5 && !memcmp(spelling->suffixes[i].text, "local", 5);
    return local && (opcode == OP_LD || opcode == OP_ST);
}

static struct mnemonic *new_mnemonic(struct parser *p, enum opcode opcode,
                                     const struct spelling *spelling, int line)
{
    struct mnemonic *mnemonic = compilation_allocate(p->compilation, sizeof *mnemonic);
    struct ptx_instr *instr = &mnemonic->instr;
    char why[320];
    *instr = (struct ptx_instr){
        .opcode = opcode, .guard = -1, .vector = 1, .target = -1, .reconverge = -1};
    instr->text = compilation_text(p->compilation, spelling->text, spelling->length);
    for (int i = 0; i < spelling->count; i++) {
        struct token suffix = spelling->suffixes[i];
        if (i + 1 < spelling->count && join(&p->keywords, &suffix, &spelling->suffixes[i + 1]))
            i++;
        if (!is_idle(p, opcode, spelling, &suffix))
            add_suffix(p, mnemonic, &suffix);
    }
    const struct isa_form *form = isa_form_of(opcode, &mnemonic->suffixes, p->module->target,
                                              &instr->since, instr->text, why, sizeof why);
    if (!form)
        fail_at(p->compilation, line, "%s", why);
    for (int i = 0; i < mnemonic->suffixes.word_count && !instr->columns; i++)
        instr->columns = isa_columns(mnemonic->suffixes.words[i]);
    isa_operands_of(form, instr->types, instr->type_count, instr->columns, true, &mnemonic->all);
    isa_operands_of(form, instr->types, instr->type_count, instr->columns, false, &mnemonic->least);
    instr->takes = &mnemonic->all;
    return mnemonic;
}

/* What unknown instructions belong to, by how their names begin: " (tensor cores)". */
static const char *feature_of(const struct token *name)
{
    static const struct {
        const char *prefix, *feature;
    } features[] = {
        {"tcgen05", " (tensor cores)"},
        {"multimem", " (multicast)"},
    };

    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const size_t length = strlen(features[i].prefix);
        if (name->length >= length && !memcmp(name->text, features[i].prefix, length))
            return features[i].feature;
    }
    return "";
}

/* Parses the opcode and its suffixes, such as add.s32 or ld.global.v4.u32. */
static const struct mnemonic *mnemonic(struct parser *p)
{
    struct token name = expect_word(p, "an instruction");
    if (p->token.kind == TOKEN_DOT_WORD && join(&p->opcodes, &name, &p->token))
        advance(p);
    const struct name *opcode = find_name(&p->opcodes, name.text, name.length);
    if (!opcode)
        fail_at(p->compilation, name.line, "unknown instruction '%.*s'%s", (int)name.length,
                name.text, feature_of(&name));
    struct spelling spelling;
    spelling.length = 0;
    spelling.count = 0;
    spell(p, &spelling, &name);
    for (; p->token.kind == TOKEN_DOT_WORD; advance(p)) {
        spell(p, &spelling, &p->token);
        if (spelling.count == ISA_MAX_WORDS + ISA_MAX_TYPES)
            fail_at(p->compilation, p->token.line, "more modifiers than any instruction has");
        spelling.suffixes[spelling.count++] = p->token;
    }
    const struct name *known = find_name(&p->mnemonics, spelling.text, spelling.length);
    if (known)
        return p->known_mnemonics[known->value];
    struct mnemonic *new = new_mnemonic(p, (enum opcode)opcode->value, &spelling, name.line);
    add_name(p->compilation, &p->mnemonics, new->instr.text, spelling.length, NAME_MNEMONIC,
             p->mnemonic_count);
    *APPEND(p->compilation, p->known_mnemonics, p->mnemonic_count) = new;
    return new;
}

/* 1, -1, 0x10, 0f3F800000 */
static void immediate(struct parser *p, struct ptx_operand *operand, enum ptx_type type)
{
    operand->kind = OPERAND_IMMEDIATE;
    struct token token = p->token;
    if (at_floating(p)) {
        token = floating(p);
        operand->is_float = true;
        operand->bits = float_bits(p, &token, type);
        return;
    }
    operand->bits = constant_expression(p);
}

/* %tid.x and the like. The lexer takes the .x for a modifier. */
static bool special(struct parser *p, struct ptx_operand *operand)
{
    const char *text = p->token.text;
    size_t length = p->token.length;
    bool dotted = p->following.kind == TOKEN_DOT_WORD && p->following.text == text + length + 1;
    if (dotted)
        length += 1 + p->following.length;
    const struct name *known = find_name(&p->specials, text, length);
    if (!known)
        return false;
    advance(p);
    if (dotted)
        advance(p);
    operand->kind = OPERAND_SPECIAL;
    operand->number = known->value;
    return true;
}

enum { RESERVED_BYTES = 1024, RESERVED_ALIGN = 16 };

/* The variable of the module that stands for the reserved shared memory. Blocks have it on sm_80
 * and later, in addition to their own. */
static int reserved_variable(struct parser *p)
{
    struct ptx_module *module = p->module;
    if (p->has_reserved)
        return p->reserved;
    struct ptx_var *var = APPEND(p->compilation, module->vars, module->var_count);
    *var = (struct ptx_var){.name = "%reserved_smem",
                            .space = PTX_SHARED,
                            .is_reserved = true,
                            .size = RESERVED_BYTES,
                            .align = RESERVED_ALIGN};
    p->has_reserved = true;
    p->reserved = module->var_count - 1;
    return p->reserved;
}

/* %reserved_smem_offset_1 and the like. Cooperative groups use up to 288 bytes at _1, for groups
 * of several warps. */
static bool reserved(struct parser *p, struct ptx_operand *operand)
{
    static const struct {
        const char *name;
        int64_t offset;
    } registers[] = {{"%reserved_smem_offset_begin", 0},
                     {"%reserved_smem_offset_end", RESERVED_BYTES},
                     {"%reserved_smem_offset_0", 0},
                     {"%reserved_smem_offset_1", RESERVED_BYTES / 2}};
    const bool is_size = at_word(p, "%reserved_smem_offset_cap");
    size_t i = 0;
    while (i < sizeof registers / sizeof *registers && !at_word(p, registers[i].name))
        i++;
    if (!is_size && i == sizeof registers / sizeof *registers)
        return false;
    if (p->module->target.capability < 80)
        fail_at(p->compilation, p->token.line, "'%.*s' needs target sm_80 or later",
                (int)p->token.length, p->token.text);
    advance(p);
    if (is_size)
        *operand = (struct ptx_operand){.kind = OPERAND_IMMEDIATE, .bits = RESERVED_BYTES};
    else
        *operand = (struct ptx_operand){
            .kind = OPERAND_SYMBOL, .number = reserved_variable(p), .offset = registers[i].offset};
    return true;
}

/* The register that a word names. */
static int register_number(struct parser *p)
{
    struct token name = expect_word(p, "a register");
    const struct name *known = look_up(p, name.text, name.length);
    if (!known)
        not_declared(p, &name);
    if (known->kind != NAME_REGISTER)
        fail_at(p->compilation, name.line, "'%.*s' is not a register", (int)name.length, name.text);
    return known->value;
}

/* The part after the bar of d|p or _|p. */
static void pair(struct parser *p, struct ptx_operand *operand, int first)
{
    operand->kind = OPERAND_PAIR;
    operand->number = first;
    operand->second = -1;
    if (at_word(p, "_"))
        advance(p);
    else
        operand->second = register_number(p);
}

static int64_t offset(struct parser *p)
{
    bool follows = at_punctuation(p, '+') || at_punctuation(p, '-');
    return follows ? (int64_t)constant_expression(p) : 0;
}

/* An operand that is a word: a register, a pair, a sink, a special register, or the address of a
 * variable. */
static void named_operand(struct parser *p, struct ptx_operand *operand)
{
    struct token name = p->token;
    if (special(p, operand) || reserved(p, operand))
        return;
    advance(p);
    const struct name *known = look_up(p, name.text, name.length);
    if (name.length == 1 && *name.text == '_') {
        operand->kind = OPERAND_SINK;
        if (accept(p, '|'))
            pair(p, operand, -1);
    } else if (known && known->kind == NAME_REGISTER) {
        operand->kind = OPERAND_REGISTER;
        operand->number = known->value;
        if (accept(p, '|'))
            pair(p, operand, known->value);
    } else if (known && known->kind == NAME_VARIABLE) {
        operand->kind = OPERAND_SYMBOL;
        operand->number = known->value;
        operand->offset = offset(p);
    } else if (known && known->kind == NAME_FUNCTION) {
        operand->kind = OPERAND_SYMBOL;
        operand->number = function_address(p, known->value);
    } else if (known) {
        fail_at(p->compilation, name.line, "'%.*s' is no value", (int)name.length, name.text);
    } else {
        not_declared(p, &name);
    }
}

/* The rest of an address after '[': [%rd1+8], [x], [x+8], [16] */
static void address(struct parser *p, struct ptx_operand *operand)
{
    operand->kind = OPERAND_ADDRESS;
    if (p->token.kind == TOKEN_WORD) {
        struct token name = expect_word(p, "an address");
        const struct name *known = look_up(p, name.text, name.length);
        if (!known)
            not_declared(p, &name);
        if (known->kind != NAME_REGISTER && known->kind != NAME_VARIABLE)
            fail_at(p->compilation, name.line, "'%.*s' has no address", (int)name.length,
                    name.text);
        operand->base = known->kind == NAME_REGISTER ? BASE_REGISTER : BASE_SYMBOL;
        operand->number = known->value;
        operand->offset = offset(p);
    } else {
        operand->offset = (int64_t)constant_expression(p);
    }
    expect(p, ']');
}

/* The number of elements of the vector after whose '{' the parser is. The type of the numbers in
 * it depends on that. */
static int count_elements(const struct parser *p)
{
    int count = 1;
    struct lexer ahead = p->lexer;
    struct token token = p->token, following = p->following;
    while (token.kind != TOKEN_END && !(token.kind == TOKEN_PUNCTUATION && *token.text == '}')) {
        if (token.kind == TOKEN_PUNCTUATION && *token.text == ';')
            break;
        count += token.kind == TOKEN_PUNCTUATION && *token.text == ',';
        token = following;
        following = next_token(&ahead);
    }
    return count;
}

static void value(struct parser *p, struct ptx_operand *operand, enum ptx_type type)
{
    if (at_punctuation(p, '!') && p->following.kind == TOKEN_WORD) {
        advance(p);
        operand->kind = OPERAND_REGISTER;
        operand->negated = true;
        operand->number = register_number(p);
    } else if (p->token.kind == TOKEN_WORD && !at_word(p, "WARP_SZ")) {
        named_operand(p, operand);
    } else {
        immediate(p, operand, type);
    }
}

/* The rest of a vector after '{': {%r1, %r2, 0} */
static void vector(struct parser *p, const struct ptx_instr *instr, int index,
                   struct ptx_operand *operand)
{
    operand->kind = OPERAND_VECTOR;
    int line = p->token.line;
    int count = count_elements(p);
    const bool counted = isa_takes_coordinates(instr->takes->items[index].letter) ||
                         (count > 1 && instr->takes->items[index].elements == count);
    if (count != 1 && count != 2 && count != 4 && count != 8 && !counted)
        fail_at(p->compilation, line, "a vector of %d elements", count);
    operand->elements = compilation_array(p->compilation, (size_t)count, sizeof *operand->elements);
    operand->count = count;
    for (int i = 0; i < count; i++) {
        if (i > 0)
            expect(p, ',');
        value(p, &operand->elements[i], element_type(instr, index, count));
    }
    expect(p, '}');
}

/* A vector, or one value in braces where it is none. */
static void values(struct parser *p, const struct ptx_instr *instr, int index,
                   struct ptx_operand *operand)
{
    const struct isa_operand *takes = &instr->takes->items[index];
    struct ptx_operand braced = {.kind = OPERAND_SINK};
    vector(p, instr, index, &braced);
    const bool is_vector = index >= instr->takes->count || takes->braced || instr->vector > 1 ||
                           (takes->letter != 'v' && takes->letter != 'w');
    *operand = is_vector || braced.count != 1 ? braced : braced.elements[0];
}

/* The address of a texture or a tensor: [%rd1, {%f1, %f2}], [%rd1, %r1] */
static void texel(struct parser *p, const struct ptx_instr *instr, int index,
                  struct ptx_operand *operand)
{
    struct ptx_operand coordinates = {.kind = OPERAND_SINK};
    expect(p, '[');
    operand->base = BASE_REGISTER;
    operand->number = register_number(p);
    expect(p, ',');
    if (accept(p, '{')) {
        vector(p, instr, index, &coordinates);
    } else {
        coordinates.elements = compilation_array(p->compilation, 1, sizeof *operand->elements);
        coordinates.count = 1;
        value(p, coordinates.elements, operand_type(instr, index));
    }
    operand->kind = OPERAND_ADDRESS;
    operand->elements = coordinates.elements;
    operand->count = coordinates.count;
    expect(p, ']');
}

static void label_operand(struct parser *p, struct ptx_operand *operand)
{
    struct token name = expect_word(p, "a label");
    operand->kind = OPERAND_LABEL;
    operand->name = compilation_text(p->compilation, name.text, name.length);
    refer_to_label(
        p, (struct reference){name.text, name.length, name.line, p->function->instr_count, -1, -1});
}

static bool is_video(const struct isa_operand *takes)
{
    return takes->parts || takes->negates;
}

/* An operand of a video instruction: -%r1.b0 */
static void video_operand(struct parser *p, const struct isa_operand *takes,
                          struct ptx_operand *operand)
{
    operand->negated = takes->negates && p->following.kind == TOKEN_WORD && accept(p, '-');
    value(p, operand, takes->type);
    if (operand->negated && operand->kind != OPERAND_REGISTER)
        expected(p, "a register behind '-'");
    if (operand->kind != OPERAND_REGISTER || p->token.kind != TOKEN_DOT_WORD)
        return;
    if (p->token.length >= sizeof operand->part)
        fail_at(p->compilation, p->token.line, "unknown part '.%.*s' of a register",
                (int)p->token.length, p->token.text);
    memcpy(operand->part, p->token.text, p->token.length);
    advance(p);
}

static void operand_at(struct parser *p, struct ptx_instr *instr, int index)
{
    struct ptx_operand *operand = &instr->operands[index];
    char letter = index < instr->takes->count ? instr->takes->items[index].letter : 0;
    if (letter == 'l' || letter == 't')
        label_operand(p, operand);
    else if (isa_takes_coordinates(letter))
        texel(p, instr, index, operand);
    else if (accept(p, '['))
        address(p, operand);
    else if (accept(p, '{'))
        values(p, instr, index, operand);
    else if (index < instr->takes->count && is_video(&instr->takes->items[index]))
        video_operand(p, &instr->takes->items[index], operand);
    else
        value(p, operand, operand_type(instr, index));
}

static void operands(struct parser *p, struct ptx_instr *instr)
{
    if (instr->takes->count == 0 || at_punctuation(p, ';'))
        return;
    do {
        if (instr->operand_count == PTX_MAX_OPERANDS)
            fail_at(p->compilation, instr->line, "more than %d operands", PTX_MAX_OPERANDS);
        operand_at(p, instr, instr->operand_count++);
    } while (accept(p, ','));
}

/* Parse the (a, b) of a call into `list`. */
static void call_list(struct parser *p, struct ptx_operand *list)
{
    list->kind = OPERAND_LIST;
    if (!accept(p, '('))
        return;
    while (!accept(p, ')')) {
        if (list->count == MAX_LIST)
            fail_at(p->compilation, p->token.line, "more than %d arguments", MAX_LIST);
        struct ptx_operand *element = APPEND(p->compilation, list->elements, list->count);
        struct token name = p->token;
        value(p, element, PTX_NONE);
        if (element->kind != OPERAND_SYMBOL || p->module->vars[element->number].space != PTX_PARAM)
            fail_at(p->compilation, name.line, "'%.*s' is not a .param variable", (int)name.length,
                    name.text);
        if (!at_punctuation(p, ')'))
            expect(p, ',');
    }
}

static void check_call_list(struct parser *p, const struct ptx_instr *instr,
                            const struct ptx_operand *list, int first, int count, const char *what)
{
    const struct ptx_function *callee = &p->module->functions[instr->operands[1].number];
    if (list->count != count)
        fail_at(p->compilation, instr->line, "'%s' has %d %s, the call %d", callee->name, count,
                what, list->count);
    for (int i = 0; i < count; i++) {
        const struct ptx_var *formal = &p->module->vars[first + i];
        const struct ptx_var *actual = &p->module->vars[list->elements[i].number];
        if (formal->size != actual->size)
            fail_at(p->compilation, instr->line, "'%s' of %zu bytes does not fit '%s' of %zu",
                    actual->name, actual->size, formal->name, formal->size);
    }
}

/* A function, or a register with the address of one. */
static void callee(struct parser *p, struct ptx_operand *operand)
{
    struct token name = expect_word(p, "a function");
    const struct name *known = look_up(p, name.text, name.length);
    if (!known)
        not_declared(p, &name);
    if (known->kind != NAME_FUNCTION && known->kind != NAME_REGISTER)
        fail_at(p->compilation, name.line, "'%.*s' is not a function", (int)name.length, name.text);
    operand->kind = known->kind == NAME_FUNCTION ? OPERAND_FUNCTION : OPERAND_REGISTER;
    operand->number = known->value;
}

/* What is called by its address has a prototype, or a list of what it may be, in the end. What it
 * takes is compared with the function that it turns out to be, once it is called. */
static void prototype(struct parser *p, const struct ptx_operand *address)
{
    if (ptx_type_size(p->function->registers[address->number].type) != 8)
        expected(p, "a function or a 64-bit register before it");
    expect(p, ',');
    struct token name = expect_word(p, "a prototype");
    const struct name *known = find_name(&p->scope->labels, name.text, name.length);
    for (struct scope *scope = p->scope->parent; scope && !known; scope = scope->parent)
        known = find_name(&scope->labels, name.text, name.length);
    if (!known || known->kind != NAME_PROTOTYPE)
        fail_at(p->compilation, name.line, "'%.*s' is no .callprototype or .calltargets",
                (int)name.length, name.text);
}

/* call.uni (results), function, (arguments). A list that is left out becomes an empty one. */
static void call(struct parser *p, struct ptx_instr *instr)
{
    struct ptx_operand *results = &instr->operands[0];
    struct ptx_operand *arguments = &instr->operands[2];
    instr->operand_count = 3;
    bool has_results = at_punctuation(p, '(');
    call_list(p, results);
    if (has_results)
        expect(p, ',');
    callee(p, &instr->operands[1]);
    arguments->kind = OPERAND_LIST;
    const bool by_address = instr->operands[1].kind == OPERAND_REGISTER;
    if (at_punctuation(p, ',') && (!by_address || *p->following.text == '(')) {
        advance(p);
        if (!at_punctuation(p, '('))
            expected(p, "'('");
        call_list(p, arguments);
    }
    if (instr->operands[1].kind == OPERAND_REGISTER) {
        prototype(p, &instr->operands[1]);
        return;
    }
    const struct signature *s = &p->signatures[instr->operands[1].number];
    check_call_list(p, instr, results, s->first_result, s->result_count, "results");
    check_call_list(p, instr, arguments, s->first_param, s->param_count, "parameters");
}

/* @%p or @!%p */
static void guard(struct parser *p, struct ptx_instr *instr)
{
    instr->guard_negated = accept(p, '!');
    int line = p->token.line;
    instr->guard = register_number(p);
    const struct ptx_register *reg = &p->function->registers[instr->guard];
    if (reg->type != PTX_PRED)
        fail_at(p->compilation, line, "guard '%s' is not a predicate", reg->name);
}

/* After a blank or a comment at `c`; or `c`. */
static const char *behind_blank(const char *c)
{
    if (*c > '/')
        return c;
    if (!strncmp(c, "//", 2))
        return c + strcspn(c, "\n");
    if (!strncmp(c, "/*", 2))
        return strstr(c, "*/") + 2;
    return *c && strchr(" \t\r\n", *c) ? c + 1 : c;
}

/* The text up to `end` in one line: of blanks and comments one blank is left, and none within
 * brackets. */
static const char *in_one_line(struct parser *p, const char *text, const char *end)
{
    char *line = compilation_text(p->compilation, text, (size_t)(end - text)), *to = line;
    bool blank = false;
    while (text < end) {
        const char *next = behind_blank(text);
        blank |= next > text;
        if (next == text) {
            if (blank && !strchr("({[", to[-1]) && !strchr(")}],;", *text))
                *to++ = ' ';
            blank = false;
            *to++ = *next++;
        }
        text = next;
    }
    *to = '\0';
    return line;
}

void instruction(struct parser *p)
{
    const char *const begin = p->token.text;
    struct ptx_instr guarded = {.guard = -1};
    if (accept(p, '@'))
        guard(p, &guarded);
    int line = p->token.line;
    const struct mnemonic *known = mnemonic(p);
    struct ptx_instr instr = known->instr;
    instr.guard = guarded.guard;
    instr.guard_negated = guarded.guard_negated;
    instr.line = line;
    instr.location = p->location;
    instr.rolled = p->rolled;
    p->rolled = false;
    if (instr.opcode == OP_CALL)
        call(p, &instr);
    else
        operands(p, &instr);
    instr.whole = in_one_line(p, begin, p->token.text + 1);
    expect(p, ';');
    if (instr.operand_count == known->least.count)
        instr.takes = &known->least;
    check_operands(p->compilation, p->module, p->function, &instr, known->least.count);
    struct ptx_function *f = p->function;
    if (f->instr_count == p->room) /* body() has made it for all that end in one */
        expected(p, "';'");
    f->instrs[f->instr_count++] = instr;
}
