/* SPDX-License-Identifier: MIT */
/* Keeping the reports of a loop's turns. */
#include "turns.h"

#include "launch.h"
#include "shape.h"

static void tell(struct warp *warp, uint32_t count, uint64_t times)
{
    const struct turns_event event = {.worker = warp->worker->number,
                                      .warp = warp,
                                      .told = warp->worker->turns.told,
                                      .count = count,
                                      .times = times};
    if (count && times)
        NOTIFY(warp->block->listeners->turns, &event);
}

/* A turn that was met again is worth being kept for the next warp. */
void turns_report(struct warp *warp)
{
    struct turns *turns = &warp->worker->turns;
    warp->turning = false;
    if (turns->times < 2 && !turns->reused)
        turns->vain[turns->head->number % VAIN_LOOPS] = turns->head;
    turns->known = turns->known && turns->times > 0;
    tell(warp, turns->count, turns->times);
    tell(warp, turns->at, 1);
}

/* Compare with the turn that another warp has left, if that was of this loop. */
static void reuse(struct warp *warp, const struct op *head)
{
    struct turns *turns = &warp->worker->turns;
    const bool heard = warp->progress->heard;
    turns->reused = turns->known && head == turns->head && heard == turns->heard;
    turns->known = turns->reused;
    turns->heard = heard;
    if (!turns->known)
        turns->count = 0;
    for (uint32_t i = 0; i < turns->count; i++)
        turns->told[i].request.warp = warp;
}

void turns_begin(struct warp *warp, const struct op *head)
{
    struct turns *turns = &warp->worker->turns;
    if (warp->turning && head == turns->head && (!turns->known || turns->count == turns->at)) {
        turns->known = true;
        turns->count = turns->at;
        turns->times++;
        turns->at = 0;
        turns->kept[turns->count].op = NULL;
        return;
    }
    turns_end(warp);
    if (head == turns->vain[head->number % VAIN_LOOPS] || !warp->block->listeners->in_turns)
        return;
    warp->turning = true;
    reuse(warp, head);
    turns->head = head;
    turns->times = turns->at = 0;
}

/* Room for a report of the first turn; NULL: there is none, or it is a later turn. */
static struct told *add(struct warp *warp, enum told_kind kind)
{
    struct turns *turns = &warp->worker->turns;
    if (turns->known || turns->at == MOST_TOLD) {
        turns_report(warp);
        return NULL;
    }
    turns->kept[turns->at].op = NULL;
    struct told *told = &turns->told[turns->at++];
    told->kind = kind;
    return told;
}

/* What the turn before told at this place, if that is of this kind; NULL: there is nothing. */
static inline const struct told *last_turn(const struct turns *turns, enum told_kind kind)
{
    const struct told *told = &turns->told[turns->at];
    return turns->at < turns->count && told->kind == kind ? told : NULL;
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
    struct told *told = &turns->told[turns->at];
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
    turns->kept[turns->at - 1] = turns_kept(warp->progress, op, shape->lanes, shape->prices);
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
