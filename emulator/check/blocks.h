/* SPDX-License-Identifier: MIT */
/* What a checker keeps of each block that is running: as the first member of its own struct, a
 * struct kept_block. Those of blocks that ended are used again, with what they have allocated. */
#ifndef CHECK_BLOCKS_H
#define CHECK_BLOCKS_H

#include <stddef.h>

#include "emu.h"

struct kept_block {
    struct dim index;
    struct kept_block *next;
};

struct kept_blocks {
    struct kept_block *running, *spare;
};

/* Take the first of a list. */
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

/* That of a running block; the next search begins with it. */
static inline void *kept_block_find(struct kept_blocks *blocks, struct dim index)
{
    struct kept_block **link = &blocks->running;
    while (!dim_equal((*link)->index, index))
        link = &(*link)->next;
    struct kept_block *block = kept_block_pop(link);
    kept_block_push(&blocks->running, block);
    return block;
}

/* One to use again; NULL: there is none. */
static inline void *kept_block_reuse(struct kept_blocks *blocks)
{
    return kept_block_pop(&blocks->spare);
}

/* Its block begins, or ends. */
static inline void kept_block_begin(struct kept_blocks *blocks, struct kept_block *block,
                                    struct dim index)
{
    block->index = index;
    kept_block_push(&blocks->running, block);
}

static inline void kept_block_end(struct kept_blocks *blocks, struct dim index)
{
    kept_block_find(blocks, index);
    kept_block_push(&blocks->spare, kept_block_pop(&blocks->running));
}

#endif
