/* SPDX-License-Identifier: MIT */
#include "machine/observer_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

static void *allocated(void *memory, size_t bytes)
{
    if (!memory) {
        fprintf(stderr, "emu: no memory for %zu bytes of counters\n", bytes);
        abort();
    }
    return memory;
}

void *observer_allocate(size_t count, size_t size)
{
    const size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

    return memset(allocated(aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE), bytes), 0,
                  bytes);
}

void *observer_reserve(size_t count, size_t size)
{
    return allocated(calloc(count ? count : 1, size), count * size);
}

void *observer_grow(void *old, size_t count, size_t size)
{
    return allocated(realloc(old, count ? count * size : 1), count * size);
}

char *observer_copy(const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(observer_allocate(size, 1), text, size);
}
