/* SPDX-License-Identifier: MIT */
/* Splits a text into tokens. */
#define _GNU_SOURCE /* strtod_l */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "lexer.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool continues_word(char c)
{
    return (starts_word(c) && c != '%') || is_digit(c);
}

static void skip_line_comment(struct lexer *lexer)
{
    while (*lexer->at && *lexer->at != '\n')
        lexer->at++;
}

static void skip_block_comment(struct lexer *lexer)
{
    int start = lexer->line;
    lexer->at += 2;
    while (strncmp(lexer->at, "*/", 2) != 0) {
        if (!*lexer->at)
            fail_at(lexer->compilation, start, "comment without an end");
        lexer->line += *lexer->at == '\n';
        lexer->at++;
    }
    lexer->at += 2;
}

static void skip_blanks(struct lexer *lexer)
{
    for (;;) {
        if (strncmp(lexer->at, "//", 2) == 0) {
            skip_line_comment(lexer);
        } else if (strncmp(lexer->at, "/*", 2) == 0) {
            skip_block_comment(lexer);
        } else if (*lexer->at && strchr(" \t\r\n\f\v", *lexer->at)) {
            lexer->line += *lexer->at == '\n';
            lexer->at++;
        } else {
            return;
        }
    }
}

static void word(struct lexer *lexer, struct token *token)
{
    token->kind = TOKEN_WORD;
    do
        lexer->at++;
    while (continues_word(*lexer->at));
}

/* A modifier may have an argument after `::`, as in .L1::no_allocate. */
static void dot_word(struct lexer *lexer, struct token *token)
{
    token->kind = TOKEN_DOT_WORD;
    token->text = ++lexer->at;
    while (continues_word(*lexer->at) ||
           (strncmp(lexer->at, "::", 2) == 0 && continues_word(lexer->at[2]))) {
        lexer->at += *lexer->at == ':' ? 2 : 1;
    }
}

static void string(struct lexer *lexer, struct token *token)
{
    token->kind = TOKEN_STRING;
    token->text = ++lexer->at;
    while (*lexer->at != '"') {
        if (*lexer->at == '\\')
            lexer->at++; /* an escaped quote does not end the string */
        if (!*lexer->at || *lexer->at == '\n')
            fail_at(lexer->compilation, token->line, "string without an end");
        lexer->at++;
    }
    token->length = (size_t)(lexer->at - token->text);
    lexer->at++;
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* Read digits of `base` into token->bits. Returns how many there were. */
static int digits(struct lexer *lexer, struct token *token, int base)
{
    int count = 0;
    for (; digit_value(*lexer->at) < base; lexer->at++, count++) {
        uint64_t digit = (uint64_t)digit_value(*lexer->at);
        if (token->bits > (UINT64_MAX - digit) / (uint64_t)base)
            fail_at(lexer->compilation, token->line, "number larger than 64 bits");
        token->bits = token->bits * (uint64_t)base + digit;
    }
    return count;
}

_Noreturn static void malformed_number(struct lexer *lexer, const struct token *token)
{
    while (continues_word(*lexer->at))
        lexer->at++;
    fail_at(lexer->compilation, token->line, "malformed number '%.*s'",
            (int)(lexer->at - token->text), token->text);
}

/* 0f and 8 hexadecimal digits, or 0d and 16: the bits of a float or a double. */
static void hexadecimal_float(struct lexer *lexer, struct token *token, int expected)
{
    lexer->at += 2;
    token->kind = expected == 8 ? TOKEN_FLOAT : TOKEN_DOUBLE;
    if (digits(lexer, token, 16) != expected)
        malformed_number(lexer, token);
}

static bool is_decimal_fraction(const char *text)
{
    while (is_digit(*text))
        text++;
    return *text == '.' || *text == 'e' || *text == 'E';
}

/* The program may have set a locale with another decimal point. */
static void decimal_fraction(struct lexer *lexer, struct token *token)
{
    char *end;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        fail_at(lexer->compilation, token->line, "no memory left to read a number");
    double value = strtod_l(lexer->at, &end, plain);
    freelocale(plain);
    token->kind = TOKEN_DOUBLE;
    memcpy(&token->bits, &value, sizeof value);
    lexer->at = end;
}

static void integer(struct lexer *lexer, struct token *token)
{
    int base = 10;
    char second = lexer->at[0] == '0' ? lexer->at[1] : '\0';
    token->kind = TOKEN_INTEGER;
    if (second == 'x' || second == 'X')
        base = 16;
    else if (second == 'b' || second == 'B')
        base = 2;
    else if (is_digit(second))
        base = 8;
    lexer->at += base == 16 || base == 2 ? 2 : 0;
    if (digits(lexer, token, base) == 0)
        malformed_number(lexer, token);
    if (*lexer->at == 'U')
        lexer->at++;
}

static void number(struct lexer *lexer, struct token *token)
{
    char second = lexer->at[0] == '0' ? lexer->at[1] : '\0';
    if (second == 'f' || second == 'F')
        hexadecimal_float(lexer, token, 8);
    else if (second == 'd' || second == 'D')
        hexadecimal_float(lexer, token, 16);
    else if (is_decimal_fraction(lexer->at))
        decimal_fraction(lexer, token);
    else
        integer(lexer, token);
    if (continues_word(*lexer->at))
        malformed_number(lexer, token);
}

_Noreturn static void unexpected_character(struct lexer *lexer)
{
    unsigned char c = (unsigned char)*lexer->at;
    if (c >= 0x20 && c < 0x7f)
        fail_at(lexer->compilation, lexer->line, "unexpected character '%c'", c);
    fail_at(lexer->compilation, lexer->line, "unexpected byte 0x%02X", c);
}

struct token next_token(struct lexer *lexer)
{
    skip_blanks(lexer);
    struct token token = {.text = lexer->at, .line = lexer->line};
    char c = *lexer->at;
    if (c == '\0')
        return token;
    if (starts_word(c) && (c != '%' || continues_word(lexer->at[1]))) {
        word(lexer, &token);
    } else if (is_digit(c)) {
        number(lexer, &token);
    } else if (c == '.' && continues_word(lexer->at[1])) {
        dot_word(lexer, &token);
    } else if (c == '"') {
        string(lexer, &token);
        return token;
    } else if (strchr("()[]{}<>,;:?+-=!|@*/%&^~", c)) {
        token.kind = TOKEN_PUNCTUATION;
        lexer->at++;
    } else {
        unexpected_character(lexer);
    }
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

static void skip_to_brace(struct lexer *lexer)
{
    while (*lexer->at && *lexer->at != '{' && *lexer->at != '}') {
        if (strncmp(lexer->at, "//", 2) == 0) {
            skip_line_comment(lexer);
        } else if (strncmp(lexer->at, "/*", 2) == 0) {
            skip_block_comment(lexer);
        } else if (*lexer->at == '"') {
            struct token token = {.line = lexer->line};
            string(lexer, &token);
        } else {
            lexer->line += *lexer->at++ == '\n';
        }
    }
}

bool skip_braces(struct lexer *lexer)
{
    int depth = 0;
    do {
        skip_to_brace(lexer);
        if (!*lexer->at)
            return false;
        depth += *lexer->at++ == '{' ? 1 : -1;
    } while (depth > 0);
    return true;
}
