/* SPDX-License-Identifier: MIT */
/* Kernels and device functions, from their signature to the end of their body. Where only one
 * function fails, the parser goes on after it. */
#include <limits.h>
#include <string.h>

#include "parser.h"

/* (.param .u64 a, .param .u32 b). Returns how many there are. */
static int parameters(struct parser *p)
{
    int count = 0;
    expect(p, '(');
    while (!accept(p, ')')) {
        if (!accept_directive(p, "param"))
            expected(p, "'.param'");
        struct ptx_var like;
        enum ptx_type type = variable_type(p, PTX_PARAM, false, &like);
        variable(p, &like, type);
        count++;
        if (!at_punctuation(p, ')'))
            expect(p, ',');
    }
    return count;
}

/* An integer from 1 to `limit`. */
static int positive_integer(struct parser *p, const char *what, int limit)
{
    const int line = p->token.line;
    const int value = small_integer(p, what, limit);
    if (value == 0)
        fail_at(p->compilation, line, "%s of 0", what);
    return value;
}

/* 256, 1, 1. Numbers that are missing are 1. */
static void counts_of(struct parser *p, uint32_t counts[3], const char *what)
{
    for (int i = 0; i < 3; i++)
        counts[i] = 1;
    for (int i = 0; i < 3; i++) {
        counts[i] = (uint32_t)positive_integer(p, what, 1024);
        if (i == 2 || !accept(p, ','))
            break;
    }
}

/* The directives between the signature of a kernel and its body. */
static void tuning(struct parser *p)
{
    struct ptx_function *f = p->function;
    while (p->token.kind == TOKEN_DOT_WORD) {
        if (accept_directive(p, "maxntid"))
            counts_of(p, f->max_threads, "a number of threads");
        else if (accept_directive(p, "reqntid"))
            counts_of(p, f->required_threads, "a number of threads");
        else if (accept_directive(p, "minnctapersm") || accept_directive(p, "maxnctapersm"))
            f->min_blocks = positive_integer(p, "a limit", INT_MAX);
        else if (accept_directive(p, "reqnctapercluster"))
            counts_of(p, f->cluster, "a number of blocks");
        else if (accept_directive(p, "maxclusterrank"))
            small_integer(p, "a limit", INT_MAX);
        else if (accept_directive(p, "maxnreg"))
            f->max_registers = positive_integer(p, "a limit", INT_MAX);
        else if (accept_directive(p, "pragma"))
            pragma(p);
        else if (!accept_directive(p, "explicitcluster") && !accept_directive(p, "noreturn"))
            unknown_directive(p);
    }
}

/* The function of that name, which is added if it was not declared before, here or in another text.
 */
static int function_named(struct parser *p, const struct token *name, bool is_entry)
{
    struct ptx_module *module = p->module;
    const struct name *known = look_up(p, name->text, name->length);
    int index = known ? known->value : linked(p, name, NAME_FUNCTION);
    if (known && (known->kind != NAME_FUNCTION || p->signatures[index].text == p->text))
        declared_twice(p, name);
    if (index >= 0 && module->functions[index].is_entry != is_entry)
        declared_twice(p, name);
    if (index < 0) {
        index = module->function_count;
        struct ptx_function *f = APPEND(p->compilation, module->functions, module->function_count);
        p->signatures = grow(p->compilation, p->signatures, index, sizeof *p->signatures);
        f->name = compilation_text(p->compilation, name->text, name->length);
        f->is_entry = is_entry;
    }
    if (!known)
        declare(p, name, NAME_FUNCTION, index);
    link_name(p, name, NAME_FUNCTION, index);
    return index;
}

/* A function while it is read. */
struct definition {
    struct parser *parser;
    bool is_entry;
    struct scope *inside; /* of its parameters */
    int index;
    int line;
    struct signature signature;
    struct ptx_function function;
    bool is_known; /* what was known of it before stays */
};

/* Opens the scope of the function's parameters. The function itself is declared outside of it,
 * once its name is known. */
static void signature(void *self)
{
    struct definition *d = self;
    struct parser *p = d->parser;
    struct scope *outside = p->scope;
    struct signature *found = &d->signature;
    *found = (struct signature){.first_result = p->module->var_count};
    open_scope(p);
    if (!d->is_entry && at_punctuation(p, '('))
        found->result_count = parameters(p);
    struct token name = expect_word(p, "a function's name");
    found->first_param = p->module->var_count;
    if (at_punctuation(p, '('))
        found->param_count = parameters(p);
    d->line = name.line;
    d->inside = p->scope;
    p->scope = outside;
    d->index = function_named(p, &name, d->is_entry);
    p->scope = d->inside;
}

/* Skip to the end of the next body at or after the current token. Returns false if it has no
 * end. */
static bool skip_body(struct parser *p)
{
    struct lexer lexer = p->lexer;
    lexer.at = p->token.text;
    lexer.line = p->token.line;
    if (!skip_braces(&lexer))
        return false;
    p->lexer = lexer;
    p->following = next_token(&p->lexer);
    advance(p);
    return true;
}

/* What is now read of the function stands for it: calls, its own among them, must fit. */
static void take_signature(struct definition *d)
{
    struct signature *known = &d->parser->signatures[d->index];
    d->signature.address = known->address;
    *known = d->signature;
}

/* The rest of a function, after its signature. A body that another text's stands for is skipped. */
static void definition_of_function(void *self)
{
    struct definition *d = self;
    struct parser *p = d->parser;
    tuning(p);
    if (accept(p, ';')) {
        d->is_known = p->module->functions[d->index].has_body;
        if (!d->is_known)
            take_signature(d);
    } else {
        if (!at_punctuation(p, '{'))
            expected(p, "a function's body");
        if (p->linkage == LINKAGE_EXTERN)
            fail_at(p->compilation, d->line, "'%s' is .extern and has a body", d->function.name);
        d->signature.text = p->text;
        d->function.has_body = true;
        d->is_known = !link_definition(p, d->function.name, d->line);
        if (d->is_known) {
            if (!skip_body(p))
                fail_at(p->compilation, d->line, "'%s' has no end", d->function.name);
        } else {
            take_signature(d);
            body(p);
        }
    }
    close_scope(p);
}

/* Go back to where `before` was, to parse from there again. */
static void go_back(struct parser *p, const struct parser *before)
{
    p->token = before->token;
    p->following = before->following;
    p->lexer = before->lexer;
    p->scope = before->scope;
    p->depth = before->depth;
    p->linkage = before->linkage;
}

/* Only this function fails: it gets an error instead of instructions, and other functions can
 * run. */
static void give_up_function(struct parser *p, const struct parser *before)
{
    struct compilation *c = p->compilation;
    struct ptx_function *f = before->function;
    *f = (struct ptx_function){.name = f->name,
                               .is_entry = f->is_entry,
                               .has_body = true,
                               .error = compilation_text(c, c->error, strlen(c->error)),
                               .error_location = p->location};
    go_back(p, before);
    p->scope->reference_count = 0;
    if (!skip_body(p))
        fail_at(c, 0, "%s", f->error);
    close_scope(p);
}

static void skip_results(struct parser *p)
{
    if (!at_punctuation(p, '('))
        return;
    while (!accept(p, ')') && p->token.kind != TOKEN_END)
        advance(p);
}

/* The same if already the signature has an error. Only the name is known then. */
static void give_up_signature(struct parser *p, const struct parser *before, bool is_entry)
{
    struct compilation *c = p->compilation;
    char *error = compilation_text(c, c->error, strlen(c->error));
    go_back(p, before);
    if (!is_entry)
        skip_results(p);
    if (p->token.kind != TOKEN_WORD)
        fail_at(c, 0, "%s", error);
    struct token name = p->token;
    const int index = function_named(p, &name, is_entry);
    struct ptx_function *f = &p->module->functions[index];
    if (!f->has_body) {
        f->error = error;
        f->error_location = -1;
        f->has_body = true;
    }
    p->signatures[index].text = p->text;
    int open = 0; /* if a parenthesis was left open, the body is that of another function */
    while (!at_punctuation(p, '{') && !at_punctuation(p, ';') && p->token.kind != TOKEN_END) {
        open += at_punctuation(p, '(') - at_punctuation(p, ')');
        advance(p);
    }
    if (open != 0 || (!accept(p, ';') && !skip_body(p)))
        fail_at(c, 0, "%s", error);
}

void function(struct parser *p, bool is_entry)
{
    struct definition d = {.parser = p, .is_entry = is_entry};
    const struct parser outside = *p;
    if (!attempt(p->compilation, signature, &d)) {
        give_up_signature(p, &outside, is_entry);
        return;
    }
    d.function =
        (struct ptx_function){.name = p->module->functions[d.index].name, .is_entry = is_entry};
    p->function = &d.function;
    p->location = -1;
    p->tables = NULL;
    p->table_count = 0;
    p->last_locations = (struct names){0};
    const struct parser before = *p;
    if (!attempt(p->compilation, definition_of_function, &d)) {
        give_up_function(p, &before);
        p->signatures[d.index].text = p->text;
    }
    p->function = NULL;
    if (!d.is_known)
        p->module->functions[d.index] = d.function;
}
