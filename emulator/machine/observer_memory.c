#include "machine/observer_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

void *observer_allocate(size_t count, size_t size)
{
    const size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE);

    if (!memory) {
        fprintf(stderr, "emu: no memory for %zu bytes of counters\n", bytes);
        abort();
    }
    return memset(memory, 0, bytes);
}

char *observer_copy(const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(observer_allocate(size, 1), text, size);
}
