/* SPDX-License-Identifier: MIT */
/* The shape of a request: how far apart the addresses of its lanes are. An instruction mostly keeps
 * it from turn to turn, and with it what bounds, alignment and price of a request depend on, but
 * for the first address. */
#ifndef SHAPE_H
#define SHAPE_H

#include "access.h"
#include "reach.h"

enum { MOST_SHAPES = 1024, KNOWN_PRICES = 8 };

enum { QUARTER = WARP_SIZE / 4 };

struct shape {
    struct reach reach;
    const struct op *op; /* NULL: none yet */
    uint32_t lanes;
    int64_t low, high; /* the least and the most that any is from the first */
    bool gapless; /* as struct access_event has it */
    enum ptx_space space;
    uint64_t prices; /* how many it has had, one unlike the other */
    uint64_t lap_prices; /* the same when laps were last found to be steady */
    struct price price;
    struct known_price {
        uint64_t key;
        struct price price;
    } known[KNOWN_PRICES]; /* by sector: the last one found there */
};

/* So many that no request has yet; NULL: there is no memory. Freed with free(). */
struct shape *shapes_new(size_t count);

/* Where the lanes of a load or a store find their elements: lane i at base + apart[i]. */
struct addresses {
    char *base;
    const int64_t *apart;
    enum shape_form form;
    uint32_t runs;
    int64_t own[WARP_SIZE];
};

/* A key that no request has. */
#define UNPRICED UINT64_MAX

/* What access_memory() does. Plain requests go by their shapes, where the observers want no more
 * than prices. False: a fault. */
bool access_addresses(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                      struct addresses *addresses);

/* Where the first lane is in the request's space, by its address. */
static inline uint64_t shape_address(const struct shape *shape, uint64_t first)
{
    return shape->space == PTX_SHARED ? first & ~WINDOW_MASK : first;
}

/* Tell of a request that is as its shape says, with the first lane at `at` in its space: those that
 * want each access, and the others. */
void shape_tell_in_full(struct warp *warp, const struct op *op, enum access_kind kind, uint64_t at,
                        struct shape *shape);
void shape_tell_in_short(struct warp *warp, const struct op *op, enum access_kind kind, uint64_t at,
                         struct shape *shape);

#endif
