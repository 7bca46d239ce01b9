/* SPDX-License-Identifier: MIT */
/* The shape of a request: how far apart the addresses of its lanes are. An instruction mostly keeps
 * it from turn to turn, and with it what bounds, alignment and price of a request depend on, but
 * for the first address. */
#ifndef SHAPE_H
#define SHAPE_H

#include "access.h"

enum { MOST_SHAPES = 1024, KNOWN_PRICES = 8 };

enum { QUARTER = WARP_SIZE / 4 };
enum shape_form {
    SHAPE_SCATTERED,
    SHAPE_QUARTERS, /* of a whole warp, each quarter is one of the following */
    SHAPE_SAME, /* all lanes want the same */
    SHAPE_RUN, /* of a whole warp, each lane the next element */
};

struct shape {
    /* From the first lane's address, of the lanes that take part; and its lower half. */
    _Alignas(64) uint64_t apart[WARP_SIZE];
    uint32_t apart_32[WARP_SIZE];
    const struct op *op; /* NULL: none yet */
    uint32_t lanes;
    enum shape_form form;
    uint32_t runs; /* SHAPE_QUARTERS: a set of those whose lanes each want the next element */
    int64_t low, high; /* the least and the most of these */
    uint64_t bits; /* that any of these has */
    uint64_t within; /* the bits of a place in an element */
    /* Where the first lane may be so that all are in what they were last in, its first address and
     * how many there are: an allocation, or `space`. */
    uint64_t from, room;
    uint64_t shift; /* the allocation's */
    enum ptx_space space;
    uint64_t prices; /* how many it has had, one unlike the other */
    uint64_t key_bits; /* of the first address: those that the price depends on */
    uint64_t key; /* what these are where the price is right */
    struct price price;
    struct known_price {
        uint64_t key;
        struct price price;
    } known[KNOWN_PRICES]; /* by sector: the last one found there */
};

/* So many that no request has yet; NULL: there is no memory. Freed with free(). */
struct shape *shapes_new(size_t count);

/* Where the lanes of a load or a store find their elements: lane i at base + apart[i]. */
struct places {
    char *base;
    const int64_t *apart;
    enum shape_form form;
    uint32_t runs;
    int64_t own[WARP_SIZE];
};

/* What access_memory() does. Plain requests go by their shapes, where the observers want no more
 * than prices. False: a fault. */
bool access_places(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                   struct places *places);

#endif
