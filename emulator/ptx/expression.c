/* SPDX-License-Identifier: MIT */
/* Constant expressions of integers, as in (3 + 4) * 2. PTX takes C's operators; those that compare
 * or choose have no place in an operand and are not read. Everything is computed in 64 bits. */
#include <string.h>

#include "parser.h"

enum { MAX_NESTING = 64, WEAKEST = 1 };

/* How strongly a binary operator binds; 0: not one. A shift is two characters. */
static int strength(const struct parser *p)
{
    if (p->token.kind != TOKEN_PUNCTUATION)
        return 0;
    switch (*p->token.text) {
    case '|':
        return WEAKEST;
    case '^':
        return 2;
    case '&':
        return 3;
    case '<':
    case '>':
        return 4;
    case '+':
    case '-':
        return 5;
    case '*':
    case '/':
        return 6;
    default:
        return 0;
    }
}

static uint64_t expression(struct parser *p, int weakest, int nesting);

static uint64_t unary(struct parser *p, int nesting)
{
    if (nesting == MAX_NESTING)
        expected(p, "a simpler expression");
    if (accept(p, '+'))
        return unary(p, nesting + 1);
    if (accept(p, '-'))
        return 0 - unary(p, nesting + 1);
    if (accept(p, '~'))
        return ~unary(p, nesting + 1);
    if (!accept(p, '('))
        return expect_integer(p, "a number");
    uint64_t value = expression(p, WEAKEST, nesting + 1);
    expect(p, ')');
    return value;
}

static uint64_t divide(struct parser *p, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        fail_at(p->compilation, p->token.line, "division by %lld in an expression", (long long)b);
    return (uint64_t)(a / b);
}

static uint64_t shift(struct parser *p, char direction, uint64_t a, uint64_t b)
{
    if (b > 63)
        fail_at(p->compilation, p->token.line, "shift by %llu in an expression",
                (unsigned long long)b);
    return direction == '<' ? a << b : a >> b;
}

static uint64_t apply(struct parser *p, char sign, uint64_t a, uint64_t b)
{
    switch (sign) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return divide(p, (int64_t)a, (int64_t)b);
    default:
        return shift(p, sign, a, b);
    }
}

/* Precedence climbing: operators of at least strength `weakest`. */
static uint64_t expression(struct parser *p, int weakest, int nesting)
{
    uint64_t value = unary(p, nesting);
    for (int bound = strength(p); bound >= weakest; bound = strength(p)) {
        char sign = *p->token.text;
        advance(p);
        if (sign == '<' || sign == '>')
            expect(p, sign);
        value = apply(p, sign, value, expression(p, bound + 1, nesting));
    }
    return value;
}

uint64_t constant_expression(struct parser *p)
{
    return expression(p, WEAKEST, 0);
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
