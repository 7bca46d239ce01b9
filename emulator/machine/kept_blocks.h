/* SPDX-License-Identifier: MIT */
/* What an observer keeps about each running block: a struct of its own, whose first member is a
 * struct kept_block. When a block ends its struct, with what that has allocated, is used for
 * another one. */
#ifndef KEPT_BLOCKS_H
#define KEPT_BLOCKS_H

#include "emu.h"
#include "machine/observer_memory.h"

struct kept_block {
    struct dim index;
    struct kept_block *next;
};

struct kept_blocks {
    struct kept_block *running, *spare;
};

/* Take the first of a list; NULL: there is none. */
static inline void *kept_block_pop(struct kept_block **list)
{
    struct kept_block *block = *list;
    if (block)
        *list = block->next;
    return block;
}

static inline void kept_block_push(struct kept_block **list, struct kept_block *block)
{
    block->next = *list;
    *list = block;
}

/* The struct of a running block, which comes first in the next search; NULL if it has ended. */
static inline void *kept_block_find(struct kept_blocks *blocks, struct dim index)
{
    struct kept_block **link = &blocks->running;
    while (*link && !dim_equal((*link)->index, index))
        link = &(*link)->next;
    struct kept_block *block = kept_block_pop(link);
    if (block)
        kept_block_push(&blocks->running, block);
    return block;
}

/* A block begins. Returns its struct of `size` bytes: as another block has left it, or all zeros.
 */
static inline void *kept_block_begin(struct kept_blocks *blocks, struct dim index, size_t size)
{
    struct kept_block *block = kept_block_pop(&blocks->spare);
    if (!block)
        block = observer_allocate(1, size);
    block->index = index;
    kept_block_push(&blocks->running, block);
    return block;
}

static inline void kept_block_end(struct kept_blocks *blocks, struct dim index)
{
    kept_block_find(blocks, index);
    kept_block_push(&blocks->spare, kept_block_pop(&blocks->running));
}

#endif
