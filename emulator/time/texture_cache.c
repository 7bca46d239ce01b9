/* SPDX-License-Identifier: MIT */
#include "time/texture_cache.h"

#include <stdlib.h>

#include "gpus/coalesce.h"
#include "machine/observer_memory.h"
#include "machine/texture.h"

struct fetch_cost texture_cache_fetch(struct texture_cache *cache, size_t bytes,
                                      const struct fetch_event *event)
{
    struct fetch_cost cost = {.clocks = texture_clocks(event->lanes)};
    uint64_t sectors[FETCH_SECTORS];
    const uint32_t count = fetch_sectors(event, sectors);

    if (!cache->sectors) {
        cache->lines = bytes < SECTOR_BYTES ? 1 : bytes / SECTOR_BYTES;
        cache->sectors = observer_allocate(cache->lines, sizeof(*cache->sectors));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *line = &cache->sectors[sectors[i] % cache->lines];
        cost.misses += *line != sectors[i] + 1;
        *line = sectors[i] + 1;
    }
    return cost;
}

void texture_cache_free(struct texture_cache *cache)
{
    free(cache->sectors);
    *cache = (struct texture_cache){0};
}
