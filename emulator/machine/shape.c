/* SPDX-License-Identifier: MIT */
/* Requests by their shapes. */
#include "shape.h"

#include "launch.h"
#include "stretch.h"

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

/* The bytes that a lane moves. */
static uint64_t width_of(const struct op *op)
{
    return (uint64_t)op->bytes * op->vector;
}

/* Bits that differ from what the shape says, in any of its lanes: none, if it fits. */
#define DIFFERENCE(type, apart)                                                      \
    const type *pointer = slot_lanes(warp, op->pointer);                             \
    const type first = pointer[first_lane(lanes)];                                   \
    type differ = 0;                                                                 \
    if (lanes == (uint32_t)FULL_WARP)                                                \
        for (int i = 0; i < WARP_SIZE; i++)                                          \
            differ |= (pointer[i] - first) ^ (apart)[i];                             \
    else                                                                             \
        for (int i = 0; i < WARP_SIZE; i++)                                          \
            differ |= ((pointer[i] - first) ^ (apart)[i]) & -(type)(lanes >> i & 1); \
    return differ == 0

static bool fits_64(const struct warp *warp, const struct op *op, uint32_t lanes,
                    const struct shape *shape)
{
    DIFFERENCE(lane_u64, shape->apart);
}

static bool fits_32(const struct warp *warp, const struct op *op, uint32_t lanes,
                    const struct shape *shape)
{
    DIFFERENCE(lane_u32, shape->apart_32);
}

static bool fits(const struct warp *warp, const struct op *op, uint32_t lanes,
                 const struct shape *shape)
{
    if (shape->op != op || shape->lanes != lanes)
        return false;
    return op->address == ADDRESS_64   ? fits_64(warp, op, lanes, shape)
           : op->address == ADDRESS_32 ? fits_32(warp, op, lanes, shape)
                                       : true;
}

/* Do the lanes of each quarter want the same, or each the next element? *runs: which the latter. */
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

static void take_shape(struct shape *shape, const struct op *op, uint32_t lanes,
                       const uint64_t *addresses)
{
    const uint64_t first = addresses[first_lane(lanes)];
    uint64_t same = 0, run = 0;
    int64_t low = 0, high = 0;
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint64_t apart = (addresses[i] - first) & -(uint64_t)(lanes >> i & 1);
        shape->apart[i] = apart;
        shape->apart_32[i] = (uint32_t)apart;
        low = (int64_t)apart < low ? (int64_t)apart : low;
        high = (int64_t)apart > high ? (int64_t)apart : high;
        same |= apart;
        run |= apart ^ (uint64_t)i * width_of(op);
    }
    shape->op = op;
    shape->lanes = lanes;
    shape->low = low;
    shape->high = high;
    shape->bits = same;
    const bool whole = lanes == (uint32_t)FULL_WARP;
    const bool quarters = has_quarters(shape->apart, width_of(op), &shape->runs);
    shape->form = same == 0           ? SHAPE_SAME
                  : run == 0 && whole ? SHAPE_RUN
                  : quarters && whole ? SHAPE_QUARTERS
                                      : SHAPE_SCATTERED;
    shape->priced = false;
}

static uint64_t first_address(const struct warp *warp, const struct op *op, uint32_t lanes)
{
    const uint64_t base = op->relative == RELATIVE_NONE ? 0 : address_base(warp, op);
    const uint64_t offset = base + (uint64_t)op->offset;
    if (op->address == ADDRESS_CONSTANT)
        return offset;
    const uint64_t address = slot_read(warp, op->pointer, first_lane(lanes)) + offset;
    return op->address == ADDRESS_32 ? (uint32_t)address : address;
}

/* The first lane's place in the one allocation that all lanes reach. NULL: there is none such. */
static char *place_in_global(struct warp *warp, enum access_kind kind, struct shape *shape,
                             uint64_t first, uint64_t bytes)
{
    const uint64_t low = first + (uint64_t)shape->low, high = first + (uint64_t)shape->high;
    const struct allocation *allocation = shape->allocation;
    if (!allocation_holds(allocation, low, high, bytes))
        allocation = memory_find(warp->block->launch->machine, low, bytes);
    if (!allocation_holds(allocation, low, high, bytes) ||
        (kind != ACCESS_LOAD && allocation->kind == MEMORY_CONSTANT))
        return NULL;
    shape->allocation = allocation;
    return host_pointer(first);
}

/* The same in `space`. */
static char *place_in(struct warp *warp, const struct op *op, enum access_kind kind,
                      enum ptx_space space, uint64_t first, struct shape *shape)
{
    const struct launch_state *launch = warp->block->launch;
    const uint64_t low = first + (uint64_t)shape->low, high = first + (uint64_t)shape->high;
    const uint64_t bytes = width_of(op);
    const bool shared = space == PTX_SHARED;
    if (low > first || high < first || ((first | shape->bits) & (bytes - 1)) != 0)
        return NULL;
    if (space == PTX_GLOBAL || space == PTX_CONST)
        return place_in_global(warp, kind, shape, first, bytes);
    if (!shared && space != PTX_PARAM)
        return NULL;
    const size_t size = shared ? warp->block->shared_bytes : launch->code->function->param_bytes;
    char *start = shared ? warp->block->shared : launch->params;
    return bytes <= size && high <= size - bytes ? start + first : NULL;
}

/* A price is the same wherever the first word is in shared or constant memory; in global memory,
 * wherever it is in a segment. */
static const struct price *price_of(const struct warp *warp, const struct op *op,
                                    enum access_kind kind, enum ptx_space space, uint64_t first,
                                    struct shape *shape)
{
    enum { LARGEST_SEGMENT = 256 };
    const struct gpu *gpu = &warp->block->launch->machine->gpu;
    const uint64_t key = first % (space == PTX_GLOBAL ? LARGEST_SEGMENT : BANK_BYTES);
    const uint64_t bytes = width_of(op);
    if (space == PTX_GLOBAL && gpu->coalescing == COALESCE_SECTORS && shape->form >= SHAPE_SAME) {
        shape->price.global = coalesce_span(first, first + (uint64_t)shape->high + bytes);
        shape->priced = false;
    } else if (!shape->priced || shape->key != key) {
        uint64_t addresses[WARP_SIZE];
        for (int i = 0; i < WARP_SIZE; i++)
            addresses[i] = first + shape->apart[i];
        shape->price = request_price(gpu, kind, space, shape->lanes, addresses, (uint32_t)bytes);
        shape->key = key;
        shape->priced = true;
    }
    return &shape->price;
}

static void tell(struct warp *warp, const struct op *op, enum access_kind kind,
                 enum ptx_space space, uint64_t first, struct shape *shape)
{
    const struct request_event event = {.worker = warp->worker->number,
                                        .warp = warp,
                                        .kind = kind,
                                        .space = space,
                                        .lanes = shape->lanes,
                                        .bytes = (uint32_t)width_of(op),
                                        .price = price_of(warp, op, kind, space, first, shape),
                                        .stretch = warp->untold};
    warp->untold = (struct stretch){0};
    NOTIFY(warp->block->launch->listeners.request, &event);
}

/* The same for those who want addresses. */
static void tell_in_full(struct warp *warp, const struct op *op, enum access_kind kind,
                         enum ptx_space space, uint64_t first, char *base,
                         const struct shape *shape)
{
    struct access access;
    const struct request request = {.kind = kind,
                                    .space = space,
                                    .lanes = shape->lanes,
                                    .bytes = (uint32_t)width_of(op),
                                    .access = &access};
    for (int i = 0; i < WARP_SIZE; i++) {
        access.addresses[i] = first + shape->apart[i];
        access.pointers[i] = base + shape->apart[i];
    }
    access_tell(warp, op, &request);
}

/* The shape of a request whose observers have been told, and where its first lane is; NULL: it is
 * not as simple as that, and nothing has happened. */
static const struct shape *request_shape(struct warp *warp, const struct op *op, uint32_t lanes,
                                         enum access_kind kind, char **base)
{
    const struct listeners *listeners = &warp->block->launch->listeners;
    if (!op->request || !warp->worker->shapes)
        return NULL;
    struct shape *shape = &warp->worker->shapes[op->request - 1];
    uint64_t first = first_address(warp, op, lanes);
    enum ptx_space space = op->space;
    if (space == PTX_GENERIC && (first & WINDOW_MASK) == SHARED_WINDOW && !warp->block->cluster) {
        space = PTX_SHARED;
        first -= SHARED_WINDOW;
    } else if (space == PTX_GENERIC) {
        space = PTX_GLOBAL; /* or in no allocation */
    }
    if (!fits(warp, op, lanes, shape)) {
        uint64_t addresses[WARP_SIZE];
        gather_addresses(warp, op, addresses);
        take_shape(shape, op, lanes, addresses);
    }
    *base = place_in(warp, op, kind, space, first, shape);
    if (!*base)
        return NULL;
    const bool in_short = listeners->access.count == listeners->request.count &&
                          listeners->stretch.count == listeners->request.count;
    if (in_short && listeners->request.count && space != PTX_PARAM) {
        tell(warp, op, kind, space, first, shape);
        return shape;
    }
    stretch_tell(warp);
    if (!in_short && listeners->access.count)
        tell_in_full(warp, op, kind, space, first, *base, shape);
    return shape;
}

bool access_places(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                   struct places *places)
{
    const struct shape *shape = request_shape(warp, op, lanes, kind, &places->base);
    if (shape) {
        places->apart = shape->apart;
        places->form = shape->form;
        places->runs = shape->runs;
        return true;
    }
    struct access access;
    stretch_tell(warp);
    if (!access_memory(warp, op, lanes, kind, &access))
        return false;
    uint64_t same = 0, run = 0;
    places->base = access.pointers[first_lane(lanes)];
    places->apart = places->own;
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint64_t apart = (uint64_t)access.pointers[i] - (uint64_t)places->base;
        places->own[i] = lanes >> i & 1 ? apart : 0;
        same |= places->own[i];
        run |= places->own[i] ^ (uint64_t)i * width_of(op);
    }
    places->form = same == 0                                  ? SHAPE_SAME
                   : run == 0 && lanes == (uint32_t)FULL_WARP ? SHAPE_RUN
                                                              : SHAPE_SCATTERED;
    return true;
}
