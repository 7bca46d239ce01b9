/* SPDX-License-Identifier: MIT */
/* Products by a group of four warps: wgmma.
 *
 * Each warp has 16 of the 64 rows of d = a b + d. The second factor lies in shared memory, as a
 * descriptor says ("Asynchronous Warpgroup Level Matrix Shared Memory Layout" in the manual), and
 * so does the first, unless it is in registers.
 *
 * A product is done somewhere between its instruction and the wait for its group. Under a forward
 * schedule it reads shared memory and registers when it is waited for, under a reverse one at once,
 * under a random one either way: a missing wait shows under one schedule or another.
 */
#include "machine/access.h"
#include "machine/copies.h"
#include "machine/execute/collective.h"
#include "machine/execute/dot.h"
#include "machine/execute/lanes.h"
#include "machine/group_products.h"
#include "machine/launch.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    GROUP_WARPS = 4,
    ROWS = 16, /* of one warp */
    STEP = 32, /* bytes of a row of a, or of a column of b, whatever the type */
    CHUNK = 16, /* bytes that no swizzle takes apart */
    EIGHT = 8, /* rows of a core matrix */
    HELD = 4, /* registers of a factor */
    MOST_COLUMNS = 256,
};

/* What an instruction asks for. */
struct group_product {
    int columns;
    enum ptx_type d, a, b;
    struct dot dot;
    int sums; /* registers of d; those of a follow in op->elements */
    bool held; /* a is in registers */
    bool turned_a, turned_b; /* what lies next to each other are not the terms of a sum */
    bool negative_a, negative_b;
    bool saturates;
};

/* A matrix in shared memory: `leading` and `stride` are bytes from one core matrix to the next. */
struct described {
    uint32_t start, leading, stride;
    uint32_t span; /* bytes in which chunks trade places: 32, 64, 128; 16: none do */
    bool turned;
};

/* A product under way. */
struct pending {
    const struct op *op;
    char *base[FILE_COUNT]; /* of its registers */
    uint32_t lanes, group;
    struct described a, b;
    bool accumulates, done;
    uint64_t note; /* an observer's own */
};

struct group_products {
    struct pending *items; /* in the order they were begun */
    int count, room;
    uint32_t groups; /* committed */
};

static struct described describe(uint64_t bits, bool turned)
{
    static const uint8_t spans[] = {16, 128, 64, 32};
    return (struct described){.start = (uint32_t)(bits & 0x3FFF) * CHUNK,
                              .leading = (uint32_t)(bits >> 16 & 0x3FFF) * CHUNK,
                              .stride = (uint32_t)(bits >> 32 & 0x3FFF) * CHUNK,
                              .span = spans[bits >> 62],
                              .turned = turned};
}

/* Where the chunk number `n` of the matrix lies. Of a matrix as it is, a chunk has terms of one
 * row; eight rows and both halves of a step are 16 chunks. Of one that is turned over, a chunk has
 * eight rows of one term. */
static uint32_t chunk_at(const struct described *m, uint32_t n)
{
    uint32_t at = m->start;
    const uint32_t inner = n % EIGHT, half = n / EIGHT % 2, outer = n / (2 * EIGHT);
    const uint32_t across = m->span / CHUNK; /* chunks that a swizzle keeps together */
    if (!m->turned)
        at += inner * m->span + outer * m->stride + half * (across > 1 ? CHUNK : m->leading);
    else if (across == 1)
        at += inner * CHUNK + outer * m->stride + half * m->leading;
    else
        at += inner * m->span + outer % across * CHUNK + outer / across * m->leading +
              half * m->stride;
    return at ^ (at >> 3 & (m->span - CHUNK));
}

/* The bytes of a row: of a its terms, of b those of a column. */
static void read_row(const char *shared, const struct described *m, uint32_t row, uint8_t *to)
{
    if (!m->turned) {
        for (uint32_t half = 0; half < 2; half++)
            memcpy(to + half * CHUNK,
                   shared + chunk_at(m, row / EIGHT * 2 * EIGHT + half * EIGHT + row % EIGHT),
                   CHUNK);
        return;
    }
    for (uint32_t k = 0; k < STEP / HALF_BYTES; k++)
        memcpy(to + k * HALF_BYTES,
               shared + chunk_at(m, row / EIGHT * 2 * EIGHT + k) + row % EIGHT * HALF_BYTES,
               HALF_BYTES);
}

/* The first factor's rows of this warp. In registers it is as mma's: rows of lanes stand four bytes
 * for a lane, and pairs of registers half a step apart. */
static void read_rows(struct warp *warp, const struct pending *p, uint8_t rows[ROWS][STEP])
{
    const struct group_product *product = p->op->group_product;
    if (!product->held) {
        for (uint32_t row = 0; row < ROWS; row++)
            read_row(warp->block->shared, &p->a, warp->index % GROUP_WARPS * ROWS + row, rows[row]);
        return;
    }
    for (int i = 0; i < HELD; i++)
        for (int lane = 0; lane < WARP_SIZE; lane++) {
            const struct slot slot = p->op->elements[product->sums + i];
            const uint32_t bits = (uint32_t)slot_read(warp, slot, lane);
            memcpy(&rows[lane / 4 + i % 2 * EIGHT][i / 2 * CHUNK + lane % 4 * 4], &bits,
                   sizeof bits);
        }
}

/* The terms of a row as factors. */
static void decode(const uint8_t *row, enum ptx_type type, const struct dot *dot,
                   const struct minifloat *format, bool negative, struct factor *to)
{
    const size_t size = ptx_type_size(type);
    const int dropped = type == PTX_TF32 ? 13 : 0;
    for (size_t i = 0; i < STEP / size; i++) {
        uint32_t bits = 0;
        memcpy(&bits, row + i * size, size);
        dot_factor(dot, format, bits >> dropped, &to[i]);
        if (!negative)
            continue;
        to[i].significand = -to[i].significand;
        to[i].negative = !to[i].negative;
    }
}

static int64_t integer_sum(const struct group_product *product, const uint8_t *a, const uint8_t *b)
{
    int64_t sum = 0;
    for (int i = 0; i < STEP; i++) {
        const int x = product->a == PTX_S8 ? (int8_t)a[i] : a[i];
        const int y = product->b == PTX_S8 ? (int8_t)b[i] : b[i];
        sum += product->a == PTX_B1 ? __builtin_popcount(a[i] & b[i]) : x * y;
    }
    return sum;
}

/* Where element (row, column) of d is: its lane, its register, and the bit it begins at. */
struct home {
    int lane, element, bit;
};
static struct home home_of(const struct group_product *product, int row, int column)
{
    const int lane = row % EIGHT * 4 + column % EIGHT / 2,
              number = column / EIGHT * 2 + row / EIGHT;
    return product->d == PTX_F16 ? (struct home){lane, number, column % 2 * 16}
                                 : (struct home){lane, number * 2 + column % 2, 0};
}

static uint32_t add_integers(const struct group_product *product, const uint8_t *row,
                             const uint8_t *column, uint32_t before)
{
    int64_t sum = integer_sum(product, row, column) + (int32_t)before;
    if (product->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* Add to the sums of a column of d, one a row. */
static void add_products(const struct group_product *product, const uint8_t *column,
                         const struct dot_term *a, uint8_t rows[ROWS][STEP], uint32_t sums[ROWS])
{
    struct factor b[DOT_MOST] = {{0}};
    for (int row = 0; product->d == PTX_S32 && row < ROWS; row++)
        sums[row] = add_integers(product, rows[row], column, sums[row]);
    if (product->d == PTX_S32)
        return;
    decode(column, product->b, &product->dot, product->dot.b, product->negative_b, b);
    for (int row = 0; row < ROWS; row += DOT_WIDE)
        dot_sums(&product->dot, b, a, row, &sums[row]);
}

/* One column of d. */
static void multiply_column(struct warp *warp, const struct pending *p, int column,
                            const struct dot_term *a, uint8_t rows[ROWS][STEP])
{
    const struct group_product *product = p->op->group_product;
    const bool halves = product->d == PTX_F16;
    uint32_t sums[ROWS] = {0};
    uint8_t bytes[STEP];
    read_row(warp->block->shared, &p->b, (uint32_t)column, bytes);
    for (int row = 0; p->accumulates && row < ROWS; row++) {
        const struct home home = home_of(product, row, column);
        const uint32_t old =
            (uint32_t)slot_read(warp, p->op->elements[home.element], home.lane) >> home.bit;
        sums[row] = halves ? (uint16_t)old : old;
    }
    add_products(product, bytes, a, rows, sums);
    for (int row = 0; row < ROWS; row++) {
        const struct home home = home_of(product, row, column);
        const struct slot slot = p->op->elements[home.element];
        const uint32_t mask = halves ? 0xFFFFu << home.bit : UINT32_MAX;
        if (!slot.present || !(p->lanes >> home.lane & 1))
            continue;
        const uint32_t old = (uint32_t)slot_read(warp, slot, home.lane);
        slot_write(warp, slot, home.lane, (old & ~mask) | sums[row] << home.bit);
    }
}

static void multiply(struct warp *warp, const struct pending *p)
{
    const struct group_product *product = p->op->group_product;
    struct factor factors[DOT_MOST];
    struct dot_term a[DOT_MOST];
    uint8_t rows[ROWS][STEP];
    char *base[FILE_COUNT];
    memcpy(base, warp->base, sizeof base);
    memcpy(warp->base, p->base, sizeof base);
    read_rows(warp, p, rows);
    for (int row = 0; row < ROWS && product->d != PTX_S32; row++) {
        decode(rows[row], product->a, &product->dot, product->dot.a, product->negative_a, factors);
        for (int i = 0; i < product->dot.count; i++) {
            a[i].significand[row] = factors[i].significand;
            a[i].exponent[row] = factors[i].exponent;
        }
    }
    for (int column = 0; column < product->columns; column++)
        multiply_column(warp, p, column, a, rows);
    memcpy(warp->base, base, sizeof base);
}

/* Shared memory that this warp stands for: of a its rows, of b every fourth group of rows. Hands
 * `take` 32 chunks or fewer at a time, `part` counting them. */
typedef bool take_chunks(struct warp *warp, struct pending *p, uint32_t lanes, int part,
                         struct access *access);

static bool each_chunk(struct warp *warp, struct pending *p, take_chunks *take)
{
    const struct group_product *product = p->op->group_product;
    const uint32_t own = warp->index % GROUP_WARPS, blocks = (uint32_t)product->columns / EIGHT;
    struct access access = {.addresses = {0}};
    uint32_t lanes = 0;
    int part = 0;
    for (uint32_t n = 0; !product->held && n < WARP_SIZE; n++)
        access.addresses[n] = chunk_at(&p->a, own * 2 * ROWS + n);
    if (!product->held && !take(warp, p, FULL_WARP, part++, &access))
        return false;
    for (uint32_t block = own; block < blocks; block += GROUP_WARPS) {
        const uint32_t at = lanes ? WARP_SIZE / 2 : 0;
        for (uint32_t n = 0; n < WARP_SIZE / 2; n++)
            access.addresses[at + n] = chunk_at(&p->b, block * 2 * EIGHT + n);
        lanes |= 0xFFFFu << at;
        if (lanes != (uint32_t)FULL_WARP && block + GROUP_WARPS < blocks)
            continue;
        if (!take(warp, p, lanes, part++, &access))
            return false;
        lanes = 0;
    }
    return true;
}

static bool reach_chunks(struct warp *warp, struct pending *p, uint32_t lanes, int part,
                         struct access *access)
{
    const struct piece_request request = {.kind = ACCESS_LOAD,
                                          .space = PTX_SHARED,
                                          .lanes = lanes,
                                          .bytes = CHUNK,
                                          .granule = CHUNK,
                                          .part = part};
    return access_pieces(warp, p->op, &request, access) == lanes;
}

static void tell(struct warp *warp, struct pending *p, uint32_t lanes, bool done,
                 const uint64_t *addresses)
{
    static const uint8_t nothing[WARP_SIZE];
    const struct copy_event event = {.worker = warp->worker->number,
                                     .warp = warp,
                                     .instr = p->op->instr,
                                     .lanes = lanes,
                                     .done = done,
                                     .reads_only = true,
                                     .bytes = CHUNK,
                                     .reads = nothing,
                                     .from = addresses,
                                     .to = addresses,
                                     .note = &p->note};
    NOTIFY(warp->block->listeners->copy, &event);
}

static bool tell_begun(struct warp *warp, struct pending *p, uint32_t lanes, int part,
                       struct access *access)
{
    if (part == 0)
        tell(warp, p, lanes, false, access->addresses);
    return true;
}

static bool tell_done(struct warp *warp, struct pending *p, uint32_t lanes, int part,
                      struct access *access)
{
    (void)part;
    tell(warp, p, lanes, true, access->addresses);
    return true;
}

/* Is the matrix of `rows` rows in the block's shared memory? */
static bool is_inside(struct warp *warp, const struct pending *p, const struct described *m,
                      uint32_t rows)
{
    const size_t size = warp->block->shared_bytes;
    for (uint32_t n = 0; n < 2 * rows; n++) {
        const uint32_t at = chunk_at(m, n);
        if (size >= CHUNK && at <= size - CHUNK)
            continue;
        warp_fault(warp, p->op->instr, first_lane(p->lanes), FAULT_ADDRESS,
                   "matrix outside of shared memory",
                   "its descriptor leads to shared address 0x%x; the block has %zu bytes of shared "
                   "memory",
                   at, size);
        return false;
    }
    return true;
}

static bool check(struct warp *warp, struct pending *p, uint64_t a, uint64_t b)
{
    const struct group_product *product = p->op->group_product;
    const int lane = first_lane(p->lanes);
    if ((int)(warp->index / GROUP_WARPS + 1) * GROUP_WARPS > warp->block->warp_count) {
        warp_fault(warp, p->op->instr, lane, FAULT_INSTRUCTION, "no warpgroup",
                   "four warps multiply together, and the block has %d", warp->block->warp_count);
        return false;
    }
    if ((a | b) >> 49 & 7) {
        warp_fault(warp, p->op->instr, lane, FAULT_INSTRUCTION, "bad descriptor", "%s",
                   "a base offset other than 0 is not emulated");
        return false;
    }
    return (product->held || is_inside(warp, p, &p->a, GROUP_WARPS * ROWS)) &&
           is_inside(warp, p, &p->b, (uint32_t)product->columns) &&
           each_chunk(warp, p, reach_chunks);
}

static struct group_products *products_of(struct warp *warp)
{
    if (!warp->products)
        warp->products = calloc(1, sizeof *warp->products);
    if (!warp->products)
        abort();
    return warp->products;
}

static void keep(struct warp *warp, const struct pending *p)
{
    struct group_products *products = products_of(warp);
    if (products->count == products->room) {
        products->room = 2 * products->room + 8;
        products->items =
            realloc(products->items, (size_t)products->room * sizeof *products->items);
        if (!products->items)
            abort();
    }
    products->items[products->count++] = *p;
}

/* Do the first `count` of those under way, as none is done before another that it follows. */
static void finish(struct warp *warp, int count)
{
    for (int i = 0; i < count; i++) {
        struct pending *p = &warp->products->items[i];
        if (!p->done)
            multiply(warp, p);
        p->done = true;
    }
}

/* In a function's frame, which may be gone by then, nothing is put off. */
static void begin(const struct op *op, struct exchange *x)
{
    struct warp *warp = x->warp;
    const struct group_product *product = op->group_product;
    const int lane = first_lane(x->lanes);
    const uint64_t a = product->held ? 0 : slot_read(warp, op->c, lane);
    const uint64_t b = slot_read(warp, op->a, lane);
    struct pending p = {.op = op,
                        .lanes = x->lanes,
                        .group = products_of(warp)->groups,
                        .a = describe(a, product->turned_a),
                        .b = describe(b, product->turned_b),
                        .accumulates = slot_predicate(warp, op->b) >> lane & 1};
    memcpy(p.base, warp->base, sizeof p.base);
    if (!check(warp, &p, a, b))
        return;
    each_chunk(warp, &p, tell_begun);
    keep(warp, &p);
    if (warp->path->frame != warp->frame || copies_move_at_once(warp->block))
        finish(warp, warp->products->count);
}

/* All steps are in `begin`. */
static void no_step(struct warp *warp, const struct op *op, uint32_t lanes, struct exchange *x)
{
    (void)warp, (void)op, (void)lanes, (void)x;
}

static void no_result(struct warp *warp, const struct op *op, uint32_t lanes,
                      const struct exchange *x)
{
    (void)warp, (void)op, (void)lanes, (void)x;
}

static void commit(const struct op *op, struct exchange *x)
{
    (void)op;
    products_of(x->warp)->groups++;
}

static void wait(const struct op *op, struct exchange *x)
{
    struct group_products *products = products_of(x->warp);
    int due = 0;
    while (due < products->count && products->groups - products->items[due].group > op->immediate)
        due++;
    finish(x->warp, due);
    if (due == 0)
        return;
    for (int i = 0; i < due; i++)
        each_chunk(x->warp, &products->items[i], tell_done);
    products->count -= due;
    memmove(products->items, products->items + due,
            (size_t)products->count * sizeof *products->items);
}

/* Between the registers of a warp and what reads them in the background; to the emulator registers
 * are always up to date. */
static void fence(const struct op *op, struct exchange *x)
{
    (void)op, (void)x;
}

void group_products_end(struct warp *warp)
{
    if (warp->products)
        warp->products->count = 0;
}

void group_products_free(struct warp *warp)
{
    if (warp->products)
        free(warp->products->items);
    free(warp->products);
}

/* The constant at operand `i`; 0 where there is none. */
static uint64_t constant_at(const struct ptx_instr *instr, int i)
{
    return i < instr->operand_count ? instr->operands[i].bits : 0;
}

static struct group_product *plan(const struct gpu *gpu, const struct ptx_instr *instr)
{
    enum { A = 1, SIGN_A = 4, SIGN_B, TURN };
    struct group_product *product = calloc(1, sizeof *product);
    if (!product)
        return NULL;
    product->columns = instr->columns;
    product->d = instr->types[0];
    product->a = instr->types[1];
    product->b = instr->types[2];
    product->held = instr->operands[A].kind == OPERAND_VECTOR;
    product->sums = instr->operands[0].count;
    product->negative_a = constant_at(instr, SIGN_A) == UINT64_MAX;
    product->negative_b = constant_at(instr, SIGN_B) == UINT64_MAX;
    product->turned_a = !product->held && constant_at(instr, TURN);
    product->turned_b = constant_at(instr, product->held ? TURN : TURN + 1);
    product->saturates = ptx_has(instr, MOD_SATFINITE);
    if (product->d != PTX_S32)
        product->dot = dot_of(gpu, instr, product->a, product->b,
                              STEP / (int)ptx_type_size(product->a), product->d == PTX_F16);
    return product;
}

static void bind_product(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    const struct ptx_operand *d = &instr->operands[0], *a = &instr->operands[1];
    struct op *op = binder->op;
    op->group_product = plan(&binder->machine->gpu, instr);
    op->elements = calloc((size_t)d->count + HELD, sizeof *op->elements);
    if (!op->elements || !op->group_product) {
        bind_refuse(binder, "no memory");
        return;
    }
    bind_vector(binder, op->elements, d, 4, true);
    if (op->group_product->held)
        bind_vector(binder, op->elements + d->count, a, 4, false);
    else
        bind_source(binder, &op->c, 1, 8);
    op->copies = true;
    op->space = PTX_SHARED;
    op->bytes = CHUNK;
    op->vector = 1;
    bind_operands(binder);
}

void bind_wgmma(struct binder *binder)
{
    static const struct exchange_kind product = {.bring = no_step, .run = begin, .take = no_result},
                                      committed = {no_step, commit, no_result, NULL},
                                      waited = {no_step, wait, no_result, NULL},
                                      fenced = {no_step, fence, no_result, NULL};
    const struct ptx_instr *instr = binder->instr;
    struct op *op = binder->op;
    op->handler = collective;
    if (instr->opcode == OP_WGMMA_MMA) {
        op->exchange = &product;
        bind_product(binder);
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        op->exchange = &waited;
        op->immediate = (uint32_t)instr->operands[0].bits;
    } else {
        op->exchange = ptx_has(instr, MOD_COMMIT_GROUP) ? &committed : &fenced;
    }
    static const struct ptx_operand all = {.kind = OPERAND_IMMEDIATE, .bits = FULL_WARP};
    bind_element(binder, &op->e, &all, 4, false);
}
