/* SPDX-License-Identifier: MIT */
#include "copies.h"

#include <stdlib.h>

#include "launch.h"

struct copies {
    struct copy **items; /* in the order they were begun */
    int count, room; /* those after `count` wait for their use */
    uint32_t groups[WARP_SIZE]; /* that a lane has committed */
    uint64_t begun;
};

static void out_of_memory(void)
{
    fprintf(stderr, "emu: no memory for copies under way\n");
    abort();
}

static struct copies *copies_of(struct warp *warp)
{
    if (!warp->copies)
        warp->copies = calloc(1, sizeof *warp->copies);
    if (!warp->copies)
        out_of_memory();
    return warp->copies;
}

/* Room for one more. */
static struct copy *copy_new(struct copies *copies)
{
    if (copies->count == copies->room) {
        const int room = 2 * copies->room + 8;
        struct copy **items = realloc(copies->items, (size_t)room * sizeof(struct copy *));
        if (!items)
            out_of_memory();
        memset(items + copies->room, 0, (size_t)(room - copies->room) * sizeof(struct copy *));
        copies->items = items;
        copies->room = room;
    }
    struct copy **slot = &copies->items[copies->count++];
    if (!*slot)
        *slot = malloc(sizeof **slot);
    if (!*slot)
        out_of_memory();
    return *slot;
}

static void notify(const struct warp *warp, struct copy *copy, uint32_t lanes, bool done)
{
    const struct copy_event event = {.worker = warp->worker->number,
                                     .warp = warp,
                                     .instr = copy->op->instr,
                                     .lanes = lanes,
                                     .done = done,
                                     .bytes = copy->op->bytes,
                                     .reads = copy->reads,
                                     .from = copy->from.addresses,
                                     .to = copy->to.addresses,
                                     .note = &copy->note};
    NOTIFY(warp->block->listeners->copy, &event);
}

static void move(struct warp *warp, const struct copy *copy, uint32_t lanes)
{
    const size_t bytes = copy->op->bytes;
    if (warp->block->sliced) {
        EACH_LANE(i, lanes)
            block_note_copied(warp->block, (uint64_t)(copy->to.pointers[i] - warp->block->shared),
                              bytes);
        return;
    }
    EACH_LANE(i, lanes) {
        if (copy->reads[i]) /* else it may read from nowhere */
            memcpy(copy->to.pointers[i], copy->from.pointers[i], copy->reads[i]);
        memset(copy->to.pointers[i] + copy->reads[i], 0, bytes - copy->reads[i]);
    }
    note_write(warp);
}

bool copies_move_at_once(struct block *block)
{
    switch (block->launch->machine->schedule.kind) {
    case SCHEDULE_REVERSE:
        return true;
    case SCHEDULE_RANDOM:
        return block_random(block) & 1;
    default:
        return false;
    }
}

void copies_begin(struct warp *warp, const struct copy *begun)
{
    struct copies *copies = copies_of(warp);
    struct copy *copy = copy_new(copies);
    *copy = *begun;
    copy->note = 0;
    copy->serial = copies->begun++;
    copy->moved = copies_move_at_once(warp->block);
    memcpy(copy->groups, copies->groups, sizeof copy->groups);
    if (copy->moved)
        move(warp, copy, copy->lanes);
    notify(warp, copy, copy->lanes, false);
}

void copies_commit(struct warp *warp, uint32_t lanes)
{
    struct copies *copies = copies_of(warp);
    for (int i = 0; i < WARP_SIZE; i++)
        copies->groups[i] += lanes >> i & 1;
}

/* Of the lanes, those whose part of the copy is not among their last `but` groups. */
static uint32_t due(const struct copies *copies, const struct copy *copy, uint32_t lanes,
                    uint32_t but)
{
    uint32_t set = 0;
    for (int i = 0; i < WARP_SIZE; i++) {
        const uint32_t behind = copies->groups[i] - copy->groups[i]; /* 0: not committed yet */
        set |= (uint32_t)(behind > but) << i;
    }
    return set & lanes & copy->lanes;
}

/* End those of `lanes` that are due: by their groups, or if they were begun before `serial`. */
static void end_due(struct warp *warp, uint32_t lanes, uint32_t but, uint64_t serial)
{
    struct copies *copies = copies_of(warp);
    int left = 0;
    for (int i = 0; i < copies->count; i++) {
        struct copy *copy = copies->items[i];
        const uint32_t done = serial ? copy->serial < serial ? copy->lanes & lanes : 0
                                     : due(copies, copy, lanes, but);
        if (done && !copy->moved)
            move(warp, copy, done);
        if (done)
            notify(warp, copy, done, true);
        copy->lanes &= ~done;
        if (copy->lanes == 0)
            continue;
        copies->items[i] = copies->items[left]; /* one that is done: for another use */
        copies->items[left++] = copy;
    }
    copies->count = left;
}

void copies_wait(struct warp *warp, uint32_t lanes, uint32_t but)
{
    end_due(warp, lanes, but, 0);
}

uint64_t copies_begun(struct warp *warp)
{
    return copies_of(warp)->begun;
}

void copies_land(struct warp *warp, int lane, uint64_t serial)
{
    if (serial)
        end_due(warp, 1u << lane, 0, serial);
}

void copies_end(struct warp *warp)
{
    struct copies *copies = warp->copies;
    for (int i = 0; i < copies->count; i++)
        notify(warp, copies->items[i], copies->items[i]->lanes, true);
    copies->count = 0;
    memset(copies->groups, 0, sizeof copies->groups);
}

void copies_free(struct warp *warp)
{
    for (int i = 0; warp->copies && i < warp->copies->room; i++)
        free(warp->copies->items[i]);
    if (warp->copies)
        free(warp->copies->items);
    free(warp->copies);
}
