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

void shadow_page_start(struct shadow_page *page, size_t bytes)
{
    *page = (struct shadow_page){.shift = WORD_SHIFT, .bytes = bytes};
}

void shadow_page_stop(struct shadow_page *page)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        free(page->stamps[role]);
        page->stamps[role] = NULL;
    }
}

void shadow_page_clear(struct shadow_page *page)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        if (page->stamps[role])
            memset(page->stamps[role], 0, cell_count(page) * sizeof(struct stamp));
}

void shadow_page_need(struct shadow_page *page, enum role role)
{
    page->stamps[role] = observer_allocate(cell_count(page), sizeof(struct stamp));
}

void shadow_page_split(struct shadow_page *page)
{
    page->shift = 0;
    for (int role = 0; role < ROLE_COUNT; role++) {
        struct stamp *words = page->stamps[role];
        if (!words)
            continue;
        shadow_page_need(page, role);
        for (size_t i = 0; i < page->bytes; i++)
            page->stamps[role][i] = words[i >> WORD_SHIFT];
        free(words);
    }
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
    shadow->last = (struct shadow_slot){0};
}

struct shadow_page *shadow_find(struct shadow *shadow, uint64_t address)
{
    const uint64_t number = (address >> SHADOW_PAGE_BITS) + 1;
    struct shadow_slot *slot = hash_table_make(&shadow->slots, sizeof(*slot), number);

    if (!slot->page) {
        slot->page = observer_allocate(1, sizeof(*slot->page));
        shadow_page_start(slot->page, SHADOW_PAGE);
    }
    shadow->last = *slot;
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
    shadow->last = (struct shadow_slot){0};
}
