/* SPDX-License-Identifier: MIT */
#include "check/fetched.h"

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

static struct word *find(struct fetched *fetched, uint64_t address)
{
    if (2 * fetched->count >= fetched->room) {
        const size_t room = fetched->room ? 2 * fetched->room : FIRST_ROOM;
        struct word *words = observer_allocate(room, sizeof(*words));
        for (size_t i = 0; i < fetched->room; i++)
            if (fetched->words[i].address)
                *slot_of(words, room, fetched->words[i].address) = fetched->words[i];
        free(fetched->words);
        fetched->words = words;
        fetched->room = room;
    }
    struct word *word = slot_of(fetched->words, fetched->room, address);
    fetched->count += !word->address;
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

static void report(struct fetched *fetched, const struct launch *launch, const struct word *word)
{
    char where[200], what[300];

    if (reports_again(fetched->reports, CHECK_RACE, word->read.instr, word->write.instr, 0))
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
    reports_add(fetched->reports, &finding);
}

/* The words of [address, address + bytes). */
static void touch(struct fetched *fetched, const struct launch *launch, uint64_t address,
                  uint32_t bytes, const struct party *party, bool writes)
{
    const uint64_t first = address / WORD_BYTES * WORD_BYTES;

    for (uint64_t at = first; at < address + bytes; at += WORD_BYTES) {
        struct word *word = find(fetched, at);
        struct party *mine = writes ? &word->write : &word->read;
        if (!mine->instr)
            *mine = *party;
        if (word->read.instr && word->write.instr)
            report(fetched, launch, word);
    }
}

void fetched_read(struct fetched *fetched, const struct fetch_event *event)
{
    for (int i = 0; i < event->tap_count; i++)
        for (uint32_t left = event->taps[i].lanes; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const struct party party = party_of(event->warp, event->instr, lane, "fetch");
            touch(fetched, warp_launch(event->warp), event->taps[i].addresses[lane], event->bytes,
                  &party, false);
        }
}

void fetched_write(struct fetched *fetched, const struct access_event *event)
{
    const struct launch *launch = warp_launch(event->warp);

    for (uint32_t left = event->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t address = event->addresses[lane];
        if (!texture_covers(launch->machine, address))
            continue;
        const struct party party = party_of(event->warp, event->instr, lane,
                                            event->kind == ACCESS_ATOMIC ? "atomic" : "store");
        touch(fetched, launch, address, event->bytes, &party, true);
    }
}

void fetched_clear(struct fetched *fetched)
{
    free(fetched->words);
    fetched->words = NULL;
    fetched->count = fetched->room = 0;
}
