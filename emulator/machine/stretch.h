/* SPDX-License-Identifier: MIT */
/* Stretches: instructions that a path runs one after the other, and that observers are told of at
 * once. */
#ifndef STRETCH_H
#define STRETCH_H

#include "warp.h"

/* Once all functions of a program are bound: find its stretches. */
void stretch_mark(struct program *program);
void stretch_mark_code(struct code *code);

/* May the warp run stretches? `heard`: observers want its instructions. */
bool stretch_is_allowed(const struct warp *warp, bool heard);

/* Run the stretch that the current path stands at, or as much of it as lies before its
 * reconvergence point, and those after it. At the end of each, and whenever somebody is told of
 * something, the warp is as if each instruction had run by itself. */
void stretch_run(struct warp *warp, bool heard);

/* The same of no more than `most` instructions, which the path stands at, and of quiet ones alone.
 * Returns how many there were. */
uint32_t stretch_run_quiet(struct warp *warp, bool heard, uint32_t most);

/* Tell those who have not been of what the warp has run, or is about to. */
void stretch_tell(struct warp *warp);
/* What that is; and that they have been told. */
static inline struct stretch stretch_untold(const struct warp *warp)
{
    const struct progress *progress = warp->progress;
    if (!progress || !progress->heard)
        return (struct stretch){0};
    const struct op *next = (const struct op *)progress->ops + warp->path->pc;
    const uint32_t count = (uint32_t)(next - progress->told);
    const uint64_t lanes = (uint64_t)__builtin_popcount(progress->active);
    return (struct stretch){.first = progress->told->instr,
                            .count = count,
                            .active = progress->active,
                            .executing = count * lanes - progress->held};
}
static inline void stretch_told(const struct warp *warp)
{
    struct progress *progress = warp->progress;
    if (!progress)
        return;
    progress->told = (const struct op *)progress->ops + warp->path->pc;
    progress->held = 0;
}

#endif
