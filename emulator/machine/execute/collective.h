/* SPDX-License-Identifier: MIT */
/* What lanes of a warp do together, as collective.c carries it out. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "machine/warp.h"

/* What one collective reads and writes, by lane. */
struct exchange {
    struct warp *warp;
    uint32_t lanes, members;
    uint64_t a[WARP_SIZE]; /* ldmatrix, stmatrix: the address of a row */
    uint32_t b[WARP_SIZE], c[WARP_SIZE];
    uint32_t votes; /* the source, if it is a predicate */
    uint64_t result[WARP_SIZE]; /* ldmatrix, stmatrix: the host's pointer to the row; 0: none */
    uint32_t predicate; /* the destination, or the second one, if it is a predicate */
    uint32_t undefined; /* the lanes that read a lane which takes no part */
};

/* Its steps. The lanes may be on several paths: the first and the last step come once for each of
 * them. */
struct exchange_kind {
    void (*bring)(struct warp *warp, const struct op *op, uint32_t lanes, struct exchange *x);
    void (*run)(const struct op *op, struct exchange *x); /* NULL: lanes only wait for each other */
    void (*take)(struct warp *warp, const struct op *op, uint32_t lanes, const struct exchange *x);
    /* Of a load or a store: see access_register(). */
    struct register_byte (*moves)(const struct op *op, int part, int lane, uint32_t offset);
};

/* The handler of all of them, and of their masks: the op's last source, or all lanes where the
 * instruction is .aligned. */
void collective(struct warp *warp, const struct op *op, uint32_t lanes);
/* The same of a shuffle in which the whole warp takes part, if nobody wants to hear of it. False:
 * it is none, and nothing was done. */
bool collective_shuffle(struct warp *warp, const struct op *op, uint32_t lanes);
struct binder;
void bind_members(struct binder *binder);

#endif
