/* SPDX-License-Identifier: MIT */
/* Kernels and device functions, from their signature to the end of their body. Where only one
 * function fails, the parser goes on behind it. */
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

/* 256, 1, 1. Numbers that are missing are 1. */
static void counts_of(struct parser *p, uint32_t counts[3], const char *what)
{
    for (int i = 0; i < 3; i++)
        counts[i] = 1;
    for (int i = 0; i < 3; i++) {
        counts[i] = (uint32_t)small_integer(p, what, 1024);
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
            f->min_blocks = small_integer(p, "a limit", INT_MAX);
        else if (accept_directive(p, "reqnctapercluster"))
            counts_of(p, f->cluster, "a number of blocks");
        else if (accept_directive(p, "maxclusterrank"))
            small_integer(p, "a limit", INT_MAX);
        else if (accept_directive(p, "maxnreg"))
            f->max_registers = small_integer(p, "a limit", INT_MAX);
        else if (accept_directive(p, "pragma"))
            pragma(p);
        else if (!accept_directive(p, "explicitcluster") && !accept_directive(p, "noreturn"))
            unknown_directive(p);
    }
}

/* The function of that name, which is added if it was not declared before. */
static int function_named(struct parser *p, const struct token *name, bool is_entry)
{
    struct ptx_module *module = p->module;
    const struct name *known = look_up(p, name->text, name->length);
    if (known) {
        bool same = known->kind == NAME_FUNCTION &&
                    module->functions[known->value].is_entry == is_entry &&
                    !module->functions[known->value].has_body;
        if (!same)
            declared_twice(p, name);
        return known->value;
    }
    int index = module->function_count;
    struct ptx_function *f = APPEND(p->compilation, module->functions, module->function_count);
    p->signatures = grow(p->compilation, p->signatures, index, sizeof *p->signatures);
    f->name = compilation_text(p->compilation, name->text, name->length);
    f->is_entry = is_entry;
    declare(p, name, NAME_FUNCTION, index);
    return index;
}

/* Opens the scope of the function's parameters. The function itself is declared outside of it,
 * once its name is known. */
static int signature(struct parser *p, bool is_entry, struct scope **inside)
{
    struct scope *outside = p->scope;
    struct signature found = {.first_result = p->module->var_count};
    open_scope(p);
    if (!is_entry && at_punctuation(p, '('))
        found.result_count = parameters(p);
    struct token name = expect_word(p, "a function's name");
    found.first_param = p->module->var_count;
    if (at_punctuation(p, '('))
        found.param_count = parameters(p);
    *inside = p->scope;
    p->scope = outside;
    int index = function_named(p, &name, is_entry);
    p->signatures[index] = found;
    p->scope = *inside;
    return index;
}

/* The rest of a function, after its signature. */
static void definition_of_function(void *self)
{
    struct parser *p = self;
    tuning(p);
    if (!accept(p, ';')) {
        if (!at_punctuation(p, '{'))
            expected(p, "a function's body");
        p->function->has_body = true;
        body(p);
    }
    close_scope(p);
}

/* Skip to the end of the next body at or after the current token. Returns false if it has no
 * end. */
static bool skip_body(struct parser *p)
{
    struct lexer lexer = p->lexer;
    lexer.at = p->token.text;
    lexer.line = p->token.line;
    int depth = 0;
    do {
        skip_to_brace(&lexer);
        if (!*lexer.at)
            return false;
        depth += *lexer.at++ == '{' ? 1 : -1;
    } while (depth > 0);
    p->lexer = lexer;
    p->following = next_token(&p->lexer);
    advance(p);
    return true;
}

/* Go back to where `before` was, to parse from there again. */
static void go_back(struct parser *p, const struct parser *before)
{
    p->token = before->token;
    p->following = before->following;
    p->lexer = before->lexer;
    p->scope = before->scope;
    p->depth = before->depth;
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
    f->error = error;
    f->error_location = -1;
    f->has_body = true;
    int open = 0; /* if a parenthesis was left open, the body is that of another function */
    while (!at_punctuation(p, '{') && !at_punctuation(p, ';') && p->token.kind != TOKEN_END) {
        open += at_punctuation(p, '(') - at_punctuation(p, ')');
        advance(p);
    }
    if (open != 0 || (!accept(p, ';') && !skip_body(p)))
        fail_at(c, 0, "%s", error);
}

struct head {
    struct parser *parser;
    bool is_entry;
    struct scope *inside;
    int index;
};

static void read_head(void *self)
{
    struct head *head = self;
    head->index = signature(head->parser, head->is_entry, &head->inside);
}

void function(struct parser *p, bool is_entry)
{
    struct head head = {.parser = p, .is_entry = is_entry};
    const struct parser outside = *p;
    if (!attempt(p->compilation, read_head, &head)) {
        give_up_signature(p, &outside, is_entry);
        return;
    }
    int index = head.index;
    p->function = &p->module->functions[index];
    p->location = -1;
    p->tables = NULL;
    p->table_count = 0;
    p->places = (struct names){0};
    const struct parser before = *p;
    if (!attempt(p->compilation, definition_of_function, p))
        give_up_function(p, &before);
    p->function = NULL;
}
