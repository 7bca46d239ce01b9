/* SPDX-License-Identifier: MIT */
#include "check/race_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { WORD_SHIFT = 2 };

static size_t cell_count(const struct shadow_page *page)
{
    return (page->bytes + (1u << page->shift) - 1) >> page->shift;
}

static size_t row_count(const struct shadow_page *page)
{
    return (cell_count(page) + ROW_CELLS - 1) >> ROW_SHIFT;
}

static void start(struct shadow_page *page, size_t bytes, int shift)
{
    *page = (struct shadow_page){.shift = shift, .bytes = bytes};
    page->rows = observer_allocate(row_count(page), sizeof(*page->rows));
}

void shadow_page_start(struct shadow_page *page, size_t bytes)
{
    start(page, bytes, WORD_SHIFT);
}

void shadow_page_stop(struct shadow_page *page)
{
    free(page->rows);
    free(page->cells);
    page->rows = NULL;
    page->cells = NULL;
}

void shadow_page_clear(struct shadow_page *page)
{
    memset(page->rows, 0, row_count(page) * sizeof(*page->rows));
}

struct stamp *shadow_spread(struct shadow_page *page, uint64_t cell)
{
    const uint64_t first = cell & ~(uint64_t)(ROW_CELLS - 1);

    if (!page->cells)
        page->cells = observer_allocate(row_count(page) * ROW_CELLS, sizeof(*page->cells));
    for (uint64_t i = first; i < first + ROW_CELLS; i++)
        for (int role = 0; role < ROLE_COUNT; role++)
            page->cells[i][role] = shadow_stamp(page, role, i);
    shadow_row(page, cell)->spread = true;
    return page->cells[cell];
}

/* Row `number` of a page of bytes is a quarter of a row of words. */
static void split_row(struct shadow_page *page, const struct shadow_page *words, size_t number)
{
    struct shadow_row *row = &page->rows[number];
    const size_t first = number << ROW_SHIFT >> WORD_SHIFT;

    *row = *shadow_row(words, first);
    for (int role = 0; role < ROLE_COUNT; role++) {
        row->first[role] = shadow_stamp(words, role, first);
        row->shift[role] += WORD_SHIFT;
    }
    if (!row->spread)
        return;
    row->spread = false;
    for (size_t i = number << ROW_SHIFT; i < (number + 1) << ROW_SHIFT; i++)
        memcpy(shadow_cell(page, i), words->cells[i >> WORD_SHIFT], sizeof(*words->cells));
}

void shadow_page_split(struct shadow_page *page)
{
    struct shadow_page words = *page;

    start(page, words.bytes, 0);
    for (size_t i = 0; i < row_count(page); i++)
        split_row(page, &words, i);
    shadow_page_stop(&words);
}

static void slot_empty(struct shadow_slot *slot)
{
    if (slot->page)
        shadow_page_stop(slot->page);
    free(slot->page);
    slot->page = NULL;
}

void shadow_stop(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->slots.room; i++)
        slot_empty(hash_table_at(&shadow->slots, sizeof(struct shadow_slot), i));
    hash_table_free(&shadow->slots);
    memset(shadow->recent, 0, sizeof(shadow->recent));
}

struct shadow_page *shadow_find(struct shadow *shadow, uint64_t address)
{
    const uint64_t number = (address >> SHADOW_PAGE_BITS) + 1;
    struct shadow_slot *slot = hash_table_make(&shadow->slots, sizeof(*slot), number);

    if (!slot->page) {
        slot->page = observer_allocate(1, sizeof(*slot->page));
        shadow_page_start(slot->page, SHADOW_PAGE);
    }
    shadow->recent[number % SHADOW_RECENT] = *slot;
    return slot->page;
}

void shadow_forget(struct shadow *shadow, uint64_t address, size_t size)
{
    const uint64_t last = ((address + size - 1) >> SHADOW_PAGE_BITS) + 1;

    for (uint64_t number = (address >> SHADOW_PAGE_BITS) + 1; size && number <= last; number++) {
        struct shadow_slot *slot = hash_table_find(&shadow->slots, sizeof(*slot), number);
        if (slot)
            slot_empty(slot);
    }
    memset(shadow->recent, 0, sizeof(shadow->recent));
}
