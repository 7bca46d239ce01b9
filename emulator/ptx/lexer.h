/* SPDX-License-Identifier: MIT */
/* PTX text to tokens. */
#ifndef LEXER_H
#define LEXER_H

#include "compilation.h"

enum token_kind {
    TOKEN_END,
    TOKEN_WORD, /* add, %r1, $L__BB0_1 */
    TOKEN_DOT_WORD, /* .global, .L2::128B: text without the dot */
    TOKEN_INTEGER, /* bits */
    TOKEN_FLOAT, /* 0f3F800000: bits, 32 of them */
    TOKEN_DOUBLE, /* 0d3FF0000000000000, 1.5: bits */
    TOKEN_STRING, /* text without the quotes, its escapes as they are */
    TOKEN_PUNCTUATION, /* text is one character */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t length;
    uint64_t bits;
    int line;
};

struct lexer {
    struct compilation *compilation;
    const char *at;
    int line;
};

/* Read the next token. Fails if PTX has no such token. */
struct token next_token(struct lexer *lexer);

/* Move on to the end of the next body in braces; those in comments and strings do not count, and
 * what is before and in it need not be valid. Returns false if it has no end. */
bool skip_braces(struct lexer *lexer);

#endif
