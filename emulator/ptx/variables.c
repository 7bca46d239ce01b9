/* SPDX-License-Identifier: MIT */
/* Declarations of variables, and their initial values. */
#include <string.h>

#include "parser.h"

/* No real program has larger variables. Such a size is a typing error, or the text is not PTX. */
static const uint64_t max_bytes = UINT64_C(1) << 40;
static const uint64_t max_initialised_bytes = UINT64_C(1) << 28;
enum { MAX_NESTING = 8, MAX_ALIGN = 1 << 16 };

enum ptx_type type_name(struct parser *p)
{
    const struct name *name = NULL;
    if (p->token.kind == TOKEN_DOT_WORD)
        name = find_name(&p->keywords, p->token.text, p->token.length);
    if (!name || name->kind != NAME_TYPE)
        expected(p, "a type");
    advance(p);
    return (enum ptx_type)name->value;
}

static size_t alignment(struct parser *p)
{
    int line = p->token.line;
    uint64_t align = expect_integer(p, "an alignment");
    if (align == 0 || align > MAX_ALIGN || (align & (align - 1)) != 0)
        fail_at(p->compilation, line, "alignment %llu is not a power of two up to %d",
                (unsigned long long)align, MAX_ALIGN);
    return (size_t)align;
}

/* (.managed), for memory that host and device share. */
static void attribute(struct parser *p)
{
    expect(p, '(');
    if (!accept_directive(p, "managed"))
        expected(p, "'.managed'");
    expect(p, ')');
}

/* What may come between the state space and the name. For a parameter `.ptr .global .align 4`
 * tells the optimiser where it points, and is ignored here. */
static size_t qualifiers(struct parser *p, enum ptx_space space, enum ptx_type *type,
                         bool *is_managed)
{
    size_t align = 0;
    bool pointer = false;
    *type = PTX_NONE;
    for (;;) {
        if (accept_directive(p, "align")) {
            size_t value = alignment(p);
            align = pointer ? align : value;
        } else if (space == PTX_PARAM && accept_directive(p, "ptr")) {
            pointer = true;
        } else if (pointer && (accept_directive(p, "global") || accept_directive(p, "shared") ||
                               accept_directive(p, "const") || accept_directive(p, "local"))) {
            continue;
        } else if (space == PTX_GLOBAL && accept_directive(p, "attribute")) {
            attribute(p);
            *is_managed = true;
        } else if (p->token.kind == TOKEN_DOT_WORD && *type == PTX_NONE) {
            *type = type_name(p);
        } else {
            break;
        }
    }
    if (*type == PTX_NONE || *type == PTX_PRED || !ptx_type_is_declared(*type) ||
        (space == PTX_PARAM && *type == PTX_F16X2))
        expected(p, "a type of a variable");
    return align ? align : ptx_type_size(*type);
}

/* [4], [2][3] or [] after a name. Returns the number of elements, and 0 for []. */
static uint64_t dimensions(struct parser *p, bool *open)
{
    uint64_t count = 1;
    *open = false;
    while (accept(p, '[')) {
        if (accept(p, ']')) {
            *open = true;
            continue;
        }
        int line = p->token.line;
        uint64_t length = expect_integer(p, "an array's length");
        if (length > max_bytes || count * length > max_bytes)
            fail_at(p->compilation, line, "array too large");
        count *= length;
        expect(p, ']');
    }
    return count;
}

/* The state of an initial value while it is parsed. */
struct initialiser {
    uint64_t *values;
    int count;
    struct ptx_relocation *relocations;
    int relocation_count;
    enum ptx_type type;
};

/* Parses a number and returns its bits in type `type`. */
static uint64_t initial_number(struct parser *p, enum ptx_type type)
{
    if (at_floating(p)) {
        struct token token = floating(p);
        return float_bits(p, &token, type);
    }
    if (ptx_type_is_float(type))
        expected(p, "a floating-point number");
    return constant_expression(p);
}

int function_address(struct parser *p, int function)
{
    struct ptx_module *module = p->module;
    int *address = &p->signatures[function].address;
    if (*address == 0) {
        const struct ptx_var pointer = {.name = module->functions[function].name,
                                        .space = PTX_GLOBAL,
                                        .size = 8,
                                        .align = 8,
                                        .function = function + 1};
        *APPEND(p->compilation, module->vars, module->var_count) = pointer;
        *address = module->var_count;
    }
    return *address - 1;
}

/* sym, sym+8, generic(sym), generic(sym)+8 */
static void initial_address(struct parser *p, struct initialiser *init)
{
    bool generic = at_word(p, "generic") && p->following.kind == TOKEN_PUNCTUATION &&
                   *p->following.text == '(';
    if (generic) {
        advance(p);
        expect(p, '(');
    }
    struct token name = expect_word(p, "a variable");
    const struct name *known = look_up(p, name.text, name.length);
    if (!known)
        not_declared(p, &name);
    if (known->kind != NAME_VARIABLE && known->kind != NAME_FUNCTION)
        fail_at(p->compilation, name.line, "'%.*s' is no variable or function", (int)name.length,
                name.text);
    const bool is_variable = known->kind == NAME_VARIABLE;
    if (ptx_type_size(init->type) != 8)
        fail_at(p->compilation, name.line, "an address does not fit type .%s",
                ptx_type_name(init->type));
    if (generic)
        expect(p, ')');
    struct ptx_relocation relocation = {.at = (size_t)init->count * ptx_type_size(init->type),
                                        .var = is_variable ? known->value
                                                           : function_address(p, known->value),
                                        .generic = generic};
    if (at_punctuation(p, '+') || at_punctuation(p, '-'))
        relocation.addend = (int64_t)constant_expression(p);
    *APPEND(p->compilation, init->relocations, init->relocation_count) = relocation;
    *APPEND(p->compilation, init->values, init->count) = 0;
}

static void initial_value(struct parser *p, struct initialiser *init, int nesting)
{
    if (accept(p, '{')) {
        if (nesting == MAX_NESTING)
            expected(p, "a number");
        while (!accept(p, '}')) {
            initial_value(p, init, nesting + 1);
            if (!at_punctuation(p, '}'))
                expect(p, ',');
        }
    } else if (p->token.kind == TOKEN_WORD && !at_word(p, "WARP_SZ")) {
        initial_address(p, init);
    } else {
        uint64_t value = initial_number(p, init->type);
        *APPEND(p->compilation, init->values, init->count) = value;
    }
}

/* `= ...` into its init. A length left open becomes what is there. */
static void initialise(struct parser *p, struct ptx_var *var, enum ptx_type type, bool open)
{
    int line = p->token.line;
    struct initialiser init = {.type = type};
    initial_value(p, &init, 0);
    size_t width = ptx_type_size(type);
    size_t bytes = (size_t)init.count * width;
    if (open)
        var->size = bytes;
    if (bytes > var->size)
        fail_at(p->compilation, line, "'%s' holds %zu bytes, its initial value %zu", var->name,
                var->size, bytes);
    if (var->size > max_initialised_bytes)
        fail_at(p->compilation, line, "'%s' is too large to be initialised", var->name);
    var->init = compilation_array(p->compilation, var->size, 1);
    for (int i = 0; i < init.count; i++)
        memcpy(var->init + (size_t)i * width, &init.values[i], width);
    var->relocations = init.relocations;
    var->relocation_count = init.relocation_count;
}

static bool may_be_initialised(const struct ptx_var *var)
{
    return !var->is_extern && (var->space == PTX_GLOBAL || var->space == PTX_CONST);
}

/* Declare the variable, unless it is an .extern one that is known. Returns its index. */
static int variable_named(struct parser *p, const struct token *name, struct ptx_var *var)
{
    struct ptx_module *module = p->module;
    const struct name *known = find_name(&p->scope->names, name->text, name->length);
    int index = linked(p, name, NAME_VARIABLE);
    if (index < 0) {
        var->name = compilation_text(p->compilation, name->text, name->length);
        *APPEND(p->compilation, module->vars, module->var_count) = *var;
        index = module->var_count - 1;
    }
    var->name = module->vars[index].name;
    if (!known || known->kind != NAME_VARIABLE || known->value != index)
        declare(p, name, NAME_VARIABLE, index);
    link_name(p, name, NAME_VARIABLE, index);
    return index;
}

enum ptx_type variable_type(struct parser *p, enum ptx_space space, bool is_extern,
                            struct ptx_var *like)
{
    enum ptx_type type;
    *like = (struct ptx_var){.space = space, .is_extern = is_extern};
    like->align = qualifiers(p, space, &type, &like->is_managed);
    return type;
}

int variable(struct parser *p, const struct ptx_var *like, enum ptx_type type)
{
    struct ptx_var var = *like;
    struct token name = expect_word(p, "a name");
    bool open;
    uint64_t count = dimensions(p, &open);
    if (count * ptx_type_size(type) > max_bytes)
        fail_at(p->compilation, name.line, "array too large");
    var.size = open ? 0 : (size_t)count * ptx_type_size(type);
    const enum linkage linkage = p->linkage;
    if (p->scope->parent)
        p->linkage = LINKAGE_NONE; /* inside a function */
    int index = variable_named(p, &name, &var);
    if (may_be_initialised(&var) && accept(p, '='))
        initialise(p, &var, type, open);
    else if ((open || count == 0) && !var.is_extern)
        fail_at(p->compilation, name.line, "array '%.*s' has no length", (int)name.length,
                name.text);
    if (link_variable(p, index, &var, name.line))
        p->module->vars[index] = var;
    p->linkage = linkage;
    return index;
}
