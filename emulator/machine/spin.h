/* SPDX-License-Identifier: MIT */
/* How a path is seen to spin: in a loop that waits for memory to change, and before what
 * orders blocks. */
#ifndef SPIN_H
#define SPIN_H

#include "warp.h"

/* A backward branch of the current path (weight 1) or a sleep (more): give way now and then. */
void path_spin(struct warp *warp, uint32_t weight);
/* How often it may surely do so before it gives way. */
uint32_t path_patience(const struct warp *warp);
enum { SPIN_SLEEP = 4096 };
/* All lanes of the current path, which stands after the branch, go on at `target`. */
static inline void path_jump(struct warp *warp, int target)
{
    const bool backward = target < warp->path->pc;
    warp->path->pc = target;
    if (backward)
        path_spin(warp, 1);
}
/* Would the path, held at the same instruction with the same registers as before, read the same
 * once more? */
bool path_would_poll_again(const struct warp *warp, struct path *path);
/* Note what a lane read of memory that other blocks write, after so many writes of the launch. */
void warp_note_read(struct warp *warp, int lane, const char *pointer, size_t bytes, uint64_t value,
                    uint64_t writes);
/* Have the words changed that a path's lanes have read? */
bool path_sees_change(const struct warp *warp, const struct path *path);

#endif
