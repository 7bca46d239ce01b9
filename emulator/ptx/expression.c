/* SPDX-License-Identifier: MIT */
/* Constant expressions of integers, such as (3 + 4) * 2, with the operators of C. A value has
 * type .s64. It has type .u64 if it is too large for .s64, if it is written so, or if it is
 * computed from a .u64 (PTX ISA, "Constant Expressions"). Where the manual leaves something
 * open, this file does what ptxas does. */
#include <string.h>

#include "parser.h"

enum { MAX_NESTING = 64, WEAKEST = 1 };

struct value {
    uint64_t bits;
    bool is_signed;
};

/* The binary operators and how strongly they bind. An operator that begins with another one
 * comes before that. */
static const struct binary {
    char text[3];
    int strength;
} binaries[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
    {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

/* The operator at the current token, or NULL. Each token is one character of it. */
static const struct binary *binary_here(const struct parser *p)
{
    const char *at = p->token.text;
    if (p->token.kind != TOKEN_PUNCTUATION)
        return NULL;
    for (const struct binary *b = binaries; b < binaries + sizeof binaries / sizeof *b; b++)
        if (b->text[0] == at[0] && (!b->text[1] || b->text[1] == at[1]))
            return b;
    return NULL;
}

static struct value conditional(struct parser *p, int nesting);

static struct value literal(struct parser *p)
{
    const struct token token = p->token;
    if (at_word(p, "WARP_SZ")) {
        advance(p);
        return (struct value){WARP_SIZE, true};
    }
    expect_integer(p, "a number");
    const bool says_unsigned = token.text[token.length - 1] == 'U';
    return (struct value){token.bits, !says_unsigned && token.bits <= INT64_MAX};
}

static struct value unary(struct parser *p, int nesting)
{
    if (nesting == MAX_NESTING)
        expected(p, "a simpler expression");
    nesting++;
    if (accept(p, '+'))
        return unary(p, nesting);
    if (accept(p, '-')) {
        const struct value value = unary(p, nesting);
        return (struct value){0 - value.bits, value.is_signed};
    }
    if (accept(p, '~'))
        return (struct value){~unary(p, nesting).bits, false};
    if (accept(p, '!'))
        return (struct value){!unary(p, nesting).bits, true};
    if (!accept(p, '('))
        return literal(p);
    const bool to_signed = at_directive(p, "s64"), is_cast = to_signed || at_directive(p, "u64");
    struct value value = {0, to_signed};
    if (is_cast)
        advance(p);
    else
        value = conditional(p, nesting);
    expect(p, ')');
    if (is_cast)
        value.bits = unary(p, nesting).bits;
    return value;
}

static uint64_t quotient(struct parser *p, uint64_t a, uint64_t b, bool is_signed)
{
    if (b == 0 || (is_signed && a == (uint64_t)INT64_MIN && b == UINT64_MAX))
        fail_at(p->compilation, p->token.line, "division by %lld in an expression", (long long)b);
    return is_signed ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
}

static struct value below(struct value a, struct value b, bool wanted)
{
    const bool is_signed = a.is_signed && b.is_signed;
    const bool is = is_signed ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
    return (struct value){is == wanted, true};
}

/* The result is unsigned if one of the operands is. A shift keeps the type of its left operand,
 * and a remainder is always unsigned. */
static struct value apply(struct parser *p, const char *operator, struct value a, struct value b)
{
#define TWO(first, second) ((first) | (second) << 8)
    const bool both = a.is_signed && b.is_signed;
    const int amount = (int)(b.bits & 63);
    switch (TWO(operator[0], operator[1])) {
    case TWO('|', '|'):
        return (struct value){a.bits || b.bits, true};
    case TWO('&', '&'):
        return (struct value){a.bits && b.bits, true};
    case TWO('=', '='):
        return (struct value){a.bits == b.bits, true};
    case TWO('!', '='):
        return (struct value){a.bits != b.bits, true};
    case '<':
        return below(a, b, true);
    case '>':
        return below(b, a, true);
    case TWO('<', '='):
        return below(b, a, false);
    case TWO('>', '='):
        return below(a, b, false);
    case TWO('<', '<'):
        return (struct value){a.bits << amount, a.is_signed};
    case TWO('>', '>'):
        return (struct value){
            a.is_signed ? (uint64_t)((int64_t)a.bits >> amount) : a.bits >> amount, a.is_signed};
    case '|':
        return (struct value){a.bits | b.bits, both};
    case '^':
        return (struct value){a.bits ^ b.bits, both};
    case '&':
        return (struct value){a.bits & b.bits, both};
    case '+':
        return (struct value){a.bits + b.bits, both};
    case '-':
        return (struct value){a.bits - b.bits, both};
    case '*':
        return (struct value){a.bits * b.bits, both};
    case '/':
        return (struct value){quotient(p, a.bits, b.bits, both), both};
    default:
        return (struct value){a.bits - quotient(p, a.bits, b.bits, false) * b.bits, false};
    }
#undef TWO
}

/* Precedence climbing: reads operators that bind at least as strongly as `weakest`. */
static struct value expression(struct parser *p, int weakest, int nesting)
{
    struct value value = unary(p, nesting);
    for (;;) {
        const struct binary *binary = binary_here(p);
        if (!binary || binary->strength < weakest)
            return value;
        for (const char *c = binary->text; *c; c++)
            advance(p);
        value = apply(p, binary->text, value, expression(p, binary->strength + 1, nesting));
    }
}

/* c ? a : b has the type of the operand that is chosen. */
static struct value conditional(struct parser *p, int nesting)
{
    const struct value condition = expression(p, WEAKEST, nesting);
    if (!accept(p, '?'))
        return condition;
    if (nesting == MAX_NESTING)
        expected(p, "a simpler expression");
    const struct value first = conditional(p, nesting + 1);
    expect(p, ':');
    const struct value second = conditional(p, nesting + 1);
    return condition.bits ? first : second;
}

uint64_t constant_expression(struct parser *p)
{
    return conditional(p, 0).bits;
}

static uint64_t float_from_double(uint64_t bits)
{
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    float narrow = (float)wide;
    uint32_t result;
    memcpy(&result, &narrow, sizeof result);
    return result;
}

static uint64_t double_from_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &low, sizeof narrow);
    double wide = narrow;
    memcpy(&bits, &wide, sizeof bits);
    return bits;
}

uint64_t float_bits(struct parser *p, const struct token *number, enum ptx_type type)
{
    bool is_double = number->kind == TOKEN_DOUBLE;
    if (type == PTX_F32)
        return is_double ? float_from_double(number->bits) : number->bits;
    if (type == PTX_F64)
        return is_double ? number->bits : double_from_float(number->bits);
    if (ptx_type_size(type) != (is_double ? 8 : 4) || !ptx_type_is_untyped(type))
        fail_at(p->compilation, number->line, "'%.*s' is not a value of type .%s",
                (int)number->length, number->text, ptx_type_name(type));
    return number->bits;
}
