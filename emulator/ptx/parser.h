/* SPDX-License-Identifier: MIT */
/* The parser's own state, and what its files know of each other:
 *
 *   parser.c       module, directives, statements
 *   function.c     .entry and .func: signatures and definitions
 *   variables.c    .global, .shared, .param ... declarations and their initialisers
 *   instruction.c  an instruction and its operands
 *   link.c         what the texts of a program share
 *   expression.c   constants and their bits
 *   scope.c        which name means what
 */
#ifndef PARSER_H
#define PARSER_H

#include "compilation.h"
#include "lexer.h"

/* What a name can stand for. `value` in struct name is an index: */
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
    NAME_MODIFIER, /* keywords after an opcode */
    NAME_OPCODE,
    NAME_MNEMONIC, /* into the parser's known mnemonics */
    NAME_SPECIAL, /* enum ptx_sreg */
};

/* .reg .b32 %r<29> declares registers %r0 to %r28. Each is made when it is first used. */
struct range {
    enum ptx_type type;
    uint64_t count;
};

/* A use of a label. It is looked up at the end of its scope, when all labels are known. */
struct reference {
    const char *name;
    size_t length;
    int line;
    int instr; /* the instruction that uses it; -1: a branch table */
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

/* Where the parameters and results of a function are in the module's vars. */
struct signature {
    int first_param, param_count, first_result, result_count;
    int address; /* 1 + the number of the variable that stands for its address; 0: there is none */
    int text; /* which text has its body; 0: none so far */
};

/* The word before a definition; only without one it is no name of other texts. */
enum linkage {
    LINKAGE_NONE,
    LINKAGE_EXTERN,
    LINKAGE_VISIBLE,
    LINKAGE_WEAK,
    LINKAGE_COMMON,
};

struct parser {
    struct compilation *compilation;
    struct lexer lexer;
    struct token token; /* the current one */
    struct token following; /* the one after it */
    struct ptx_module *module;
    struct names keywords, opcodes, specials, mnemonics;
    struct mnemonic **known_mnemonics; /* opcodes with their suffixes (instruction.c) */
    int mnemonic_count;
    struct signature *signatures; /* one for each function */
    struct scope *scope; /* the innermost scope */
    int depth;
    bool has_reserved; /* the module has the variable ... */
    int reserved; /* ... for reserved shared memory (instruction.c) */
    int text; /* the number of the text, from 1 */
    int first_file; /* what its file numbers count from, in the module's files */
    struct names shared_names; /* index into symbols */
    struct symbol *symbols; /* what texts share (link.c) */
    int symbol_count;
    enum linkage linkage; /* of what is being defined or declared */

    /* These are for the current function. */
    struct ptx_function *function;
    int room; /* for its instructions */
    struct branch_table *tables;
    int table_count;
    int location; /* from .loc, or -1 */
    bool rolled; /* a .pragma says that the next loop is not unrolled */
    struct names locations; /* "file line column inlined_at": index into locations */
    struct names last_locations; /* "file line column": the last location there */
};

/* Parse the whole of the texts into `result`. Fails through fail_at(). */
void parse(struct compilation *compilation, const char *const *texts, int count,
           struct ptx_module *result);

/* Tokens (parser.c). */
void advance(struct parser *p);
bool at_punctuation(const struct parser *p, char c);
bool at_word(const struct parser *p, const char *word);
bool at_directive(const struct parser *p, const char *word);
bool accept(struct parser *p, char c); /* step over it if it is the next token */
bool accept_directive(struct parser *p, const char *word);
void expect(struct parser *p, char c);
struct token expect_word(struct parser *p, const char *what);
uint64_t expect_integer(struct parser *p, const char *what);
bool at_floating(const struct parser *p); /* a floating-point number, perhaps with a sign */
/* The token of a floating-point number, with the sign in its bits. */
struct token floating(struct parser *p);
/* Fail with "line N: MESSAGE, not 'the current token'". */
_Noreturn void expected(struct parser *p, const char *what);
/* An integer from 0 to `limit`. */
int small_integer(struct parser *p, const char *what, int limit);

/* Directives and statements (parser.c). */
_Noreturn void unknown_directive(struct parser *p);
void pragma(struct parser *p);
void body(struct parser *p); /* everything from { to } */

/* Functions (function.c). */
/* .entry name(params) { ... }, .func (result) name(params); from the result or the name on */
void function(struct parser *p, bool is_entry);

/* Expressions (expression.c). */
uint64_t constant_expression(struct parser *p);
/* The bits of a floating-point number as a value of `type`. */
uint64_t float_bits(struct parser *p, const struct token *number, enum ptx_type type);

/* Variables (variables.c). */
/* The variable that stands for the address of a function, made when it is first asked for. */
int function_address(struct parser *p, int function);

/* Linking (link.c): texts share what has a linkage. */
/* What other texts know by this name; -1: nothing, or `name` is no name of theirs. Fails if it is
 * of another kind. */
int linked(struct parser *p, const struct token *name, enum name_kind kind);
/* Make the name known to other texts, unless it is. */
void link_name(struct parser *p, const struct token *name, enum name_kind kind, int value);
/* Does what is now defined or declared stand for the name, and not what was before? Fails if both
 * define it. */
bool link_definition(struct parser *p, const char *name, int line);
/* The same for a variable, which must be like that at `index` and gets its alignment. */
bool link_variable(struct parser *p, int index, struct ptx_var *var, int line);

/* Scopes (scope.c). */
void open_scope(struct parser *p);
void close_scope(struct parser *p); /* looks up the labels used in it */
/* Declare a name in the innermost scope. Fails if it is declared there already. */
void declare(struct parser *p, const struct token *name, enum name_kind kind, int value);
void declare_range(struct parser *p, const struct token *prefix, enum ptx_type type,
                   uint64_t count);
void declare_register(struct parser *p, const struct token *name, enum ptx_type type);
void declare_label(struct parser *p, const struct token *name, enum name_kind kind, int value);
/* Find what a name means here, looking from the innermost scope outward. A register of a range
 * is made if need be. Returns NULL if the name is not declared. */
const struct name *look_up(struct parser *p, const char *text, size_t length);
/* Fail with the error for the name. */
_Noreturn void declared_twice(struct parser *p, const struct token *name);
_Noreturn void not_declared(struct parser *p, const struct token *name);
/* Note the use of a label. The operand or table entry is filled in when the scope ends. */
void refer_to_label(struct parser *p, struct reference reference);

/* Variables (variables.c). */
/* After the state space come an alignment and a type, which all variables of a declaration
 * share. */
enum ptx_type variable_type(struct parser *p, enum ptx_space space, bool is_extern,
                            struct ptx_var *like);
/* Parse the name, dimensions and initial value of one more variable. Returns its index. */
int variable(struct parser *p, const struct ptx_var *like, enum ptx_type type);
/* The name of a type after a dot, as in .u32. Fails on any other word. */
enum ptx_type type_name(struct parser *p);

/* Instructions (instruction.c). */
void instruction(struct parser *p);
void make_keywords(struct parser *p);

#endif
