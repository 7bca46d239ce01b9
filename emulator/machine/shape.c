/* SPDX-License-Identifier: MIT */
/* Requests by their shapes. */
#include "shape.h"

#include "launch.h"
#include "stretch.h"

#include <stdlib.h>

struct price request_price(const struct gpu *gpu, enum access_kind kind, enum ptx_space space,
                           uint32_t lanes, const uint64_t *addresses, uint32_t bytes)
{
    struct price price = {0};
    switch (space) {
    case PTX_GLOBAL:
        price.global = coalesce(gpu->coalescing, lanes, addresses, bytes);
        break;
    case PTX_SHARED:
        price.shared = bank_wavefronts(gpu->banks, gpu->bank_lanes, kind == ACCESS_LOAD, lanes,
                                       addresses, bytes);
        break;
    case PTX_LOCAL:
        price.passes = local_sectors(lanes, addresses, bytes);
        break;
    case PTX_CONST:
        price.passes = distinct_addresses(lanes, addresses);
        break;
    default:
        break;
    }
    return price;
}

struct shape *shapes_new(size_t count)
{
    struct shape *shapes = aligned_alloc(_Alignof(struct shape), count * sizeof *shapes);
    return shapes ? memset(shapes, 0, count * sizeof *shapes) : NULL;
}

/* The bytes that a lane moves. */
static uint64_t width_of(const struct op *op)
{
    return (uint64_t)op->bytes * op->vector;
}

static bool fits(const struct warp *warp, const struct op *op, uint32_t lanes,
                 const struct shape *shape)
{
    if (shape->op != op || shape->lanes != lanes)
        return false;
    const void *pointer = slot_lanes(warp, op->pointer);
    return op->address == ADDRESS_64 ? fits_64(pointer, lanes, &shape->reach)
           : op->address == ADDRESS_INDEXED
               ? fits_indexed(pointer, slot_lanes(warp, op->b), op->index_signed, op->index_shift,
                              lanes, &shape->reach)
           : op->address == ADDRESS_32 ? fits_32(pointer, lanes, &shape->reach)
                                       : true;
}

/* Do the lanes of each quarter want one element, or each lane the next? *runs: the quarters that do
 * the latter. */
static bool has_quarters(const uint64_t *apart, uint64_t bytes, uint32_t *runs)
{
    uint64_t neither = 0;
    *runs = 0;
    for (int quarter = 0; quarter < WARP_SIZE / QUARTER; quarter++) {
        const uint64_t *first = &apart[quarter * QUARTER];
        uint64_t same = 0, run = 0;
        for (int i = 0; i < QUARTER; i++) {
            same |= first[i] ^ *first;
            run |= first[i] ^ (*first + (uint64_t)i * bytes);
        }
        *runs |= (uint32_t)(run == 0) << quarter;
        neither |= same && run;
    }
    return !neither;
}

/* Is each lane's address above the one before by a sector at most? */
static bool has_no_gaps(const uint64_t *apart)
{
    uint64_t gaps = 0;
    for (int i = 1; i < WARP_SIZE; i++)
        gaps |= apart[i] - apart[i - 1] > SECTOR_BYTES;
    return !gaps;
}

static void forget_prices(struct shape *shape)
{
    shape->reach.key = UNPRICED;
    for (int i = 0; i < KNOWN_PRICES; i++)
        shape->known[i].key = UNPRICED;
}

static void take_shape(struct shape *shape, const struct op *op, uint32_t lanes,
                       const uint64_t *addresses)
{
    const uint64_t first = addresses[first_lane(lanes)];
    uint64_t same = 0, run = 0;
    int64_t low = 0, high = 0;
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint64_t apart = (addresses[i] - first) & -(uint64_t)(lanes >> i & 1);
        shape->reach.apart[i] = apart;
        shape->reach.apart_32[i] = (uint32_t)apart;
        low = (int64_t)apart < low ? (int64_t)apart : low;
        high = (int64_t)apart > high ? (int64_t)apart : high;
        same |= apart;
        run |= apart ^ (uint64_t)i * width_of(op);
    }
    shape->op = op;
    shape->lanes = lanes;
    shape->low = low;
    shape->high = high;
    shape->reach.bits = same;
    shape->reach.within = width_of(op) - 1;
    const bool whole = lanes == (uint32_t)FULL_WARP;
    const bool quarters = has_quarters(shape->reach.apart, width_of(op), &shape->reach.runs);
    shape->reach.form = same == 0           ? SHAPE_SAME
                        : run == 0 && whole ? SHAPE_RUN
                        : quarters && whole ? SHAPE_QUARTERS
                                            : SHAPE_SCATTERED;
    shape->gapless = same == 0 || (whole && has_no_gaps(shape->reach.apart));
    forget_prices(shape);
    shape->reach.room = 0;
}

static uint64_t first_address(const struct warp *warp, const struct op *op, uint32_t lanes)
{
    const uint64_t base = op->relative == RELATIVE_NONE ? 0 : address_base(warp, op);
    const uint64_t offset = base + (uint64_t)op->offset;
    if (op->address == ADDRESS_CONSTANT)
        return offset;
    uint64_t address = slot_read(warp, op->pointer, first_lane(lanes)) + offset;
    if (op->address == ADDRESS_INDEXED)
        address += index_bytes((uint32_t)slot_read(warp, op->b, first_lane(lanes)),
                               op->index_signed, op->index_shift);
    return op->address == ADDRESS_32 ? (uint32_t)address : address;
}

/* All lanes are in [start, start + size) as long as the first one is so far from its ends. */
static void set_room(struct shape *shape, uint64_t start, uint64_t size, uint64_t bytes)
{
    const uint64_t below = 0 - (uint64_t)shape->low, above = (uint64_t)shape->high;
    const bool fits = below <= size && above <= size && below + above + bytes <= size;
    shape->reach.from = start + below;
    shape->reach.room = fits ? size - (below + above + bytes) + 1 : 0;
}

/* The part of the first address that the price depends on. It is the same wherever the first word
 * is in shared or constant memory; in global memory, wherever it is in a segment, and wherever one
 * element is that all lanes want, or, by sectors, elements whole lines apart are. */
static uint64_t key_bits(const struct gpu *gpu, const struct shape *shape)
{
    enum { LARGEST_SEGMENT = 256 };
    const bool sectors = gpu->coalescing == COALESCE_SECTORS;
    if (shape->space != PTX_GLOBAL)
        return BANK_BYTES - 1;
    if (sectors ? shape->reach.bits % LINE_BYTES == 0
                : shape->reach.form == SHAPE_SAME && shape->lanes == (uint32_t)FULL_WARP)
        return 0;
    return sectors ? LINE_BYTES - 1 : LARGEST_SEGMENT - 1;
}

/* Learn where the request is, whose first lane is at `first`. False: in no single range. */
static __attribute__((noinline)) bool find_room(struct warp *warp, const struct op *op,
                                                enum access_kind kind, uint64_t first,
                                                struct shape *shape)
{
    const struct launch_state *launch = warp->block->launch;
    const uint64_t low = first + (uint64_t)shape->low, bytes = width_of(op);
    const bool generic = op->space == PTX_GENERIC,
               windowed = (first & WINDOW_MASK) == SHARED_WINDOW;
    const enum ptx_space before = shape->space;
    shape->space = !generic                            ? op->space
                   : windowed && !warp->block->cluster ? PTX_SHARED
                                                       : PTX_GLOBAL; /* or in no allocation */
    if (shape->space != before) {
        forget_prices(shape);
        shape->prices++;
    }
    shape->reach.key_bits = key_bits(&launch->machine->gpu, shape);
    shape->reach.room = 0;
    if (shape->space == PTX_SHARED) {
        set_room(shape, generic ? SHARED_WINDOW : 0, warp->block->shared_bytes, bytes);
    } else if (shape->space == PTX_PARAM) {
        set_room(shape, 0, launch->code->function->param_bytes, bytes);
    } else if (shape->space == PTX_GLOBAL || shape->space == PTX_CONST) {
        const struct allocation *allocation = memory_reach(launch->machine, low, bytes);
        if (allocation && (kind == ACCESS_LOAD || allocation->kind != MEMORY_CONSTANT)) {
            set_room(shape, allocation->address, allocation->size, bytes);
            shape->reach.shift = allocation->shift;
        }
    }
    return first - shape->reach.from < shape->reach.room;
}

/* Where the first lane finds its element. */
static char *pointer_of(const struct warp *warp, const struct shape *shape, uint64_t first)
{
    return shape->space == PTX_SHARED  ? warp->block->shared + (first & ~WINDOW_MASK)
           : shape->space == PTX_PARAM ? warp->block->launch->params + first
                                       : host_pointer(first + shape->reach.shift);
}

static struct price new_price(const struct gpu *gpu, const struct op *op, enum access_kind kind,
                              uint64_t at, const struct shape *shape)
{
    const uint64_t bytes = width_of(op);
    if (shape->space == PTX_GLOBAL && gpu->coalescing == COALESCE_SECTORS &&
        shape->reach.form >= SHAPE_SAME)
        return (struct price){.global = coalesce_span(at, at + (uint64_t)shape->high + bytes)};
    uint64_t addresses[WARP_SIZE];
    for (int i = 0; i < WARP_SIZE; i++)
        addresses[i] = at + shape->reach.apart[i];
    return request_price(gpu, kind, shape->space, shape->lanes, addresses, (uint32_t)bytes);
}

static __attribute__((noinline)) void find_price(const struct warp *warp, const struct op *op,
                                                 enum access_kind kind, uint64_t at,
                                                 struct shape *shape)
{
    const struct gpu *gpu = &warp->block->launch->machine->gpu;
    const uint64_t key = at & shape->reach.key_bits;
    struct known_price *known = &shape->known[key / SECTOR_BYTES % KNOWN_PRICES];
    if (known->key != key)
        *known = (struct known_price){key, new_price(gpu, op, kind, at, shape)};
    if (memcmp(&known->price, &shape->price, sizeof shape->price) != 0)
        shape->prices++;
    shape->price = known->price;
    shape->reach.key = key;
}

static inline const struct price *price_of(const struct warp *warp, const struct op *op,
                                           enum access_kind kind, uint64_t at, struct shape *shape)
{
    if (shape->reach.key != (at & shape->reach.key_bits))
        find_price(warp, op, kind, at, shape);
    return &shape->price;
}

struct price access_price(const struct access_event *event)
{
    const uint64_t first = event->addresses[first_lane(event->lanes)];
    if (event->shape)
        return *price_of(event->warp, event->op, event->kind, first, event->shape);
    return request_price(&event->warp->block->launch->machine->gpu, event->kind, event->space,
                         event->lanes, event->addresses, event->bytes);
}

static __attribute__((noinline)) void tell_anew(struct warp *warp, const struct op *op,
                                                enum access_kind kind, const struct shape *shape)
{
    const struct stretch stretch = stretch_untold(warp);
    const struct request_event event = {.worker = warp->worker->number,
                                        .warp = warp,
                                        .kind = kind,
                                        .space = shape->space,
                                        .lanes = shape->lanes,
                                        .bytes = (uint32_t)width_of(op),
                                        .price = &shape->price,
                                        .stretch = &stretch};
    if (!TURNS_KEEP(request, warp, op, shape, &event))
        NOTIFY(warp->block->listeners->request, &event);
}

void shape_tell_in_full(struct warp *warp, const struct op *op, enum access_kind kind, uint64_t at,
                        struct shape *shape)
{
    const struct listeners *listeners = warp->block->listeners;
    struct access access;
    const struct request request = {.kind = kind,
                                    .space = shape->space,
                                    .lanes = shape->lanes,
                                    .bytes = (uint32_t)width_of(op),
                                    .in_full = listeners->in_short,
                                    .shape = shape,
                                    .access = &access};
    char *const base = pointer_of(warp, shape, at);
    for (int i = 0; i < WARP_SIZE; i++) {
        access.addresses[i] = at + shape->reach.apart[i];
        access.pointers[i] = base + (int64_t)shape->reach.apart[i];
    }
    access_tell(warp, op, &request);
}

void shape_tell_in_short(struct warp *warp, const struct op *op, enum access_kind kind, uint64_t at,
                         struct shape *shape)
{
    price_of(warp, op, kind, at, shape);
    if (!turns_repeat(warp, &warp->worker->turns, op, shape->lanes, shape->prices))
        tell_anew(warp, op, kind, shape);
    stretch_told(warp);
}

/* Tell of a request that is as its shape says, with the first lane at `at` in its space. */
static inline void tell_request(struct warp *warp, const struct op *op, enum access_kind kind,
                                uint64_t at, struct shape *shape)
{
    const struct listeners *listeners = warp->block->listeners;
    const bool in_short = listeners->in_short && shape->space != PTX_PARAM;
    if (!in_short)
        stretch_tell(warp);
    if (wants_in_full(listeners, shape->space))
        shape_tell_in_full(warp, op, kind, at, shape);
    if (in_short)
        shape_tell_in_short(warp, op, kind, at, shape);
}

static __attribute__((noinline)) void gather_shape(const struct warp *warp, const struct op *op,
                                                   uint32_t lanes, struct shape *shape)
{
    uint64_t addresses[WARP_SIZE];
    gather_addresses(warp, op, addresses);
    take_shape(shape, op, lanes, addresses);
}

/* Are the lanes in one range, as far apart as `shape` says then, and does each find its element at
 * a multiple of its size? first_address() is `first`. */
static bool has_shape(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                      uint64_t first, struct shape *shape)
{
    if (!fits(warp, op, lanes, shape))
        gather_shape(warp, op, lanes, shape);
    return reach_has(&shape->reach, first) ||
           (((first | shape->reach.bits) & shape->reach.within) == 0 &&
            find_room(warp, op, kind, first, shape));
}

/* Any other request. */
static __attribute__((noinline)) bool access_scattered(struct warp *warp, const struct op *op,
                                                       uint32_t lanes, enum access_kind kind,
                                                       struct addresses *addresses)
{
    struct access access;
    stretch_tell(warp);
    turns_end(warp);
    if (!access_memory(warp, op, lanes, kind, &access))
        return false;
    uint64_t same = 0, run = 0;
    addresses->base = access.pointers[first_lane(lanes)];
    addresses->apart = addresses->own;
    for (int i = 0; i < WARP_SIZE; i++) {
        const int64_t apart = (int64_t)((uint64_t)access.pointers[i] - (uint64_t)addresses->base);
        addresses->own[i] = lanes >> i & 1 ? apart : 0;
        same |= addresses->own[i];
        run |= addresses->own[i] ^ (uint64_t)i * width_of(op);
    }
    addresses->form = same == 0                                  ? SHAPE_SAME
                      : run == 0 && lanes == (uint32_t)FULL_WARP ? SHAPE_RUN
                                                                 : SHAPE_SCATTERED;
    return true;
}

bool access_addresses(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                      struct addresses *addresses)
{
    if (!op->request || !warp->worker->shapes || op->space == PTX_LOCAL) /* in no single range */
        return access_scattered(warp, op, lanes, kind, addresses);
    struct shape *shape = &warp->worker->shapes[op->request - 1];
    const uint64_t first = first_address(warp, op, lanes);
    if (!has_shape(warp, op, lanes, kind, first, shape))
        return access_scattered(warp, op, lanes, kind, addresses);
    const uint64_t at = shape_address(shape, first);
    tell_request(warp, op, kind, at, shape);
    addresses->base = pointer_of(warp, shape, at);
    addresses->apart = (const int64_t *)shape->reach.apart;
    addresses->form = shape->reach.form;
    addresses->runs = shape->reach.runs;
    return true;
}
