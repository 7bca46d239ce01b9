/* SPDX-License-Identifier: MIT */
/* Turns of a loop, reported in multiples. A warp goes round a loop, and each turn makes the same
 * reports: they are kept, compared with those of the next turn, and made once, with a factor. It is
 * up to whoever has another report to make to call turns_end() first. */
#ifndef TURNS_H
#define TURNS_H

#include "observer.h"
#include "warp.h"

struct shape;

enum { MOST_TOLD = 32, VAIN_LOOPS = 16 };

/* Of one worker, which runs one warp at a time; while warp->turning, that warp's. */
struct turns {
    const struct op *head; /* where the loop begins */
    const struct op *vain[VAIN_LOOPS]; /* by number, those of loops that were not worth it */
    bool known; /* a whole turn has been kept, perhaps of a warp before */
    bool reused; /* that one is */
    bool heard; /* it has reports of instructions */
    uint64_t times; /* whole turns of the warp that are the same */
    uint32_t count, at; /* reports in such a turn; of the turn under way */
    struct told told[MOST_TOLD];
    /* Of a request, or a branch and what leads to it: where these are the same, all is. */
    struct kept {
        const struct op *op, *told;
        uint32_t active, held, lanes;
        uint32_t reports; /* they are so many */
        uint64_t prices; /* a branch has none */
    } kept[MOST_TOLD + 1];
};

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
    const struct kept *last = &turns->kept[turns->at];
    const struct progress *progress = warp->progress;
    if (!warp->turning || !turns->known || last->op != op || last->told != progress->told ||
        last->active != progress->active || last->held != progress->held || last->lanes != lanes ||
        last->prices != prices)
        return false;
    turns->at += last->reports;
    return true;
}

/* The warp is about to begin a turn of the loop at `head`. */
void turns_begin(struct warp *warp, const struct op *head);

/* Keep a report. False: it is to be made. A request's is that of `op` and `shape`. */
bool turns_note_stretch(struct warp *warp, const struct stretch *stretch);
bool turns_note_request(struct warp *warp, const struct op *op, const struct shape *shape,
                        const struct request_event *event);
bool turns_note_branch(struct warp *warp, const struct branch_event *event);
#define TURNS_KEEP(what, warp, ...) ((warp)->turning && turns_note_##what(warp, __VA_ARGS__))

/* Make all that were kept. */
void turns_report(struct warp *warp);
static inline void turns_end(struct warp *warp)
{
    if (warp->turning)
        turns_report(warp);
}

#endif
