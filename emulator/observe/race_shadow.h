/* Who touched memory last: the shadow that the race checker keeps of global and shared memory.
 *
 * A cell stands for a word of 4 bytes, or, in pages where narrower accesses came, for one byte.
 */
#ifndef RACE_SHADOW_H
#define RACE_SHADOW_H

#include "emu.h"

/* An access: by which thread of the launch, at which of its clocks (0: none), by which instruction
 * (number, and STAMP_ bits). */
struct stamp {
    uint32_t thread, clock, what;
};
enum {
    STAMP_NUMBER = (1 << 28) - 1,
    STAMP_ATOMIC = 1 << 28, /* an atomic, or relaxed, acquire, release */
    STAMP_OF_BLOCK = 1 << 29, /* of those, one whose scope is the block */
    STAMP_VOLATILE = 1 << 30,
    STAMP_FLAG = (int)(1u << 31), /* a volatile store right behind a fence */
};

/* The last writer, and readers since: the last, and one that had no order with it, of another warp or
 * block if there was one. */
struct cell {
    struct stamp writer, reader, other;
};

enum { SHADOW_PAGE_BITS = 12, SHADOW_PAGE = 1 << SHADOW_PAGE_BITS };

/* The cells of some bytes. */
struct shadow_page {
    int shift; /* bytes of a cell: 1 << shift, 4 or 1 */
    size_t bytes;
    struct cell *cells;
};

void shadow_page_start(struct shadow_page *page, size_t bytes);
void shadow_page_stop(struct shadow_page *page);
/* Nobody touched it. */
void shadow_page_clear(struct shadow_page *page);
/* One cell a byte from now on. */
void shadow_page_split(struct shadow_page *page);

/* Pages of global memory by address. */
struct shadow {
    struct shadow_slot {
        uint64_t number; /* address / SHADOW_PAGE + 1; 0: free */
        struct shadow_page *page;
    } * slots, last;
    size_t count, room; /* a power of two, or 0 */
};
void shadow_stop(struct shadow *shadow);
/* The page of `address`, made if there is none. */
struct shadow_page *shadow_find(struct shadow *shadow, uint64_t address);

/* Give back the pages wholly or partly in [address, address + size). */
void shadow_forget(struct shadow *shadow, uint64_t address, size_t size);

static inline struct shadow_page *shadow_at(struct shadow *shadow, uint64_t address)
{
    const uint64_t number = (address >> SHADOW_PAGE_BITS) + 1;

    return shadow->last.number == number ? shadow->last.page : shadow_find(shadow, address);
}

#endif
