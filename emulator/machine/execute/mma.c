/* SPDX-License-Identifier: MIT */
/* Products of matrices by a warp: mma, and that of wmma.
 *
 * The registers of all lanes become three matrices, and the product goes back to registers. Each
 * element of it is a sum: exact for integers, one fused multiply-add after another for doubles, and
 * as the tensor cores form it for other floats (dot.h). */
#include "machine/execute/collective.h"
#include "machine/execute/dot.h"
#include "machine/execute/lanes.h"
#include "machine/fragment.h"
#include "machine/launch.h"

#include <fenv.h>
#include <stdlib.h>

enum { MOST_ROWS = 32, MOST_COLUMNS = DOT_COLUMNS };
enum { MOST_FLOATS = 16 }; /* of a lane */
enum operand { D, A, B, C, OPERANDS };

struct product {
    struct product_shape shape;
    struct fragment fragments[OPERANDS];
    int counts[OPERANDS]; /* registers */
    int starts[OPERANDS]; /* of these, in op->elements */
    enum ptx_type types[OPERANDS];
    /* Where a lane's float goes in the matrix, as multiply_floats() has it. */
    uint16_t indices[OPERANDS][MOST_FLOATS][WARP_SIZE];
    struct dot dot;
    int rounding; /* of doubles */
    bool saturates, ands;
};

typedef uint64_t registers[FRAGMENT_REGISTERS][WARP_SIZE];

static void bring(struct warp *warp, const struct op *op, uint32_t lanes, struct exchange *x)
{
    (void)x;
    const struct product *product = op->product;
    for (int which = A; which < OPERANDS; which++)
        for (int k = 0; k < product->counts[which]; k++) {
            const struct slot slot = op->elements[product->starts[which] + k];
            uint64_t *to = warp->worker->fragments[which][k];
            if (slot.bytes == 8)
                FOR_LANES(lanes, to[i] = ((const lane_u64 *)slot_lanes(warp, slot))[i]);
            else
                FOR_LANES(lanes, to[i] = ((const lane_u32 *)slot_lanes(warp, slot))[i]);
        }
}

static void take(struct warp *warp, const struct op *op, uint32_t lanes, const struct exchange *x)
{
    (void)x;
    const struct product *product = op->product;
    for (int i = 0; i < product->counts[D]; i++) {
        const struct slot slot = op->elements[product->starts[D] + i];
        if (!slot.present)
            continue;
        EACH_LANE(lane, lanes)
            slot_write(warp, slot, (int)lane, warp->worker->fragments[D][i][lane]);
    }
}

/* The first bit of an element in the registers of its lane: a wide one has each to itself. */
static uint32_t bit_of(const struct fragment *f, int element)
{
    return (uint32_t)(element * (f->width < 32 ? f->width : 32));
}

static uint64_t element_of(const struct fragment *f, registers from, int lane, int element)
{
    const uint32_t at = bit_of(f, element);
    const uint64_t bits = from[at / 32][lane] >> at % 32;
    return f->width == 64 ? bits : bits & ((UINT64_C(1) << f->width) - 1);
}

static void put_element(const struct fragment *f, registers to, int lane, int element,
                        uint64_t bits)
{
    const uint32_t at = bit_of(f, element);
    uint64_t *reg = &to[at / 32][lane];
    *reg = (at % 32 ? *reg : 0) | bits << at % 32;
}

/* Each element of a fragment: of all lanes the first one, then the next. */
#define EACH_ELEMENT(fragment, lane, element)                                                      \
    for (int element = 0, elements_ = fragment_elements(fragment); element < elements_; element++) \
        for (int lane = 0; lane < WARP_SIZE; lane++)

/* The numbers that narrow floats are summed with: in single precision, or halves if all are. */
static uint32_t addend(const struct product *product, uint32_t bits)
{
    if (product->types[C] != PTX_F16 || product->dot.half)
        return bits;
    return bits_of_f32(canonical_f32((float)minifloat_decode(&f16_format, bits)));
}

static uint32_t rounded(const struct product *product, uint32_t sum)
{
    if (product->types[D] != PTX_F16 || product->dot.half)
        return sum;
    return minifloat_encode(&f16_format, f32_of(sum), FE_TONEAREST);
}

/* Factors lie in the order in which they are summed. */
static void find_indices(struct product *product)
{
    const struct dot *dot = &product->dot;
    for (int which = D; which < OPERANDS; which++)
        EACH_ELEMENT(&product->fragments[which], lane, e)
        {
            const struct position at = fragment_position(&product->fragments[which], lane, e);
            product->indices[which][e][lane] =
                (uint16_t)(which == A   ? at.row * DOT_MOST + dot_index(dot, at.column)
                           : which == B ? dot_index(dot, at.row) * DOT_COLUMNS + at.column
                                        : at.row * MOST_COLUMNS + at.column);
        }
}

/* Floats narrower than doubles. */
static void multiply_floats(const struct product *product, registers *all)
{
    struct factor a[MOST_ROWS * DOT_MOST], factor;
    struct dot_term b[DOT_MOST];
    uint32_t sums[MOST_ROWS * MOST_COLUMNS];
    const struct dot *dot = &product->dot;
    const struct fragment *f = product->fragments;
    const int dropped = product->types[A] == PTX_TF32 ? 13 : 0; /* bits of a tf32 that count not */
    EACH_ELEMENT(&f[A], lane, e)
    {
        dot_factor(dot, dot->a, (uint32_t)element_of(&f[A], all[A], lane, e) >> dropped,
                   &a[product->indices[A][e][lane]]);
    }
    EACH_ELEMENT(&f[B], lane, e)
    {
        const int at = product->indices[B][e][lane], column = at % DOT_COLUMNS;
        struct dot_term *term = &b[at / DOT_COLUMNS];
        dot_factor(dot, dot->b, (uint32_t)element_of(&f[B], all[B], lane, e) >> dropped, &factor);
        term->significand[column] = factor.significand;
        term->exponent[column] = factor.exponent;
        term->negative[column] = factor.negative;
    }
    EACH_ELEMENT(&f[C], lane, e)
    {
        const uint32_t bits = (uint32_t)element_of(&f[C], all[C], lane, e);
        sums[product->indices[C][e][lane]] = addend(product, bits);
    }
    /* Of blocks on the diagonal, each row has the columns of its own. */
    const bool quartered = product->shape.m * product->shape.k == 32;
    const int rows = quartered ? MOST_ROWS : product->shape.m;
    for (int row = 0; row < rows; row++) {
        const int first = quartered ? row / DOT_WIDE * DOT_WIDE : 0;
        for (int n = first; n < first + product->shape.n; n += DOT_WIDE)
            dot_sums(dot, &a[row * DOT_MOST], b, n, &sums[row * MOST_COLUMNS + n]);
    }
    EACH_ELEMENT(&f[D], lane, e)
    {
        const uint32_t sum = sums[product->indices[D][e][lane]];
        put_element(&f[D], all[D], lane, e, rounded(product, sum));
    }
}

static void multiply_doubles(const struct product *product, registers *all)
{
    double a[MOST_ROWS][DOT_MOST], b[MOST_COLUMNS][DOT_MOST];
    const struct fragment *fa = &product->fragments[A], *fb = &product->fragments[B];
    const struct fragment *fd = &product->fragments[D];
    const int before = fegetround();
    EACH_ELEMENT(fa, lane, e)
    {
        const struct position at = fragment_position(fa, lane, e);
        a[at.row][at.column] = f64_of(all[A][e][lane]);
    }
    EACH_ELEMENT(fb, lane, e)
    {
        const struct position at = fragment_position(fb, lane, e);
        b[at.column][at.row] = f64_of(all[B][e][lane]);
    }
    fesetround(product->rounding);
    EACH_ELEMENT(fd, lane, e)
    {
        const struct position at = fragment_position(fd, lane, e);
        double sum = f64_of(all[C][e][lane]);
        for (int i = 0; i < product->shape.k; i++)
            sum = fma(a[at.row][i], b[at.column][i], sum);
        all[D][e][lane] = sum == sum ? bits_of_f64(sum) : UINT64_C(0x7FF8000000000000);
    }
    fesetround(before);
}

enum { MOST_INTEGERS = 256 };

static int32_t integer_of(const struct product *product, enum operand which, registers *all,
                          int lane, int element)
{
    const struct fragment *f = &product->fragments[which];
    const uint64_t bits = element_of(f, all[which], lane, element);
    return (int32_t)lane_part(bits, 0, f->width, ptx_type_is_signed(product->types[which]));
}

static uint32_t add_integers(const struct product *product, int64_t products, uint32_t c)
{
    int64_t sum = products + (int32_t)c;
    if (product->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static void multiply_integers(const struct product *product, registers *all)
{
    int16_t a[MOST_ROWS][MOST_INTEGERS], b[MOST_COLUMNS][MOST_INTEGERS];
    const struct fragment *fa = &product->fragments[A], *fb = &product->fragments[B];
    const struct fragment *fd = &product->fragments[D];
    const bool of_bits = fa->width == 1, ands = product->ands;
    EACH_ELEMENT(fa, lane, e)
    {
        const struct position at = fragment_position(fa, lane, e);
        a[at.row][at.column] = (int16_t)integer_of(product, A, all, lane, e);
    }
    EACH_ELEMENT(fb, lane, e)
    {
        const struct position at = fragment_position(fb, lane, e);
        b[at.column][at.row] = (int16_t)integer_of(product, B, all, lane, e);
    }
    EACH_ELEMENT(fd, lane, e)
    {
        const struct position at = fragment_position(fd, lane, e);
        int64_t sum = 0;
        for (int i = 0; i < product->shape.k; i++) {
            const int x = a[at.row][i], y = b[at.column][i];
            sum += of_bits && !ands ? x ^ y : x * y;
        }
        all[D][e][lane] = add_integers(product, sum, (uint32_t)all[C][e][lane]);
    }
}

static void multiply(const struct op *op, struct exchange *x)
{
    const struct product *product = op->product;
    registers *all = x->warp->worker->fragments;
    if (product->types[D] == PTX_F64)
        multiply_doubles(product, all);
    else if (product->types[D] == PTX_S32)
        multiply_integers(product, all);
    else
        multiply_floats(product, all);
}

const struct fragment *warp_fragment(const struct warp *warp, int operand)
{
    return &op_of(warp->path)->product->fragments[operand];
}

/* Sources and results into op->elements, one operand after another. */
static void bind_fragments(struct binder *binder, struct product *product)
{
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->elements = calloc((size_t)OPERANDS * FRAGMENT_REGISTERS, sizeof *op->elements);
    for (int which = D, start = 0; op->elements && which < OPERANDS; which++) {
        const struct ptx_operand *vector = &instr->operands[which];
        product->starts[which] = start;
        product->counts[which] = vector->count;
        bind_vector(binder, &op->elements[start], vector,
                    ptx_type_size(instr->takes->items[which].type), which == D);
        start += vector->count;
    }
    if (!op->elements)
        bind_refuse(binder, "no memory");
}

/* d, a, b and c, of which wmma leaves out a and b where they are halves. */
static void find_types(const struct ptx_instr *instr, enum ptx_type types[OPERANDS])
{
    const bool short_form = instr->type_count == 2;
    types[D] = instr->types[0];
    types[A] = short_form ? PTX_F16 : instr->types[1];
    types[B] = short_form ? PTX_F16 : instr->types[2];
    types[C] = instr->types[instr->type_count - 1];
}

void bind_mma(struct binder *binder)
{
    static const struct exchange_kind kind = {.bring = bring, .run = multiply, .take = take};
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    struct product *product = op->product = calloc(1, sizeof *product);
    if (!product) {
        bind_refuse(binder, "no memory");
        return;
    }
    op->handler = collective;
    op->exchange = &kind;
    product->shape = shape_of(instr);
    product->saturates = ptx_has(instr, MOD_SATFINITE);
    product->ands = ptx_has(instr, MOD_AND);
    product->rounding = float_rounding(instr);
    find_types(instr, product->types);
    const enum ptx_type *types = product->types;
    fragment_init(&product->fragments[D], instr, FRAGMENT_C, types[D]);
    fragment_init(&product->fragments[A], instr, FRAGMENT_A, types[A]);
    fragment_init(&product->fragments[B], instr, FRAGMENT_B, types[B]);
    fragment_init(&product->fragments[C], instr, FRAGMENT_C, types[C]);
    product->dot = dot_of(&binder->machine->gpu, instr, types[A], types[B], product->shape.k,
                          types[D] == PTX_F16 && types[C] == PTX_F16);
    if (types[D] != PTX_F64 && types[D] != PTX_S32)
        find_indices(product);
    bind_fragments(binder, product);
    bind_members(binder);
}
