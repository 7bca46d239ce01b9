/* SPDX-License-Identifier: MIT */
#include "check/texture_race.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"
#include "machine/texture.h"

enum { WORD_BYTES = 4, FIRST_ROOM = 1024 };

/* Who was first to fetch it, and to write it; `instr` NULL: nobody yet. */
struct word {
    uint64_t address;
    struct party read, write;
};

static struct word *slot_of(struct word *words, size_t room, uint64_t address)
{
    size_t at = address / WORD_BYTES * UINT64_C(0x9E3779B97F4A7C15) >> 20;

    while (words[at % room].address && words[at % room].address != address)
        at++;
    return &words[at % room];
}

static struct word *find(struct texture_race *race, uint64_t address)
{
    if (2 * race->count >= race->room) {
        const size_t room = race->room ? 2 * race->room : FIRST_ROOM;
        struct word *words = observer_allocate(room, sizeof(*words));
        for (size_t i = 0; i < race->room; i++)
            if (race->words[i].address)
                *slot_of(words, room, race->words[i].address) = race->words[i];
        free(race->words);
        race->words = words;
        race->room = room;
    }
    struct word *word = slot_of(race->words, race->room, address);
    race->count += !word->address;
    word->address = address;
    return word;
}

static struct party party_of(const struct warp *warp, const struct ptx_instr *instr, int lane,
                             const char *act)
{
    return (struct party){.act = act,
                          .instr = instr,
                          .block = warp_place(warp).block,
                          .thread = warp_thread(warp, lane)};
}

static void report(struct texture_race *race, const struct launch *launch, const struct word *word)
{
    char where[200], what[300];

    if (reports_again(race->reports, CHECK_RACE, word->read.instr, word->write.instr, 0))
        return;
    describe_global(launch->machine, word->address, where, sizeof(where));
    snprintf(what, sizeof(what), "%d bytes of global memory %s, fetched through a texture",
             WORD_BYTES, where);
    const struct finding finding = {
        .kind = CHECK_RACE,
        .launch = launch,
        .what = what,
        .why = "a launch must not write what its textures read: a fetch may give what was there "
               "before it, and no barrier changes that",
        .parties = {word->read, word->write},
        .party_count = 2,
    };
    reports_add(race->reports, &finding);
}

/* The words of [address, address + bytes). */
static void touch(struct texture_race *race, const struct launch *launch, uint64_t address,
                  uint32_t bytes, const struct party *party, bool writes)
{
    const uint64_t first = address / WORD_BYTES * WORD_BYTES;

    for (uint64_t at = first; at < address + bytes; at += WORD_BYTES) {
        struct word *word = find(race, at);
        struct party *mine = writes ? &word->write : &word->read;
        if (!mine->instr)
            *mine = *party;
        if (word->read.instr && word->write.instr)
            report(race, launch, word);
    }
}

void texture_race_read(struct texture_race *race, const struct fetch_event *event)
{
    for (int i = 0; i < event->tap_count; i++)
        EACH_LANE(lane, event->taps[i].lanes) {
            const struct party party = party_of(event->warp, event->instr, lane, "fetch");
            touch(race, warp_launch(event->warp), event->taps[i].addresses[lane], event->bytes,
                  &party, false);
        }
}

void texture_race_write(struct texture_race *race, const struct access_event *event)
{
    const struct launch *launch = warp_launch(event->warp);

    EACH_LANE(lane, event->lanes) {
        const uint64_t address = event->addresses[lane];
        if (!texture_covers(launch->machine, address))
            continue;
        const struct party party = party_of(event->warp, event->instr, lane,
                                            event->kind == ACCESS_ATOMIC ? "atomic" : "store");
        touch(race, launch, address, event->bytes, &party, true);
    }
}

void texture_race_clear(struct texture_race *race)
{
    free(race->words);
    race->words = NULL;
    race->count = race->room = 0;
}
