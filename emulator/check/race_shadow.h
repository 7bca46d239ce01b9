/* SPDX-License-Identifier: MIT */
/* Who touched memory last: the shadow that the race checker keeps of global and shared memory.
 *
 * A cell stands for a word of 4 bytes, or, in pages where narrower accesses came, for one byte. It
 * has up to three stamps. Cells next to each other make a row, which has one stamp for all of them
 * as long as lanes next to each other touch it in one go, as they do with most memory: that leaves
 * a tenth of the stamps to compare.
 */
#ifndef RACE_SHADOW_H
#define RACE_SHADOW_H

#include "emu.h"
#include "machine/hash_table.h"

/* An access: the thread of the launch, that thread's clock (0: no access), the instruction (its
 * number and STAMP_ bits). The clock of a copy in the background is CLOCK_PENDING until its thread
 * has waited for it. */
struct stamp {
    uint32_t thread, clock, what;
};
#define CLOCK_PENDING UINT32_MAX
enum {
    STAMP_NUMBER = (1 << 28) - 1,
    STAMP_STRONG = 1 << 28, /* an atomic, or volatile, relaxed, acquire, release */
    STAMP_OF_BLOCK = 1 << 29, /* of those, one whose scope is the block */
    STAMP_DATA = 1 << 30, /* a volatile or relaxed load whose value decides nothing */
};
#define STAMP_SENT (1u << 31) /* by what a thread sent, a bulk copy or st.async, once it comes */
/* At a barrier in shared memory: a copy counts, or a thread that arrives relaxed. */
#define STAMP_COUNTS (STAMP_SENT | STAMP_STRONG)

/* The last writer, and readers since: the last, and one that had no order with it, of another warp
 * or block if there was one. */
enum role { ROLE_WRITER, ROLE_READER, ROLE_OTHER, ROLE_COUNT };

enum { SHADOW_PAGE_BITS = 12, SHADOW_PAGE = 1 << SHADOW_PAGE_BITS };

/* Cells 0, 1, 2 ... of a row have, by role, the stamp `first`, of threads that count up by 1 every
 * 2^`shift` cells. Or the row is spread: each cell has stamps of its own. */
enum { ROW_SHIFT = 4, ROW_CELLS = 1 << ROW_SHIFT };
struct shadow_row {
    struct stamp first[ROLE_COUNT];
    uint8_t shift[ROLE_COUNT];
    bool spread;
};

/* The cells of a stretch of memory. */
struct shadow_page {
    int shift; /* bytes of a cell: 1 << shift, 4 or 1 */
    size_t bytes;
    struct shadow_row *rows;
    struct stamp (*cells)[ROLE_COUNT]; /* of rows that are spread; NULL: none is */
};

void shadow_page_start(struct shadow_page *page, size_t bytes);
void shadow_page_stop(struct shadow_page *page);
/* Forget all accesses to the page. */
void shadow_page_clear(struct shadow_page *page);
/* From now on a cell stands for one byte. */
void shadow_page_split(struct shadow_page *page);
static inline struct shadow_row *shadow_row(const struct shadow_page *page, uint64_t cell)
{
    return &page->rows[cell >> ROW_SHIFT];
}

/* The stamps of a cell by role, of no access where there was none: its row is spread. */
struct stamp *shadow_spread(struct shadow_page *page, uint64_t cell);
static inline struct stamp *shadow_cell(struct shadow_page *page, uint64_t cell)
{
    return shadow_row(page, cell)->spread ? page->cells[cell] : shadow_spread(page, cell);
}

/* One of them, as its row may have it. */
static inline struct stamp shadow_stamp(const struct shadow_page *page, enum role role,
                                        uint64_t cell)
{
    const struct shadow_row *row = shadow_row(page, cell);

    if (row->spread)
        return page->cells[cell][role];
    struct stamp stamp = row->first[role];
    stamp.thread += (uint32_t)(cell % ROW_CELLS) >> row->shift[role];
    return stamp;
}

/* Pages of global memory by address, and those found last. */
enum { SHADOW_RECENT = 256 };
struct shadow {
    struct shadow_slot {
        uint64_t number; /* address / SHADOW_PAGE + 1 */
        struct shadow_page *page;
    } recent[SHADOW_RECENT];
    struct hash_table slots;
};
void shadow_stop(struct shadow *shadow);
/* The page of `address`, made if there is none. */
struct shadow_page *shadow_find(struct shadow *shadow, uint64_t address);

/* Give back the pages wholly or partly in [address, address + size). */
void shadow_forget(struct shadow *shadow, uint64_t address, size_t size);

static inline struct shadow_page *shadow_at(struct shadow *shadow, uint64_t address)
{
    const uint64_t number = (address >> SHADOW_PAGE_BITS) + 1;
    const struct shadow_slot *slot = &shadow->recent[number % SHADOW_RECENT];

    return slot->number == number ? slot->page : shadow_find(shadow, address);
}

/* In a loop the next address is often as far from this one as this one is from the last. The row of
 * the address after next is prefetched. */
static inline void shadow_foresee(const struct shadow *shadow, uint64_t here, uint64_t *last)
{
    const uint64_t address = here + 2 * (here - *last);
    const uint64_t number = (address >> SHADOW_PAGE_BITS) + 1;
    const struct shadow_slot *slot = &shadow->recent[number % SHADOW_RECENT];

    *last = here;
    if (slot->number != number)
        return;
    const uint64_t cell = (address & (SHADOW_PAGE - 1)) >> slot->page->shift;
    const char *row = (const char *)shadow_row(slot->page, cell);
    __builtin_prefetch(row);
    __builtin_prefetch(row + sizeof(struct shadow_row));
}

#endif
