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
    uint64_t times; /* whole turns that are the same; 0: the first is under way */
    uint32_t count, at; /* reports in such a turn; of the turn under way */
    struct told told[MOST_TOLD];
    /* Of the requests among them: where these are the same, all is. */
    struct kept_request {
        const struct op *op, *told;
        uint32_t active, held, lanes;
        uint64_t prices;
    } requests[MOST_TOLD + 1];
};

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
