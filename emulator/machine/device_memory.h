/* SPDX-License-Identifier: MIT */
/* Device memory as machines have it; machine.h says what it does. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <pthread.h>

#include "fresh_pages.h"
#include "machine.h"

struct allocation_list {
    struct allocation **items; /* sorted by address */
    size_t count, room;
};

struct memory {
    char *region; /* the addresses; after them, as large, where the CPU has the memory */
    size_t region_size, capacity; /* of each machine */
    size_t used, used_by[MACHINES_MOST]; /* by all, and by each */
    uint64_t fresh; /* first address of the region never handed out */
    struct allocation_list live;
    struct allocation_list freed; /* to say so of a pointer that is used after */
    uint64_t last_number;
    uint64_t
        host; /* bytes that the host could give when first asked, `used` among them; 0: not yet */
    struct fresh_pages pages; /* of large allocations */
    struct mapped *mapped; /* what the program maps itself; or NULL */
    pthread_mutex_t lock;
};

bool memory_start(struct memory *memory, size_t capacity, int machines);
void memory_stop(struct memory *memory);

/* For what the program maps itself (mapped_memory.c). That knows the end of the reserved addresses
 * which `span` bytes from `address` on would overlap, and what to say of those that are not mapped.
 */
uint64_t memory_find_room(struct memory *memory, size_t span);
bool memory_host_can_give(struct memory *memory, size_t size);
bool memory_publish(struct memory *memory, uint64_t address, size_t size, int machine,
                    uint64_t access);
void memory_withdraw(struct memory *memory, uint64_t address, size_t size);
uint64_t mapped_behind(const struct mapped *mapped, uint64_t address, size_t span);
bool mapped_describe(const struct machine *machine, uint64_t address, char *text, size_t size);
void mapped_stop(struct mapped *mapped);

/* Is what lies from `low` to `bytes` after `high` in it? */
static inline bool allocation_holds(const struct allocation *allocation, uint64_t low,
                                    uint64_t high, uint64_t bytes)
{
    return allocation && low >= allocation->address && allocation->size >= bytes &&
           high - allocation->address <= allocation->size - bytes;
}

/* An address of the host. */
static inline void *host_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Where the CPU has what is at an address in an allocation. */
static inline void *allocation_host(const struct allocation *allocation, uint64_t address)
{
    return host_pointer(address + allocation->shift);
}

#endif
