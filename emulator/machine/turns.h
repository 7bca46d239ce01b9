/* SPDX-License-Identifier: MIT */
/* Turns, reported in multiples. From where a warp goes on, or where a loop begins, its reports are
 * kept up to the next such place, compared with those of the turn before, perhaps another warp's,
 * and made once, with a factor. It is up to whoever has another report to make to call turns_end()
 * first. */
#ifndef TURNS_H
#define TURNS_H

#include "observer.h"
#include "warp.h"

struct shape;

enum { MOST_TOLD = 64, MOST_TURNS = TURN_SLOTS / 2, MOST_WORTH = 8 };

/* Reports from one op on. */
struct turn {
    const struct op *head;
    uint64_t number; /* which no other turn was ever kept with */
    int worth; /* below 0, it is not kept again: warps ran it in different ways */
    bool known; /* all of it has been kept */
    bool heard; /* it has reports of instructions */
    uint32_t count; /* of reports */
    uint64_t steady; /* the number of one that laps may be like (laps.h) */
    struct told told[MOST_TOLD];
    /* Of a request, or a branch and what leads to it: where these are the same, all is. */
    struct kept { /* not in the order of struct progress, or pairs of fields are compared as one,
                   * of which one was just written: a CPU waits for it to get to memory */
        const struct op *op, *told;
        uint32_t active, lanes, held;
        uint32_t reports; /* they are so many */
        uint64_t prices; /* a branch has none */
    } kept[MOST_TOLD + 1];
};

/* Of one worker, which runs one warp at a time; while warp->turning, that warp's. */
struct turns {
    struct turn *turn; /* under way */
    uint64_t times; /* the warp has made all its reports */
    uint32_t at; /* and so many of the next time */
    uint64_t numbers; /* given so far */
    struct turn *kept; /* MOST_TURNS, by their heads' numbers */
};

/* MOST_TURNS, of nothing yet; NULL: there is no memory. Freed with free(). */
struct turn *turns_new(void);

/* What it is about to report of `op`, which `lanes` execute; `prices`: of the request's shape. */
static inline struct kept turns_kept(const struct progress *progress, const struct op *op,
                                     uint32_t lanes, uint64_t prices)
{
    return (struct kept){.op = op,
                         .told = progress->told,
                         .active = progress->active,
                         .held = progress->held,
                         .lanes = lanes,
                         .reports = 1,
                         .prices = prices};
}

/* Is that as in the turn before? Then it is noted. */
static inline bool turns_repeat(const struct warp *warp, struct turns *turns, const struct op *op,
                                uint32_t lanes, uint64_t prices)
{
    if (!warp->turning || !turns->turn->known)
        return false;
    const struct kept *last = &turns->turn->kept[turns->at];
    const struct progress *progress = warp->progress;
    if (last->op != op || last->told != progress->told || last->active != progress->active ||
        last->held != progress->held || last->lanes != lanes || last->prices != prices)
        return false;
    turns->at += last->reports;
    return true;
}

/* The warp is about to go on at `head`. */
void turns_begin(struct warp *warp, const struct op *head);

/* The same of the head of a loop, to which most warps come back alike. */
static inline void turns_go_on(struct warp *warp, struct turns *turns, const struct op *head)
{
    const struct turn *turn = turns->turn;
    if (!warp->turning || head != turn->head || !turn->known || turns->at != turn->count) {
        turns_begin(warp, head);
        return;
    }
    turns->times++;
    turns->at = 0;
}

/* Keep a report. False: it is to be made. A request's is that of `op` and `shape`. */
bool turns_note_stretch(struct warp *warp, const struct stretch *stretch);
bool turns_note_request(struct warp *warp, const struct op *op, const struct shape *shape,
                        const struct request_event *event);
bool turns_note_branch(struct warp *warp, const struct branch_event *event);
#define TURNS_KEEP(what, warp, ...) (turns_have_room(warp) && turns_note_##what(warp, __VA_ARGS__))
/* May a report be kept? Where there is no room for one more, the next turn begins. */
bool turns_have_room(struct warp *warp);

/* Make all that were kept. */
void turns_report(struct warp *warp);
static inline void turns_end(struct warp *warp)
{
    if (warp->turning)
        turns_report(warp);
}

#endif
