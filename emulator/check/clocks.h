/* SPDX-License-Identifier: MIT */
/* Vector clocks of a whole grid: a clock by key, most of them 0.
 *
 * A tree of 16 ways whose nodes are shared between versions and never change: what a million
 * threads know of each other costs what they know differently. Adding a later version of itself
 * touches only what differs. NULL is the clock that knows nothing.
 *
 * A function that returns clocks returns a reference of the caller's own, given back with
 * clocks_release(); those it takes stay the caller's. `levels` is the same in all calls: enough for
 * the largest key, from clocks_levels().
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "emu.h"

struct clocks;

/* Levels for keys below `keys`. */
int clocks_levels(uint64_t keys);

/* The clock of `key`; 0: none. */
uint32_t clocks_get(const struct clocks *clocks, int levels, uint64_t key);

/* `clocks`, with the clock of `key` raised to at least `clock`. */
struct clocks *clocks_raise(struct clocks *clocks, int levels, uint64_t key, uint32_t clock);

/* Has `a` all that `b` has? */
bool clocks_cover(const struct clocks *a, const struct clocks *b);

struct clocks *clocks_keep(struct clocks *clocks);
void clocks_release(struct clocks *clocks);

/* Put `clocks`, whose reference it takes, in the place of what is there. */
void clocks_set(struct clocks **target, struct clocks *clocks);
/* Raise each key of what is there to at least its clock in `more`. */
void clocks_add(struct clocks **target, struct clocks *more, int levels);

/* Clocks by lane. All lanes get what any of them has, in one version. */
void clocks_share(struct clocks **clocks, uint32_t lanes, int levels);
/* All lanes get `more`. Where neighbours have had one version, they have one again. */
void clocks_hand_out(struct clocks **clocks, uint32_t lanes, struct clocks *more, int levels);

#endif
