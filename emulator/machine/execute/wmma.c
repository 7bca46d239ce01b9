/* SPDX-License-Identifier: MIT */
/* Loads and stores of the matrices of wmma.
 *
 * Each becomes the requests that ptxas makes of it, as its machine code shows, so that sectors and
 * wavefronts are those of a GPU. Where the lanes' runs of elements are runs in memory, too, a lane
 * asks for a run of its own; from shared memory for a row of 16 bytes, as ldmatrix does. Where
 * they lie across, halves are asked for by runs of memory and change lanes, and other elements are
 * asked for one by one. */
#include "machine/access.h"
#include "machine/execute/collective.h"
#include "machine/execute/lanes.h"
#include "machine/fragment.h"
#include "machine/launch.h"

#include <stdlib.h>

enum { BLOCK_ROWS = 8, ROW_BYTES = 16, MOST_ROWS = 4, LANES_IN_ROW = 4 };
enum { MOST_GRANULES = WARP_SIZE * FRAGMENT_REGISTERS * 4 }; /* bytes, or whole doubles */

struct pieces {
    struct fragment fragment;
    enum { BY_RUNS, BY_ROWS, BY_TURNED_RUNS, BY_TURNED_ROWS, BY_ELEMENTS } way;
    int requests, lanes; /* lanes that ask in each */
    uint32_t bytes, granule; /* of a lane in a request; of what goes to one register */
    bool loads, column_major;
    int leading; /* elements from one row or column to the next, if no operand says so */
    /* Where moves() says that the granules are, request by request, lane by lane. */
    struct home {
        uint8_t lane, element, at;
    } homes[MOST_GRANULES];
};

/* The first element that a lane asks for in a request, as its distance across the direction of runs
 * and along it. */
static void find_start(const struct pieces *pieces, int part, int lane, int *across, int *along)
{
    const struct fragment *f = &pieces->fragment;
    const bool rows = pieces->way == BY_ROWS || pieces->way == BY_TURNED_ROWS;
    const int block = rows                         ? part * MOST_ROWS + lane / BLOCK_ROWS
                      : pieces->way == BY_ELEMENTS ? part / f->run
                                                   : part;
    *across = f->block_across[block];
    *along = f->block_along[block];
    if (pieces->way == BY_ROWS) {
        *across += lane % BLOCK_ROWS;
    } else if (pieces->way == BY_TURNED_ROWS) {
        *along += lane % BLOCK_ROWS;
    } else if (pieces->way == BY_TURNED_RUNS) {
        *along += lane / LANES_IN_ROW;
        *across += lane % LANES_IN_ROW * 2;
    } else {
        *across += f->lane_across[lane];
        *along += f->lane_along[lane] + (pieces->way == BY_ELEMENTS ? part % f->run : 0);
    }
}

/* Where that is in memory: bytes after the matrix. */
static int64_t offset_of(const struct pieces *pieces, int part, int lane, int64_t leading)
{
    const struct fragment *f = &pieces->fragment;
    int across, along;
    find_start(pieces, part, lane, &across, &along);
    const bool by_runs = f->turned == pieces->column_major; /* memory has the direction of runs */
    const int64_t major = by_runs ? across : along, minor = by_runs ? along : across;
    return (major * leading + minor) * f->width / 8;
}

/* The register byte with number `byte` of those that a lane has of a block. */
static struct register_byte byte_of(const struct fragment *f, int lane, int block, int byte)
{
    const int size = f->width > 32 ? 8 : 4, at = block * f->run * f->width / 8 + byte;
    return (struct register_byte){
        .lane = lane, .element = (uint32_t)(at / size), .at = (uint32_t)(at % size)};
}

static struct register_byte moves(const struct op *op, int part, int lane, uint32_t offset)
{
    const struct pieces *pieces = op->pieces;
    const struct fragment *f = &pieces->fragment;
    const int byte = (int)offset, row = lane % BLOCK_ROWS;
    const int block = part * MOST_ROWS + lane / BLOCK_ROWS; /* where rows are asked for */
    switch (pieces->way) {
    case BY_ROWS:
        return byte_of(f, row * LANES_IN_ROW + byte / 4, block, byte % 4);
    case BY_TURNED_ROWS:
        return byte_of(f, byte / 2 * LANES_IN_ROW + row / 2, block, row % 2 * 2 + byte % 2);
    case BY_TURNED_RUNS: {
        const int along = lane / LANES_IN_ROW, across = lane % LANES_IN_ROW * 2 + byte / 2;
        return byte_of(f, across * LANES_IN_ROW + along / 2, part, along % 2 * 2 + byte % 2);
    }
    case BY_ELEMENTS:
        return byte_of(f, lane, part / f->run, part % f->run * f->width / 8 + byte);
    default:
        return byte_of(f, lane, part, byte);
    }
}

static void bring(struct warp *warp, const struct op *op, uint32_t lanes, struct exchange *x)
{
    uint64_t addresses[WARP_SIZE];
    gather_addresses(warp, op, addresses);
    EACH_LANE(i, lanes) {
        x->a[i] = addresses[i];
        x->b[i] = op->b.present ? (uint32_t)slot_read(warp, op->b, (int)i)
                                : (uint32_t)op->pieces->leading;
    }
}

/* The host's pointers, by request and lane; 0: none. */
typedef uint64_t pointers[WARP_SIZE];

static pointers *pointers_of(const struct warp *warp)
{
    _Static_assert(sizeof warp->worker->fragments >= 2 * FRAGMENT_BLOCKS * sizeof(pointers),
                   "room for all requests");
    return (pointers *)warp->worker->fragments;
}

static void reach_pieces(const struct op *op, struct exchange *x)
{
    const struct pieces *pieces = op->pieces;
    pointers *found = pointers_of(x->warp);
    for (int part = 0; part < pieces->requests; part++) {
        struct access access;
        struct piece_request request = {.kind = pieces->loads ? ACCESS_LOAD : ACCESS_STORE,
                                        .space = op->space,
                                        .lanes =
                                            x->lanes & UINT32_MAX >> (WARP_SIZE - pieces->lanes),
                                        .bytes = pieces->bytes,
                                        .granule = pieces->granule,
                                        .part = part};
        memset(found[part], 0, sizeof found[part]);
        memset(access.addresses, 0, sizeof access.addresses);
        EACH_LANE(lane, request.lanes)
            access.addresses[lane] =
                x->a[lane] + (uint64_t)offset_of(pieces, part, (int)lane, (int32_t)x->b[lane]);
        request.lanes = request.lanes ? access_pieces(x->warp, op, &request, &access) : 0;
        EACH_LANE(lane, request.lanes)
            found[part][lane] = (uintptr_t)access.pointers[lane];
    }
}

/* The first registers again, in those after them. */
static void repeat(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const struct fragment *f = &op->pieces->fragment;
    const int distinct = fragment_elements(f) / fragment_packed(f);
    for (int i = distinct; i < op->vector; i++)
        EACH_LANE(lane, lanes)
            if (op->elements[i].present && op->elements[i % distinct].present)
                slot_write(warp, op->elements[i], (int)lane,
                           slot_read(warp, op->elements[i % distinct], (int)lane));
}

/* Move granules of `size` bytes between memory and registers, which are 0 if they are loaded. */
static inline __attribute__((always_inline)) void
move_granules(struct warp *warp, const struct op *op, uint32_t lanes, const uint32_t size)
{
    const struct pieces *pieces = op->pieces;
    pointers *found = pointers_of(warp);
    const struct home *home = pieces->homes;
    for (int part = 0; part < pieces->requests; part++)
        for (int i = 0; i < pieces->lanes; i++)
            for (uint32_t offset = 0; offset < pieces->bytes; offset += size, home++) {
                const struct slot slot = op->elements[home->element];
                if (!found[part][i] || !slot.present || !(lanes >> home->lane & 1))
                    continue;
                char *at = (char *)(uintptr_t)found[part][i] + offset;
                const int shift = 8 * home->at;
                if (!pieces->loads)
                    store_element(at, size, slot_read(warp, slot, home->lane) >> shift);
                else if (size == 4)
                    slot_write(warp, slot, home->lane, load_element(at, size));
                else
                    slot_write(warp, slot, home->lane,
                               slot_read(warp, slot, home->lane) | load_element(at, size) << shift);
            }
}

/* Move what the registers of `lanes` receive or hold. */
static void move_pieces(struct warp *warp, const struct op *op, uint32_t lanes,
                        const struct exchange *x)
{
    (void)x;
    const struct pieces *pieces = op->pieces;
    for (int k = 0; pieces->loads && k < op->vector; k++)
        if (op->elements[k].present && op->elements[k].bytes == 8)
            FOR_LANES(lanes, ((lane_u64 *)slot_lanes(warp, op->elements[k]))[i] = 0);
        else if (op->elements[k].present)
            FOR_LANES(lanes, ((lane_u32 *)slot_lanes(warp, op->elements[k]))[i] = 0);
    if (pieces->granule == 4)
        move_granules(warp, op, lanes, 4);
    else
        move_granules(warp, op, lanes, pieces->granule);
    if (pieces->loads)
        repeat(warp, op, lanes);
    else
        note_write(warp);
}

/* How the matrix is asked for, piece by piece. */
static void plan(struct pieces *pieces, bool is_factor, enum ptx_space space)
{
    const struct fragment *f = &pieces->fragment;
    const bool by_runs = f->turned == pieces->column_major, halves = f->width == 16;
    const uint32_t run = (uint32_t)(f->run * f->width / 8), element = (uint32_t)(f->width + 7) / 8;
    pieces->requests = f->blocks;
    pieces->lanes = WARP_SIZE;
    pieces->bytes = run;
    pieces->granule = run > 4 ? element : run;
    if (is_factor && space == PTX_SHARED && f->width <= 16 && (by_runs || halves)) {
        pieces->way = by_runs ? BY_ROWS : BY_TURNED_ROWS;
        pieces->requests = (f->blocks + MOST_ROWS - 1) / MOST_ROWS;
        pieces->lanes = BLOCK_ROWS * (f->blocks < MOST_ROWS ? f->blocks : MOST_ROWS);
        pieces->bytes = ROW_BYTES;
        pieces->granule = by_runs ? 4 : 2;
    } else if (by_runs) {
        pieces->way = BY_RUNS;
    } else if (halves) {
        pieces->way = BY_TURNED_RUNS;
        pieces->granule = 2;
    } else {
        pieces->way = BY_ELEMENTS;
        pieces->requests = f->blocks * f->run;
        pieces->bytes = pieces->granule = element;
    }
}

static void find_homes(struct pieces *pieces, const struct op *op)
{
    for (int part = 0, n = 0; part < pieces->requests; part++)
        for (int lane = 0; lane < pieces->lanes; lane++)
            for (uint32_t offset = 0; offset < pieces->bytes; offset += pieces->granule, n++) {
                const struct register_byte byte = moves(op, part, lane, offset);
                pieces->homes[n].lane = (uint8_t)byte.lane;
                pieces->homes[n].element = (uint8_t)byte.element;
                pieces->homes[n].at = (uint8_t)byte.at;
            }
}

void bind_wmma(struct binder *binder)
{
    static const struct exchange_kind kind = {bring, reach_pieces, move_pieces, moves};
    const struct ptx_instr *instr = binder->instr;
    const bool loads = instr->opcode == OP_WMMA_LOAD;
    const enum fragment_matrix matrix = ptx_has(instr, MOD_A)   ? FRAGMENT_A
                                        : ptx_has(instr, MOD_B) ? FRAGMENT_B
                                                                : FRAGMENT_C;
    struct op *op = binder->op;
    struct pieces *pieces = op->pieces = calloc(1, sizeof *pieces);
    if (!pieces) {
        bind_refuse(binder, "no memory");
        return;
    }
    op->handler = collective;
    op->exchange = &kind;
    op->type = ptx_type_of(instr);
    op->space = instr->space;
    pieces->loads = loads;
    pieces->column_major = ptx_has(instr, MOD_COL);
    struct fragment *f = &pieces->fragment;
    fragment_init(f, instr, matrix, op->type);
    pieces->leading = pieces->column_major ? f->rows : f->columns;
    plan(pieces, matrix != FRAGMENT_C, op->space);
    find_homes(pieces, op);
    bind_address(binder, loads ? 1 : 0);
    if (instr->operand_count > 2)
        bind_source(binder, &op->b, 2, 4);
    const struct ptx_operand *vector = &instr->operands[loads ? 0 : 1];
    op->vector = (uint8_t)vector->count;
    op->bytes = (uint8_t)pieces->granule;
    bind_elements(binder, vector, ptx_type_size(instr->takes->items[loads ? 0 : 1].type), loads);
    bind_members(binder);
}
