/* SPDX-License-Identifier: MIT */
/* Frames: a function's registers and memory, while it is under way. */
#ifndef FRAMES_H
#define FRAMES_H

#include "warp.h"

/* A function's registers and memory, the kernel's not filled yet; NULL: no memory. */
struct frame *frame_new(struct warp *warp, const struct code *code, struct frame *caller);
/* Fill what the function may read before it writes it. */
void frame_reset(struct frame *frame);
void frame_free(struct warp *warp, struct frame *frame);
/* What alloca takes, after a function's own local memory; in the end all is gone at once. */
struct stack {
    size_t top[WARP_SIZE]; /* how much of its local memory each thread has in use */
    char bytes[]; /* of all threads, local_stride for each */
};
/* Make room for `bytes` of local memory for each thread, on a stack. False: there is none. */
bool frame_grow(struct frame *frame, size_t bytes);

/* Free those of calls, which a warp that was stopped still holds. */
void warp_end(struct warp *warp);

/* Bytes from thread to thread of a frame's local memory or parameters. */
static inline size_t frame_stride(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

#endif
