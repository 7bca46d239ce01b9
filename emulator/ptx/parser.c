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

int small_integer(struct parser *p, const char *what, int limit)
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
    p->module->target = (struct isa_target){0};
    do {
        struct token word = expect_word(p, "a target, as in sm_75");
        if (word.length > 3 && strncmp(word.text, "sm_", 3) == 0) {
            char text[8], letter = '\0';
            snprintf(text, sizeof text, "%.*s", (int)(word.length - 3), word.text + 3);
            sscanf(text, "%3d%c", &p->module->target.capability, &letter);
            p->module->target.own = letter == 'a';
        }
    } while (accept(p, ','));
    if (p->module->target.capability == 0)
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
    int number = p->first_file + small_integer(p, "a file number", MAX_FILES);
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

/* "nounroll"; which is advice for the optimiser. */
void pragma(struct parser *p)
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

/* The last location of this file, line and column, from which it is known where a caller was
 * inlined. */
static struct name *find_last(struct parser *p, const struct ptx_location *location)
{
    char text[64];
    int length =
        snprintf(text, sizeof text, "%d %d %d", location->file, location->line, location->column);
    struct name *last = (struct name *)find_name(&p->last_locations, text, (size_t)length);
    if (last)
        return last;
    const char *copy = compilation_text(p->compilation, text, (size_t)length);
    int index = intern_location(p, location);
    add_name(p->compilation, &p->last_locations, copy, (size_t)length, 0, index);
    return (struct name *)find_name(&p->last_locations, copy, (size_t)length);
}

static struct ptx_location read_location(struct parser *p)
{
    struct ptx_location location = {.inlined_at = -1};
    location.file = p->first_file + small_integer(p, "a file number", MAX_FILES);
    location.line = small_integer(p, "a line number", INT_MAX);
    location.column = small_integer(p, "a column number", INT_MAX);
    return location;
}

/* .loc 1 20 9, function_name $L__info_string0, inlined_at 1 15 5 */
static void loc(struct parser *p)
{
    struct ptx_location location = read_location(p);
    while (accept(p, ',')) {
        if (at_word(p, "function_name")) {
            advance(p);
            expect_word(p, "a label of .debug_str");
            if (at_punctuation(p, '+'))
                constant_expression(p);
        } else if (at_word(p, "inlined_at")) {
            advance(p);
            struct ptx_location caller = read_location(p);
            location.inlined_at = find_last(p, &caller)->value;
        } else {
            expected(p, "'function_name' or 'inlined_at'");
        }
    }
    if (location.line == 0) /* of no line: the compiler's own */
        return;
    p->location = intern_location(p, &location);
    find_last(p, &location)->value = p->location;
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

_Noreturn void unknown_directive(struct parser *p)
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

/* Room for the instructions of the body that begins here, each of which ends in a semicolon. Had it
 * to grow, its pages would be cleared and copied several times. */
static void make_room(struct parser *p)
{
    struct lexer end = p->lexer;
    int most = 0;
    end.at = p->token.text;
    skip_braces(&end);
    for (const char *at = p->token.text; at < end.at; at++)
        most += *at == ';';
    p->function->instrs = compilation_array(p->compilation, (size_t)most, sizeof(struct ptx_instr));
    p->room = most;
}

void body(struct parser *p)
{
    int depth = p->depth;
    make_room(p);
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

/* .visible .entry ..., .extern .shared ... */
static void definition(struct parser *p)
{
    static const char *const words[] = {[LINKAGE_EXTERN] = "extern",
                                        [LINKAGE_VISIBLE] = "visible",
                                        [LINKAGE_WEAK] = "weak",
                                        [LINKAGE_COMMON] = "common"};
    enum ptx_space space;
    p->linkage = LINKAGE_NONE;
    for (enum linkage i = LINKAGE_EXTERN; i <= LINKAGE_COMMON; i++)
        if (p->linkage == LINKAGE_NONE && accept_directive(p, words[i]))
            p->linkage = i;
    if (p->linkage == LINKAGE_COMMON && !at_directive(p, "global"))
        expected(p, "'.global'");
    if (accept_directive(p, "entry")) {
        function(p, true);
    } else if (accept_directive(p, "func")) {
        function(p, false);
    } else if (space_of_variable(p, &space) && space != PTX_PARAM && space != PTX_LOCAL) {
        advance(p);
        variables(p, space, p->linkage == LINKAGE_EXTERN);
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
    if (p->module->target.capability == 0)
        fail_at(p->compilation, p->token.line, "no '.target'");
}

/* The array of variables does not move any more. */
static void point_to_signatures(struct parser *p)
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

/* One of the texts. What mnemonics mean depends on its target. */
static void text_of_module(struct parser *p, const char *text)
{
    const struct ptx_module before = *p->module;
    p->lexer = (struct lexer){p->compilation, text, 1};
    p->text++;
    p->scope = NULL;
    p->depth = 0;
    p->first_file = before.file_count;
    p->mnemonics = (struct names){0};
    p->module->target = (struct isa_target){0};
    open_scope(p);
    p->following = next_token(&p->lexer);
    advance(p);
    module(p);
    p->module->target.own |= before.target.own;
    if (before.target.capability > p->module->target.capability)
        p->module->target.capability = before.target.capability;
}

void parse(struct compilation *compilation, const char *const *texts, int count,
           struct ptx_module *result)
{
    struct parser parser = {.compilation = compilation, .module = result};
    make_keywords(&parser);
    for (int i = 0; i < count; i++) {
        compilation->text = count > 1 ? i + 1 : 0;
        text_of_module(&parser, texts[i]);
    }
    compilation->text = 0;
    point_to_signatures(&parser);
}
