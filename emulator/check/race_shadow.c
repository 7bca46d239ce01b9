/* SPDX-License-Identifier: MIT */
#include "check/race_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

enum { WORD_SHIFT = 2, FIRST_ROOM = 256 };

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
    for (size_t i = 0; i < shadow->room; i++)
        slot_empty(&shadow->slots[i]);
    free(shadow->slots);
    *shadow = (struct shadow){0};
}

static struct shadow_slot *find_slot(const struct shadow *shadow, uint64_t number)
{
    uint64_t hash = number * UINT64_C(0x9E3779B97F4A7C15) >> 20;

    while (shadow->slots[hash & (shadow->room - 1)].number &&
           shadow->slots[hash & (shadow->room - 1)].number != number)
        hash++;
    return &shadow->slots[hash & (shadow->room - 1)];
}

static void grow(struct shadow *shadow)
{
    struct shadow old = *shadow;

    shadow->room = old.room ? 2 * old.room : FIRST_ROOM;
    shadow->slots = observer_allocate(shadow->room, sizeof(*shadow->slots));
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].number)
            *find_slot(shadow, old.slots[i].number) = old.slots[i];
    free(old.slots);
}

struct shadow_page *shadow_find(struct shadow *shadow, uint64_t address)
{
    const uint64_t number = (address >> SHADOW_PAGE_BITS) + 1;

    if (2 * shadow->count >= shadow->room)
        grow(shadow);
    struct shadow_slot *slot = find_slot(shadow, number);
    if (!slot->page) {
        shadow->count += !slot->number;
        *slot = (struct shadow_slot){number, observer_allocate(1, sizeof(*slot->page))};
        shadow_page_start(slot->page, SHADOW_PAGE);
    }
    shadow->last = *slot;
    return slot->page;
}

void shadow_forget(struct shadow *shadow, uint64_t address, size_t size)
{
    const uint64_t last = ((address + size - 1) >> SHADOW_PAGE_BITS) + 1;

    if (!shadow->room || !size)
        return;
    for (uint64_t number = (address >> SHADOW_PAGE_BITS) + 1; number <= last; number++)
        slot_empty(find_slot(shadow, number));
    shadow->last = (struct shadow_slot){0};
}
