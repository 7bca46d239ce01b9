/* SPDX-License-Identifier: MIT */
/* Memory for observers: events have no way to report that there is none, so the emulator ends. */
#ifndef OBSERVER_MEMORY_H
#define OBSERVER_MEMORY_H

#include <stddef.h>

/* `count` zeroed elements of `size` bytes, each worker's on cache lines of its own if `size` is a
 * multiple of 64. Freed with free(). Ends the program with one line where there is no memory. */
void *observer_allocate(size_t count, size_t size);
/* The same for a large table of which little may ever be used: its pages come as they are touched,
 * and it is aligned as malloc() does. */
void *observer_reserve(size_t count, size_t size);

/* The same memory, now of so many. What is beyond the old ones is undefined. */
void *observer_grow(void *old, size_t count, size_t size);
/* Make room after the first `count` of `items`, an array of `room`. */
#define MAKE_ROOM(items, count, room)                                                     \
    do {                                                                                  \
        if ((count) == (room))                                                            \
            (items) = observer_grow((items), (room) = 2 * (room) + 16, sizeof(*(items))); \
    } while (0)

/* A copy of `text`, likewise. */
char *observer_copy(const char *text);

#endif
