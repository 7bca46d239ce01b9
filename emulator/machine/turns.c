/* SPDX-License-Identifier: MIT */
/* Keeping the reports of turns. */
#include "turns.h"

#include "launch.h"
#include "shape.h"

#include <stdlib.h>

/* Most of it is never used: only what is looked at is filled. */
struct turn *turns_new(void)
{
    struct turn *kept = malloc(MOST_TURNS * sizeof *kept);
    for (int i = 0; kept && i < MOST_TURNS; i++) {
        kept[i].head = NULL;
        kept[i].worth = 0;
        kept[i].steady = 0;
    }
    return kept;
}

static void tell(struct warp *warp, uint32_t count, uint64_t times)
{
    const struct turns *turns = &warp->worker->turns;
    const struct turns_event event = {.worker = warp->worker->number,
                                      .warp = warp,
                                      .told = turns->turn->told,
                                      .count = count,
                                      .times = times,
                                      .slot = 2 * (int)(turns->turn - turns->kept) +
                                              (count < turns->turn->count),
                                      .number = turns->turn->number};
    if (count && times)
        NOTIFY(warp->block->listeners->turns, &event);
}

/* All reports of the turn have been made once more, if there are any. */
static void complete(struct turns *turns)
{
    struct turn *turn = turns->turn;
    if (turns->at == 0)
        return;
    if (!turn->known) {
        turn->number = ++turns->numbers;
        turn->known = true;
        turn->count = turns->at;
        turn->kept[turn->count].op = NULL;
    }
    turns->times++;
    turns->at = 0;
}

void turns_report(struct warp *warp)
{
    struct turns *turns = &warp->worker->turns;
    struct turn *turn = turns->turn;
    warp->turning = false;
    if (!turn->known || turns->at == turn->count)
        complete(turns);
    tell(warp, turn->count, turns->times);
    tell(warp, turns->at, 1);
    turn->known = turn->known && turns->times > 0;
    turn->worth += turn->known ? turn->worth < MOST_WORTH : -2;
}

/* Does it pay to keep the turn from `head` on? */
static bool pays(struct turn *turn, const struct op *head)
{
    if (turn->head == head)
        return turn->worth >= 0;
    if (turn->worth > 0) {
        turn->worth--;
        return false;
    }
    turn->head = head;
    turn->worth = 1;
    turn->known = false;
    return true;
}

void turns_begin(struct warp *warp, const struct op *head)
{
    struct turns *turns = &warp->worker->turns;
    struct turn *turn = turns->kept + head->number % MOST_TURNS;
    if (warp->turning && turn == turns->turn && head == turn->head &&
        (!turn->known || turns->at == 0 || turns->at == turn->count)) {
        complete(turns);
        return;
    }
    turns_end(warp);
    if (!turns->kept || !warp->block->listeners->in_turns || !pays(turn, head))
        return;
    warp->turning = true;
    turn->known = turn->known && turn->heard == warp->progress->heard;
    turn->heard = warp->progress->heard;
    turns->turn = turn;
    turns->times = turns->at = 0;
}

/* A report more of a turn that is not yet known; NULL: it is known, and not like this. */
static struct told *add(struct warp *warp, enum told_kind kind)
{
    struct turns *turns = &warp->worker->turns;
    struct turn *turn = turns->turn;
    if (turn->known) {
        turns_report(warp);
        return NULL;
    }
    turn->kept[turns->at].op = NULL;
    struct told *told = &turn->told[turns->at++];
    told->kind = kind;
    return told;
}

bool turns_have_room(struct warp *warp)
{
    if (warp->turning && warp->worker->turns.at == MOST_TOLD)
        turns_begin(warp, warp->progress->told);
    return warp->turning;
}

/* What the turn before told in this position, if that is of this kind; NULL: there is nothing. */
static inline const struct told *last_turn(const struct turns *turns, enum told_kind kind)
{
    const struct turn *turn = turns->turn;
    const struct told *told = &turn->told[turns->at];
    return turn->known && turns->at < turn->count && told->kind == kind ? told : NULL;
}

static inline bool is_same(const struct stretch *a, const struct stretch *b)
{
    return a->first == b->first && a->count == b->count && a->active == b->active &&
           a->executing == b->executing;
}

bool turns_note_stretch(struct warp *warp, const struct stretch *stretch)
{
    struct turns *turns = &warp->worker->turns;
    const struct told *last = last_turn(turns, TOLD_STRETCH);
    if (last && is_same(&last->stretch, stretch)) {
        turns->at++;
        return true;
    }
    struct told *told = add(warp, TOLD_STRETCH);
    if (told)
        told->stretch = *stretch;
    return told != NULL;
}

static bool is_same_request(const struct told *last, const struct request_event *event)
{
    return is_same(&last->stretch, event->stretch) && last->request.lanes == event->lanes &&
           last->request.kind == event->kind && last->request.space == event->space &&
           last->request.bytes == event->bytes &&
           memcmp(&last->price, event->price, sizeof last->price) == 0;
}

bool turns_note_request(struct warp *warp, const struct op *op, const struct shape *shape,
                        const struct request_event *event)
{
    struct turns *turns = &warp->worker->turns;
    struct told *told = &turns->turn->told[turns->at];
    if (!last_turn(turns, TOLD_REQUEST) || !is_same_request(told, event)) {
        told = add(warp, TOLD_REQUEST);
        if (!told)
            return false;
        told->request = *event;
        told->stretch = *event->stretch;
        told->price = *event->price;
        told->request.stretch = &told->stretch;
        told->request.price = &told->price;
    } else {
        turns->at++;
    }
    turns->turn->kept[turns->at - 1] = turns_kept(warp->progress, op, shape->lanes, shape->prices);
    return true;
}

bool turns_note_branch(struct warp *warp, const struct branch_event *event)
{
    struct turns *turns = &warp->worker->turns;
    const struct told *last = last_turn(turns, TOLD_BRANCH);
    if (last && last->branch.instr == event->instr && last->branch.active == event->active &&
        last->branch.taken == event->taken) {
        turns->at++;
        return true;
    }
    struct told *told = add(warp, TOLD_BRANCH);
    if (told)
        told->branch = *event;
    return told != NULL;
}
