/* SPDX-License-Identifier: MIT */
#include "check/texture_race.h"

#include "machine/texture.h"

enum { WORD_BYTES = 4 };

/* Who was first to fetch it, and to write it; `instr` NULL: nobody yet. */
struct word {
    uint64_t address;
    struct party read, write;
};

static struct party party_of(const struct warp *warp, const struct ptx_instr *instr, int lane,
                             const char *act)
{
    return (struct party){.act = act,
                          .instr = instr,
                          .block = warp_id(warp).block,
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
        struct word *word = hash_table_make(&race->words, sizeof(*word), at);
        struct party *earliest = writes ? &word->write : &word->read;
        if (!earliest->instr)
            *earliest = *party;
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
    hash_table_free(&race->words);
}
