/* SPDX-License-Identifier: MIT */
/* Links the texts of a program, one for each of its objects, as nvlink links machine code: what is
 * .visible, .weak or .common in one text is what the others declare .extern. Whatever has none of
 * these words belongs to its text. */
#include <string.h>

#include "parser.h"

/* A name that texts share. */
struct symbol {
    enum name_kind kind; /* NAME_FUNCTION or NAME_VARIABLE */
    int value; /* index into the module's functions or vars */
    enum linkage linkage; /* of its definition; LINKAGE_EXTERN: there is none yet */
    int text; /* which text defines it */
};

static struct symbol *find_symbol(const struct parser *p, const char *name)
{
    const struct name *known = find_name(&p->shared_names, name, strlen(name));
    return known ? &p->symbols[known->value] : NULL;
}

int linked(struct parser *p, const struct token *name, enum name_kind kind)
{
    const struct name *known =
        p->linkage ? find_name(&p->shared_names, name->text, name->length) : NULL;
    if (!known)
        return -1;
    if (p->symbols[known->value].kind != kind)
        fail_at(p->compilation, name->line, "'%.*s' is a variable here and a function there",
                (int)name->length, name->text);
    return p->symbols[known->value].value;
}

void link_name(struct parser *p, const struct token *name, enum name_kind kind, int value)
{
    if (!p->linkage || find_name(&p->shared_names, name->text, name->length))
        return;
    *APPEND(p->compilation, p->symbols, p->symbol_count) =
        (struct symbol){.kind = kind, .value = value, .linkage = LINKAGE_EXTERN};
    add_name(p->compilation, &p->shared_names, name->text, name->length, kind, p->symbol_count - 1);
}

bool link_definition(struct parser *p, const char *name, int line)
{
    struct symbol *symbol = p->linkage ? find_symbol(p, name) : NULL;
    if (!symbol)
        return true;
    const enum linkage before = symbol->linkage;
    const bool fresh = before == LINKAGE_EXTERN;
    if (p->linkage == LINKAGE_EXTERN)
        return fresh;
    if (!fresh && symbol->text == p->text)
        fail_at(p->compilation, line, "'%s' is declared twice", name);
    if (before == LINKAGE_VISIBLE && p->linkage == LINKAGE_VISIBLE)
        fail_at(p->compilation, line, "two objects of the program define '%s'", name);
    if (!fresh && p->linkage != LINKAGE_VISIBLE)
        return false;
    symbol->linkage = p->linkage;
    symbol->text = p->text;
    return true;
}

/* Both have the same size, but common ones, which may be larger than each other, and smaller than
 * what is defined otherwise. */
static bool sizes_agree(enum linkage a_linkage, size_t a, enum linkage b_linkage, size_t b)
{
    const bool a_gives = a_linkage == LINKAGE_COMMON, b_gives = b_linkage == LINKAGE_COMMON;
    if (a == 0 || b == 0 || a == b)
        return true;
    return a < b ? a_gives : b_gives;
}

bool link_variable(struct parser *p, int index, struct ptx_var *var, int line)
{
    struct ptx_var *known = &p->module->vars[index];
    if (!p->linkage)
        return true;
    const enum linkage before = find_symbol(p, known->name)->linkage;
    if (known->space != var->space)
        fail_at(p->compilation, line, "'%s' is in .%s here and in .%s there", known->name,
                ptx_space_name(var->space), ptx_space_name(known->space));
    if (!sizes_agree(p->linkage, var->size, before, known->size))
        fail_at(p->compilation, line, "'%s' has %zu bytes here and %zu there", known->name,
                var->size, known->size);
    const size_t align = known->align > var->align ? known->align : var->align;
    known->align = var->align = align;
    if (p->linkage == LINKAGE_COMMON && before == LINKAGE_COMMON && var->size > known->size)
        known->size = var->size;
    return link_definition(p, known->name, line);
}
