/* SPDX-License-Identifier: MIT */
/* Scopes: the declarations inside braces, and the meaning of names. */
#include <string.h>

#include "parser.h"

enum { MAX_DEPTH = 64 };

void open_scope(struct parser *p)
{
    if (++p->depth > MAX_DEPTH)
        fail_at(p->compilation, p->token.line, "more than %d scopes inside each other", MAX_DEPTH);
    struct scope *scope = compilation_allocate(p->compilation, sizeof *scope);
    scope->parent = p->scope;
    p->scope = scope;
}

static void bind_branch(struct parser *p, const struct reference *reference,
                        const struct name *label)
{
    struct ptx_instr *instr = &p->function->instrs[reference->instr];
    struct ptx_operand *operand = &instr->operands[instr->operand_count - 1];
    bool wants_table = instr->opcode == OP_BRX;
    if (wants_table != (label->kind == NAME_TABLE))
        fail_at(p->compilation, reference->line, "'%.*s' is %s", (int)reference->length,
                reference->name, wants_table ? "not a list of .branchtargets" : "not a label");
    if (wants_table) {
        operand->number = -1;
        instr->targets = p->tables[label->value].targets;
        instr->target_count = p->tables[label->value].count;
    } else {
        operand->number = label->value;
        instr->target = label->value;
    }
}

static void bind_table_entry(struct parser *p, const struct reference *reference,
                             const struct name *label)
{
    if (label->kind != NAME_LABEL)
        fail_at(p->compilation, reference->line, "'%.*s' is not a label", (int)reference->length,
                reference->name);
    p->tables[reference->table].targets[reference->entry] = label->value;
}

/* References to labels that are not found here are passed to the outer scope, where the label
 * may come later. */
void close_scope(struct parser *p)
{
    struct scope *scope = p->scope;
    p->scope = scope->parent;
    p->depth--;
    for (int i = 0; i < scope->reference_count; i++) {
        const struct reference *reference = &scope->references[i];
        const struct name *label = find_name(&scope->labels, reference->name, reference->length);
        if (label && reference->instr >= 0)
            bind_branch(p, reference, label);
        else if (label)
            bind_table_entry(p, reference, label);
        else if (p->depth > 1)
            refer_to_label(p, *reference);
        else
            fail_at(p->compilation, reference->line, "label '%.*s' is not defined",
                    (int)reference->length, reference->name);
    }
}

_Noreturn void declared_twice(struct parser *p, const struct token *name)
{
    fail_at(p->compilation, name->line, "'%.*s' is declared twice", (int)name->length, name->text);
}

_Noreturn void not_declared(struct parser *p, const struct token *name)
{
    fail_at(p->compilation, name->line, "'%.*s' is not declared", (int)name->length, name->text);
}

void declare(struct parser *p, const struct token *name, enum name_kind kind, int value)
{
    if (find_name(&p->scope->names, name->text, name->length))
        declared_twice(p, name);
    add_name(p->compilation, &p->scope->names, name->text, name->length, kind, value);
}

static int add_register(struct parser *p, const char *text, size_t length, enum ptx_type type)
{
    struct ptx_function *f = p->function;
    struct ptx_register *reg = APPEND(p->compilation, f->registers, f->register_count);
    reg->name = compilation_text(p->compilation, text, length);
    reg->type = type;
    return f->register_count - 1;
}

void declare_label(struct parser *p, const struct token *name, enum name_kind kind, int value)
{
    if (find_name(&p->scope->labels, name->text, name->length))
        fail_at(p->compilation, name->line, "label '%.*s' is defined twice", (int)name->length,
                name->text);
    add_name(p->compilation, &p->scope->labels, name->text, name->length, kind, value);
}

void refer_to_label(struct parser *p, struct reference reference)
{
    *APPEND(p->compilation, p->scope->references, p->scope->reference_count) = reference;
}

/* Splits %r12 into %r and 12. The number must be written as PTX does it, without leading zeros.
 * Returns the length of the prefix, or 0 if there is no number at the end. */
static size_t split_number(const char *text, size_t length, uint64_t *number)
{
    enum { MAX_DIGITS = 18 };
    size_t prefix = length;
    while (prefix > 0 && text[prefix - 1] >= '0' && text[prefix - 1] <= '9')
        prefix--;
    size_t digits = length - prefix;
    if (digits == 0 || digits > MAX_DIGITS || (digits > 1 && text[prefix] == '0'))
        return 0;
    *number = 0;
    for (size_t i = prefix; i < length; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return prefix;
}

/* Makes the register of a range that `text` names. Returns NULL if there is no such range. */
static const struct name *register_of_range(struct parser *p, struct scope *scope, const char *text,
                                            size_t length)
{
    uint64_t number = 0;
    size_t prefix = split_number(text, length, &number);
    const struct name *range = find_name(&scope->ranges_by_prefix, text, prefix);
    if (!range || number >= scope->ranges[range->value].count)
        return NULL;
    int reg = add_register(p, text, length, scope->ranges[range->value].type);
    add_name(p->compilation, &scope->names, text, length, NAME_REGISTER, reg);
    return find_name(&scope->names, text, length);
}

void declare_register(struct parser *p, const struct token *name, enum ptx_type type)
{
    if (register_of_range(p, p->scope, name->text, name->length))
        declared_twice(p, name);
    declare(p, name, NAME_REGISTER, add_register(p, name->text, name->length, type));
}

/* Is one of the registers of a range already declared? */
static bool is_partly_declared(const struct scope *scope, const struct token *prefix,
                               uint64_t count)
{
    for (size_t i = 0; i < scope->names.capacity; i++) {
        const struct name *name = &scope->names.slots[i];
        uint64_t number = 0;
        if (name->text && split_number(name->text, name->length, &number) == prefix->length &&
            memcmp(name->text, prefix->text, prefix->length) == 0 && number < count)
            return true;
    }
    return false;
}

void declare_range(struct parser *p, const struct token *prefix, enum ptx_type type, uint64_t count)
{
    struct scope *scope = p->scope;
    if (find_name(&scope->ranges_by_prefix, prefix->text, prefix->length) ||
        is_partly_declared(scope, prefix, count))
        declared_twice(p, prefix);
    add_name(p->compilation, &scope->ranges_by_prefix, prefix->text, prefix->length, NAME_RANGE,
             scope->range_count);
    *APPEND(p->compilation, scope->ranges, scope->range_count) = (struct range){type, count};
}

const struct name *look_up(struct parser *p, const char *text, size_t length)
{
    for (struct scope *scope = p->scope; scope; scope = scope->parent) {
        const struct name *name = find_name(&scope->names, text, length);
        if (!name && scope->ranges_by_prefix.count > 0)
            name = register_of_range(p, scope, text, length);
        if (name)
            return name;
    }
    return NULL;
}
