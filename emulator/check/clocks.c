/* SPDX-License-Identifier: MIT */
#include "check/clocks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { WAY_BITS = 4, WAYS = 1 << WAY_BITS };

struct clocks {
    uint32_t references;
    bool is_leaf;
    union {
        struct clocks *children[WAYS];
        uint32_t clocks[WAYS];
    };
};

int clocks_levels(uint64_t keys)
{
    int levels = 1;

    while (keys > WAYS) {
        keys = (keys + WAYS - 1) / WAYS;
        levels++;
    }
    return levels;
}

struct clocks *clocks_keep(struct clocks *clocks)
{
    if (clocks)
        clocks->references++;
    return clocks;
}

void clocks_release(struct clocks *clocks)
{
    if (!clocks || --clocks->references > 0)
        return;
    for (int i = 0; i < WAYS && !clocks->is_leaf; i++)
        clocks_release(clocks->children[i]);
    free(clocks);
}

/* Checked kernels make and free millions: what malloc() keeps at hand is the fastest. */
static struct clocks *node_new(bool is_leaf)
{
    const size_t size = offsetof(struct clocks, children) +
                        (is_leaf ? sizeof(uint32_t[WAYS]) : sizeof(struct clocks *[WAYS]));
    struct clocks *node = memset(observer_grow(NULL, 1, size), 0, size);

    node->references = 1;
    node->is_leaf = is_leaf;
    return node;
}

/* A copy of `old`, which shares its children. */
static struct clocks *node_copy(const struct clocks *old, bool is_leaf)
{
    struct clocks *node = node_new(is_leaf);

    if (!old)
        return node;
    if (is_leaf)
        memcpy(node->clocks, old->clocks, sizeof(node->clocks));
    for (int i = 0; i < WAYS && !is_leaf; i++)
        node->children[i] = clocks_keep(old->children[i]);
    return node;
}

static int way_of(uint64_t key, int level)
{
    return key >> (level * WAY_BITS) & (WAYS - 1);
}

uint32_t clocks_get(const struct clocks *clocks, int levels, uint64_t key)
{
    for (int level = levels - 1; clocks && level > 0; level--)
        clocks = clocks->children[way_of(key, level)];
    return clocks ? clocks->clocks[way_of(key, 0)] : 0;
}

static struct clocks *raise(struct clocks *old, int level, uint64_t key, uint32_t clock)
{
    const int way = way_of(key, level);
    struct clocks *node = node_copy(old, level == 0);

    if (level == 0) {
        node->clocks[way] = clock;
        return node;
    }
    struct clocks *before = node->children[way];
    node->children[way] = raise(before, level - 1, key, clock);
    clocks_release(before);
    return node;
}

struct clocks *clocks_raise(struct clocks *clocks, int levels, uint64_t key, uint32_t clock)
{
    if (clocks_get(clocks, levels, key) >= clock)
        return clocks_keep(clocks);
    return raise(clocks, levels - 1, key, clock);
}

/* The join of two leaves: one of them where it has all of the other. */
static struct clocks *join_leaves(struct clocks *a, struct clocks *b)
{
    bool a_has_all = true, b_has_all = true;

    for (int i = 0; i < WAYS; i++) {
        a_has_all = a_has_all && a->clocks[i] >= b->clocks[i];
        b_has_all = b_has_all && b->clocks[i] >= a->clocks[i];
    }
    if (a_has_all || b_has_all)
        return clocks_keep(a_has_all ? a : b);
    struct clocks *node = node_copy(a, true);
    for (int i = 0; i < WAYS; i++)
        if (b->clocks[i] > node->clocks[i])
            node->clocks[i] = b->clocks[i];
    return node;
}

/* The larger clock of each key. */
static struct clocks *join(struct clocks *a, struct clocks *b, int levels)
{
    struct clocks *children[WAYS];
    bool is_a = true, is_b = true;

    if (!a || !b || a == b)
        return clocks_keep(a ? a : b);
    if (levels == 1)
        return join_leaves(a, b);
    for (int i = 0; i < WAYS; i++) {
        children[i] = join(a->children[i], b->children[i], levels - 1);
        is_a = is_a && children[i] == a->children[i];
        is_b = is_b && children[i] == b->children[i];
    }
    if (is_a || is_b) {
        for (int i = 0; i < WAYS; i++)
            clocks_release(children[i]);
        return clocks_keep(is_a ? a : b);
    }
    struct clocks *node = node_new(false);
    memcpy(node->children, children, sizeof(node->children));
    return node;
}

/* Without a branch: the compiler makes vectors of it. */
static bool leaf_covers(const struct clocks *a, const struct clocks *b)
{
    bool lacks = false;

    for (int i = 0; i < WAYS; i++)
        lacks |= a->clocks[i] < b->clocks[i];
    return !lacks;
}

bool clocks_cover(const struct clocks *a, const struct clocks *b)
{
    if (!b || a == b)
        return true;
    if (!a)
        return false;
    if (a->is_leaf)
        return leaf_covers(a, b);
    for (int i = 0; i < WAYS; i++)
        if (!clocks_cover(a->children[i], b->children[i]))
            return false;
    return true;
}

void clocks_set(struct clocks **target, struct clocks *clocks)
{
    clocks_release(*target);
    *target = clocks;
}

void clocks_add(struct clocks **target, struct clocks *more, int levels)
{
    if (!clocks_cover(*target, more))
        clocks_set(target, join(*target, more, levels));
}

/* Are they the same version, as they are where nothing is new since they were last shared? */
static bool is_one_version(struct clocks *const *clocks, uint32_t lanes)
{
    const struct clocks *first = clocks[__builtin_ctz(lanes)];

    EACH_LANE(i, lanes)
        if (clocks[i] != first)
            return false;
    return true;
}

void clocks_share(struct clocks **clocks, uint32_t lanes, int levels)
{
    struct clocks *all = NULL;

    if (is_one_version(clocks, lanes))
        return;
    EACH_LANE(i, lanes)
        clocks_add(&all, clocks[i], levels);
    EACH_LANE(i, lanes)
        clocks_set(&clocks[i], clocks_keep(all));
    clocks_release(all);
}

void clocks_hand_out(struct clocks **clocks, uint32_t lanes, struct clocks *more, int levels)
{
    struct clocks *before = NULL, *after = NULL;

    EACH_LANE(lane, more ? lanes : 0) {
        struct clocks **target = &clocks[lane];
        struct clocks *old = clocks_keep(*target);
        if (after && old == before)
            clocks_set(target, clocks_keep(after));
        else
            clocks_add(target, more, levels);
        clocks_release(before);
        before = old;
        after = *target;
    }
    clocks_release(before);
}
