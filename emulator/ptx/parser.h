/* SPDX-License-Identifier: MIT */
/* The parser's own state, and what its files know of each other:
 *
 *   parser.c       module, directives, functions, statements
 *   variables.c    .global, .shared, .param ... declarations and their initialisers
 *   instruction.c  an instruction and its operands
 *   expression.c   constants and their bits
 *   scope.c        which name means what
 */
#ifndef PARSER_H
#define PARSER_H

#include "compilation.h"
#include "lexer.h"

/* What a name may stand for; `value` of struct name is an index. */
enum name_kind {
    NAME_REGISTER, /* into the function's registers */
    NAME_RANGE, /* into the scope's ranges: %r of %r<29> */
    NAME_VARIABLE, /* into the module's vars */
    NAME_FUNCTION, /* into the module's functions */
    NAME_LABEL, /* an instruction's index */
    NAME_TABLE, /* into the parser's branch tables */
    NAME_PROTOTYPE, /* of functions that are called by their address */
    NAME_TYPE,
    NAME_SPACE,
    NAME_VECTOR,
    NAME_MODIFIER, /* keywords behind an opcode */
    NAME_OPCODE,
    NAME_MNEMONIC, /* into the parser's known mnemonics */
    NAME_SPECIAL, /* enum ptx_sreg */
};

/* .reg .b32 %r<29>: registers %r0 to %r28, made when they are first used. */
struct range {
    enum ptx_type type;
    uint64_t count;
};

/* A label's name where it is used, to be looked up when its scope is complete. */
struct reference {
    const char *name;
    size_t length;
    int line;
    int instr; /* whose operand it is; -1: of a branch table */
    int table, entry;
};

struct scope {
    struct scope *parent;
    struct names names, ranges_by_prefix, labels;
    struct range *ranges;
    int range_count;
    struct reference *references;
    int reference_count;
};

/* .branchtargets */
struct branch_table {
    int *targets;
    int count;
};

/* Where a function's parameters and results lie among the module's vars. */
struct signature {
    int first_param, param_count, first_result, result_count;
    int address; /* 1 + the number of the variable that stands for its address; 0: there is none */
};

struct parser {
    struct compilation *compilation;
    struct lexer lexer;
    struct token token; /* the current one */
    struct token following; /* the one behind it */
    struct ptx_module *module;
    struct names keywords, opcodes, specials, mnemonics;
    struct mnemonic **known_mnemonics; /* opcodes with their suffixes (instruction.c) */
    int mnemonic_count;
    struct signature *signatures; /* one a function */
    struct scope *scope; /* the innermost */
    int depth;
    bool has_reserved; /* the module has the variable ... */
    int reserved; /* ... for reserved shared memory (instruction.c) */

    /* Of the function being parsed. */
    struct ptx_function *function;
    struct branch_table *tables;
    int table_count;
    int location; /* of .loc, or -1 */
    bool rolled; /* a .pragma says so of the next instruction's loop */
    struct names locations; /* "file line column inlined_at": index into locations */
    struct names places; /* "file line column": the last location there */
};

/* Parse the whole text into `result`. Fails through fail_at(). */
void parse(struct compilation *compilation, const char *text, struct ptx_module *result);

/* Tokens (parser.c). */
void advance(struct parser *p);
bool at_punctuation(const struct parser *p, char c);
bool at_word(const struct parser *p, const char *word);
bool at_directive(const struct parser *p, const char *word);
bool accept(struct parser *p, char c); /* step over it if it is there */
bool accept_directive(struct parser *p, const char *word);
void expect(struct parser *p, char c);
struct token expect_word(struct parser *p, const char *what);
uint64_t expect_integer(struct parser *p, const char *what);
bool at_floating(const struct parser *p); /* a floating-point number, perhaps with a sign */
/* A floating-point number's token, its sign put into the bits. */
struct token floating(struct parser *p);
/* Fail with "line N: MESSAGE, not 'the current token'". */
_Noreturn void expected(struct parser *p, const char *what);

/* Expressions (expression.c). */
uint64_t constant_expression(struct parser *p);
/* The bits of a floating-point number where a value of `type` is wanted. */
uint64_t float_bits(struct parser *p, const struct token *number, enum ptx_type type);

/* Variables (variables.c). */
/* The variable that stands for the address of a function, made when it is first asked for. */
int function_address(struct parser *p, int function);

/* Scopes (scope.c). */
void open_scope(struct parser *p);
void close_scope(struct parser *p); /* its labels must be complete: resolves what it can */
/* Give a name its meaning in the innermost scope; fails where it has one there. */
void declare(struct parser *p, const struct token *name, enum name_kind kind, int value);
void declare_range(struct parser *p, const struct token *prefix, enum ptx_type type,
                   uint64_t count);
void declare_register(struct parser *p, const struct token *name, enum ptx_type type);
void declare_label(struct parser *p, const struct token *name, enum name_kind kind, int value);
/* What a name means here, from the innermost scope outward; a register of a range is made. Returns
 * NULL where it means nothing. */
const struct name *look_up(struct parser *p, const char *text, size_t length);
/* The two ways in which a name is wrong. */
_Noreturn void declared_twice(struct parser *p, const struct token *name);
_Noreturn void not_declared(struct parser *p, const struct token *name);
/* Remember that a label is used; operand or table entry is filled in when its scope ends. */
void refer_to_label(struct parser *p, struct reference reference);

/* Variables (variables.c). */
/* Behind the state space: alignment and type, which all variables of a declaration share. */
enum ptx_type variable_type(struct parser *p, enum ptx_space space, bool is_extern,
                            struct ptx_var *like);
/* Name, dimensions, initialiser: one more variable. Returns its index. */
int variable(struct parser *p, const struct ptx_var *like, enum ptx_type type);
/* A type's name behind a dot, as in .u32; fails on another word. */
enum ptx_type type_name(struct parser *p);

/* Instructions (instruction.c). */
void instruction(struct parser *p);
void make_keywords(struct parser *p);

#endif
