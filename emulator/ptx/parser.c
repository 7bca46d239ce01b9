/* SPDX-License-Identifier: MIT */
/* Most functions here have the name of what they parse, and parse all of it, from its first
 * token to its last. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "parser.h"

/* No real program has higher file numbers. */
enum { MAX_FILES = 1 << 16 };

void advance(struct parser *p)
{
    p->token = p->following;
    p->following = next_token(&p->lexer);
}

static bool token_is(const struct token *token, enum token_kind kind, const char *text)
{
    return token->kind == kind && *token->text == *text && token->length == strlen(text) &&
           memcmp(token->text, text, token->length) == 0;
}

bool at_punctuation(const struct parser *p, char c)
{
    return p->token.kind == TOKEN_PUNCTUATION && *p->token.text == c;
}

bool at_word(const struct parser *p, const char *word)
{
    return token_is(&p->token, TOKEN_WORD, word);
}

bool at_directive(const struct parser *p, const char *word)
{
    return token_is(&p->token, TOKEN_DOT_WORD, word);
}

bool accept_directive(struct parser *p, const char *word)
{
    if (!at_directive(p, word))
        return false;
    advance(p);
    return true;
}

void expected(struct parser *p, const char *what)
{
    const struct token *token = &p->token;
    if (token->kind == TOKEN_END)
        fail_at(p->compilation, token->line, "expected %s, not the end of the text", what);
    fail_at(p->compilation, token->line, "expected %s, not '%s%.*s'", what,
            token->kind == TOKEN_DOT_WORD ? "." : "", (int)token->length, token->text);
}

bool accept(struct parser *p, char c)
{
    if (!at_punctuation(p, c))
        return false;
    advance(p);
    return true;
}

void expect(struct parser *p, char c)
{
    char what[] = {'\'', c, '\'', '\0'};
    if (!accept(p, c))
        expected(p, what);
}

struct token expect_word(struct parser *p, const char *what)
{
    struct token token = p->token;
    if (token.kind != TOKEN_WORD)
        expected(p, what);
    advance(p);
    return token;
}

uint64_t expect_integer(struct parser *p, const char *what)
{
    uint64_t bits = p->token.bits;
    if (p->token.kind != TOKEN_INTEGER)
        expected(p, what);
    advance(p);
    return bits;
}

static bool is_floating(const struct token *token)
{
    return token->kind == TOKEN_FLOAT || token->kind == TOKEN_DOUBLE;
}

bool at_floating(const struct parser *p)
{
    return is_floating(&p->token) || (at_punctuation(p, '-') && is_floating(&p->following));
}

struct token floating(struct parser *p)
{
    bool negative = accept(p, '-');
    struct token token = p->token;
    if (negative)
        token.bits ^= UINT64_C(1) << (token.kind == TOKEN_FLOAT ? 31 : 63);
    advance(p);
    return token;
}

static int small_integer(struct parser *p, const char *what, int limit)
{
    int line = p->token.line;
    uint64_t value = expect_integer(p, what);
    if (value > (uint64_t)limit)
        fail_at(p->compilation, line, "%s of %llu is too large", what, (unsigned long long)value);
    return (int)value;
}

/* .version 9.0 */
static void version(struct parser *p)
{
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)p->token.length, p->token.text);
    int end = 0;
    if (p->token.kind != TOKEN_DOUBLE ||
        sscanf(text, "%3d.%3d%n", &p->module->version_major, &p->module->version_minor, &end) !=
            2 ||
        (size_t)end != p->token.length)
        expected(p, "a version, as in 9.0");
    advance(p);
}

/* .target sm_75, debug */
static void target(struct parser *p)
{
    do {
        struct token word = expect_word(p, "a target, as in sm_75");
        if (word.length > 3 && strncmp(word.text, "sm_", 3) == 0) {
            char text[8];
            snprintf(text, sizeof text, "%.*s", (int)(word.length - 3), word.text + 3);
            sscanf(text, "%3d", &p->module->target);
        }
    } while (accept(p, ','));
    if (p->module->target == 0)
        fail_at(p->compilation, p->token.line, "'.target' names no sm_ version");
}

static void address_size(struct parser *p)
{
    int line = p->token.line;
    if (expect_integer(p, "an address size") != 64)
        fail_at(p->compilation, line, "only 64-bit addresses are supported");
}

/* Replace the escapes in place: \" and \\ stand for their second character, \303 for the byte
 * with that octal number. */
static void unescape(char *text)
{
    char *to = text;

    while (*text) {
        int byte = 0, digits = 0;
        if (*text == '\\') {
            text++;
            for (; digits < 3 && *text >= '0' && *text <= '7'; digits++)
                byte = 8 * byte + *text++ - '0';
        }
        *to++ = digits ? (char)byte : *text++;
    }
    *to = '\0';
}

/* .file 1 "sum.cu", 1700000000, 1234 */
static void file(struct parser *p)
{
    struct ptx_module *module = p->module;
    int number = small_integer(p, "a file number", MAX_FILES);
    if (p->token.kind != TOKEN_STRING)
        expected(p, "a file name");
    while (module->file_count <= number)
        *APPEND(p->compilation, module->files, module->file_count) = NULL;
    module->files[number] = compilation_text(p->compilation, p->token.text, p->token.length);
    unescape(module->files[number]);
    advance(p);
    while (accept(p, ','))
        expect_integer(p, "a time or a size");
}

/* .section .debug_str { ... }: data for debuggers, which is skipped. Other sections are not. */
static void section(struct parser *p)
{
    static const char debug[] = ".debug_";
    int line = p->token.line;
    if (p->token.kind != TOKEN_DOT_WORD || strncmp(p->token.text - 1, debug, strlen(debug)) != 0)
        expected(p, "a section for debuggers");
    advance(p);
    expect(p, '{');
    while (!accept(p, '}')) {
        if (p->token.kind == TOKEN_END)
            fail_at(p->compilation, line, "section without an end");
        advance(p);
    }
}

/* .pragma "nounroll"; which is advice for the optimiser. */
static void pragma(struct parser *p)
{
    static const char nounroll[] = "nounroll";

    do {
        if (p->token.kind != TOKEN_STRING)
            expected(p, "a string");
        p->rolled |= p->token.length == strlen(nounroll) &&
                     !strncmp(p->token.text, nounroll, p->token.length);
        advance(p);
    } while (accept(p, ','));
    expect(p, ';');
}

/* The index of this location in the module, to which it is added if it is new. */
static int intern_location(struct parser *p, const struct ptx_location *location)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%d %d %d %d", location->file, location->line,
                          location->column, location->inlined_at);
    const struct name *known = find_name(&p->locations, text, (size_t)length);
    if (known)
        return known->value;
    struct ptx_module *module = p->module;
    *APPEND(p->compilation, module->locations, module->location_count) = *location;
    add_name(p->compilation, &p->locations, compilation_text(p->compilation, text, (size_t)length),
             (size_t)length, 0, module->location_count - 1);
    return module->location_count - 1;
}

/* A place is a location without inlined_at. It stands for the last location there, from which it
 * is known where that was inlined. */
static struct name *find_place(struct parser *p, const struct ptx_location *location)
{
    char text[64];
    int length =
        snprintf(text, sizeof text, "%d %d %d", location->file, location->line, location->column);
    struct name *place = (struct name *)find_name(&p->places, text, (size_t)length);
    if (place)
        return place;
    const char *copy = compilation_text(p->compilation, text, (size_t)length);
    int index = intern_location(p, location);
    add_name(p->compilation, &p->places, copy, (size_t)length, 0, index);
    return (struct name *)find_name(&p->places, copy, (size_t)length);
}

static struct ptx_location place(struct parser *p)
{
    struct ptx_location location = {.inlined_at = -1};
    location.file = small_integer(p, "a file number", MAX_FILES);
    location.line = small_integer(p, "a line number", INT_MAX);
    location.column = small_integer(p, "a column number", INT_MAX);
    return location;
}

/* .loc 1 20 9, function_name $L__info_string0, inlined_at 1 15 5 */
static void loc(struct parser *p)
{
    struct ptx_location location = place(p);
    while (accept(p, ',')) {
        if (at_word(p, "function_name")) {
            advance(p);
            expect_word(p, "a label of .debug_str");
            if (at_punctuation(p, '+'))
                constant_expression(p);
        } else if (at_word(p, "inlined_at")) {
            advance(p);
            struct ptx_location caller = place(p);
            location.inlined_at = find_place(p, &caller)->value;
        } else {
            expected(p, "'function_name' or 'inlined_at'");
        }
    }
    p->location = intern_location(p, &location);
    find_place(p, &location)->value = p->location;
}

/* .reg .b32 %r<29>, %x; */
static void registers(struct parser *p)
{
    enum ptx_type type = type_name(p);
    if (!ptx_type_is_declared(type))
        expected(p, "a type of a register"); /* registers for these have type .b16 or .b32 */
    do {
        struct token name = expect_word(p, "a register's name");
        if (accept(p, '<')) {
            declare_range(p, &name, type, expect_integer(p, "a number of registers"));
            expect(p, '>');
        } else {
            declare_register(p, &name, type);
        }
    } while (accept(p, ','));
    expect(p, ';');
}

static bool space_of_variable(const struct parser *p, enum ptx_space *space)
{
    static const enum ptx_space spaces[] = {PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL,
                                            PTX_PARAM};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (at_directive(p, ptx_space_name(spaces[i]))) {
            *space = spaces[i];
            return true;
        }
    }
    return false;
}

/* .shared .align 4 .b8 x[512], y[4]; */
static void variables(struct parser *p, enum ptx_space space, bool is_extern)
{
    struct ptx_var like;
    enum ptx_type type = variable_type(p, space, is_extern, &like);
    struct ptx_function *f = p->function;
    do {
        int index = variable(p, &like, type);
        if (f)
            *APPEND(p->compilation, f->locals, f->local_count) = index;
    } while (accept(p, ','));
    expect(p, ';');
}

/* L: .branchtargets A, B; */
static void branch_targets(struct parser *p)
{
    struct branch_table *table = APPEND(p->compilation, p->tables, p->table_count);
    int index = p->table_count - 1;
    do {
        struct token label = expect_word(p, "a label");
        *APPEND(p->compilation, table->targets, table->count) = -1;
        refer_to_label(p, (struct reference){label.text, label.length, label.line, -1, index,
                                             table->count - 1});
    } while (accept(p, ','));
    expect(p, ';');
}

static void label(struct parser *p)
{
    struct token name = expect_word(p, "a label");
    expect(p, ':');
    if (accept_directive(p, "branchtargets")) {
        declare_label(p, &name, NAME_TABLE, p->table_count);
        branch_targets(p);
    } else if (accept_directive(p, "callprototype") || accept_directive(p, "calltargets")) {
        declare_label(p, &name, NAME_PROTOTYPE, 0);
        while (!at_punctuation(p, ';') && p->token.kind != TOKEN_END)
            advance(p);
        expect(p, ';');
    } else {
        declare_label(p, &name, NAME_LABEL, p->function->instr_count);
    }
}

static void unknown_directive(struct parser *p)
{
    fail_at(p->compilation, p->token.line, "unknown directive '.%.*s'", (int)p->token.length,
            p->token.text);
}

static void directive_of_body(struct parser *p)
{
    enum ptx_space space;
    if (space_of_variable(p, &space)) {
        advance(p);
        variables(p, space, false);
    } else if (accept_directive(p, "reg")) {
        registers(p);
    } else if (accept_directive(p, "loc")) {
        loc(p);
    } else if (accept_directive(p, "pragma")) {
        pragma(p);
    } else {
        unknown_directive(p);
    }
}

/* Everything from { to }. */
static void body(struct parser *p)
{
    int depth = p->depth;
    do {
        if (accept(p, '{')) {
            open_scope(p);
        } else if (accept(p, '}')) {
            close_scope(p);
        } else if (p->token.kind == TOKEN_DOT_WORD) {
            directive_of_body(p);
        } else if (p->token.kind == TOKEN_WORD && p->following.kind == TOKEN_PUNCTUATION &&
                   *p->following.text == ':') {
            label(p);
        } else if (p->token.kind == TOKEN_WORD || at_punctuation(p, '@')) {
            instruction(p);
        } else {
            expected(p, "an instruction");
        }
    } while (p->depth > depth);
}

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

/* .entry name(params) { ... }, .func (result) name(params); */
static void function(struct parser *p, bool is_entry)
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

/* .visible .entry ..., .extern .shared ... */
static void definition(struct parser *p)
{
    bool is_extern = false;
    enum ptx_space space;
    while (at_directive(p, "visible") || at_directive(p, "extern") || at_directive(p, "weak")) {
        is_extern |= at_directive(p, "extern");
        advance(p);
    }
    if (accept_directive(p, "entry")) {
        function(p, true);
    } else if (accept_directive(p, "func")) {
        function(p, false);
    } else if (space_of_variable(p, &space) && space != PTX_PARAM && space != PTX_LOCAL) {
        advance(p);
        variables(p, space, is_extern);
    } else if (p->token.kind == TOKEN_DOT_WORD) {
        unknown_directive(p);
    } else {
        expected(p, "a directive");
    }
}

static void directive_of_module(struct parser *p)
{
    static const struct {
        const char *name;
        void (*read)(struct parser *p);
    } directives[] = {
        {"target", target}, {"address_size", address_size}, {"file", file}, {"section", section},
        {"pragma", pragma},
    };
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (accept_directive(p, directives[i].name)) {
            directives[i].read(p);
            return;
        }
    }
    definition(p);
}

static void module(struct parser *p)
{
    if (!accept_directive(p, "version"))
        expected(p, "'.version'");
    version(p);
    while (p->token.kind != TOKEN_END)
        directive_of_module(p);
    if (p->module->target == 0)
        fail_at(p->compilation, p->token.line, "no '.target'");
}

/* The array of variables does not move any more. */
static void place_signatures(struct parser *p)
{
    for (int i = 0; p->module->vars && i < p->module->function_count; i++) {
        struct ptx_function *f = &p->module->functions[i];
        const struct signature *s = &p->signatures[i];
        f->params = p->module->vars + s->first_param;
        f->param_count = s->param_count;
        f->results = p->module->vars + s->first_result;
        f->result_count = s->result_count;
    }
}

void parse(struct compilation *compilation, const char *text, struct ptx_module *result)
{
    struct parser parser = {
        .compilation = compilation,
        .lexer = {compilation, text, 1},
        .module = result,
    };
    make_keywords(&parser);
    open_scope(&parser);
    parser.following = next_token(&parser.lexer);
    advance(&parser);
    module(&parser);
    place_signatures(&parser);
}
