/* SPDX-License-Identifier: MIT */
/* Memory that is mapped by the program: pieces of one file without a name, which the host maps at
 * as many addresses as the program wants. */
#define _GNU_SOURCE /* memfd_create, fallocate */
#include "mapped_memory.h"
#include "device_memory.h"
#include "launch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct mapped_memory {
    struct mapped_memory *next;
    int machine;
    size_t size;
    off_t offset; /* in the file */
    size_t holders, mappings;
};

struct mapping {
    uint64_t address;
    size_t size;
    struct mapped_memory *memory;
    uint64_t access; /* the machines that may use it: a set of numbers */
};

struct reservation {
    struct reservation *next;
    uint64_t address;
    size_t size;
    struct mapping *mappings; /* sorted by address */
    size_t count, room;
};

struct mapped {
    int file;
    off_t end; /* of what was ever used of it */
    struct mapped_memory *memories;
    struct reservation *reservations;
};

/* NULL: there is no memory. */
static struct mapped *mapped_of(struct memory *memory)
{
    if (!memory->mapped) {
        const int file = memfd_create("emu", MFD_CLOEXEC);
        struct mapped *mapped = file < 0 ? NULL : calloc(1, sizeof *mapped);
        if (mapped)
            mapped->file = file;
        else if (file >= 0)
            close(file);
        memory->mapped = mapped;
    }
    return memory->mapped;
}

void mapped_stop(struct mapped *mapped)
{
    if (!mapped)
        return;
    for (struct mapped_memory *memory = mapped->memories, *next; memory; memory = next) {
        next = memory->next;
        free(memory);
    }
    for (struct reservation *range = mapped->reservations, *next; range; range = next) {
        next = range->next;
        free(range->mappings);
        free(range);
    }
    close(mapped->file);
    free(mapped);
}

static bool overlap(uint64_t a, size_t a_size, uint64_t b, size_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

uint64_t mapped_behind(const struct mapped *mapped, uint64_t address, size_t span)
{
    const struct reservation *range = mapped ? mapped->reservations : NULL;

    while (range) {
        const bool meets = overlap(range->address, range->size, address, span);
        address = meets ? range->address + range->size : address;
        range = meets ? mapped->reservations : range->next;
    }
    return address;
}

/* --- Addresses -------------------------------------------------------------------------------- */

/* The reserved range that has all of this; NULL: none. */
static struct reservation *find_range(const struct machine *machine, uint64_t address, size_t size)
{
    const struct mapped *mapped = machine->memory->mapped;
    struct reservation *range = mapped ? mapped->reservations : NULL;

    while (range && !(address >= range->address && size <= range->size &&
                      address - range->address <= range->size - size))
        range = range->next;
    return range;
}

uint64_t mapped_reserve(struct machine *machine, size_t size, size_t alignment)
{
    struct memory *memory = machine->memory;
    struct mapped *mapped = mapped_of(memory);
    size_t span;

    if (!mapped || __builtin_add_overflow(size, alignment, &span) || span > memory->region_size)
        return 0;
    struct reservation *range = calloc(1, sizeof *range);
    const uint64_t room = range ? memory_find_room(memory, span) : 0;
    if (!room) {
        free(range);
        return 0;
    }
    range->address = round_up(room, alignment);
    range->size = size;
    range->next = mapped->reservations;
    mapped->reservations = range;
    return range->address;
}

bool mapped_unreserve(struct machine *machine, uint64_t address, size_t size)
{
    struct mapped *mapped = machine->memory->mapped;

    for (struct reservation **link = mapped ? &mapped->reservations : NULL; link && *link;
         link = &(*link)->next) {
        struct reservation *range = *link;
        if (range->address != address || range->size != size || range->count)
            continue;
        *link = range->next;
        free(range->mappings);
        free(range);
        return true;
    }
    return false;
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Fresh memory has the bytes of any other. */
static bool make_fresh(const struct mapped *mapped, off_t offset, size_t size)
{
    if (ftruncate(mapped->file, offset + (off_t)size))
        return false;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, mapped->file, offset);
    if (pages == MAP_FAILED)
        return false;
    memset(pages, FRESH_BYTE, size);
    munmap(pages, size);
    return true;
}

struct mapped_memory *mapped_create(struct machine *machine, size_t size)
{
    struct memory *memory = machine->memory;
    struct mapped *mapped = mapped_of(memory);

    if (!mapped || size > memory_available(machine) || !memory_host_can_give(memory, size))
        return NULL;
    struct mapped_memory *made = malloc(sizeof *made);
    if (!made || !make_fresh(mapped, mapped->end, size)) {
        free(made);
        return NULL;
    }
    *made = (struct mapped_memory){.next = mapped->memories,
                                   .machine = machine->number,
                                   .size = size,
                                   .offset = mapped->end,
                                   .holders = 1};
    mapped->memories = made;
    mapped->end += (off_t)size;
    memory->used += size;
    memory->used_by[machine->number] += size;
    return made;
}

struct mapped_memory *mapped_find(const struct machine *machine, uint64_t handle)
{
    const struct mapped *mapped = machine->memory->mapped;
    struct mapped_memory *memory = mapped ? mapped->memories : NULL;

    while (memory && (uintptr_t)memory != handle)
        memory = memory->next;
    return memory && memory->holders ? memory : NULL;
}

/* The pages go back to the host; their place in the file is not used again. */
static void drop(struct machine *machine, struct mapped_memory *memory)
{
    struct mapped *mapped = machine->memory->mapped;
    struct mapped_memory **link = &mapped->memories;

    if (memory->holders || memory->mappings)
        return;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    fallocate(mapped->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, memory->offset,
              (off_t)memory->size);
    machine->memory->used -= memory->size;
    machine->memory->used_by[memory->machine] -= memory->size;
    free(memory);
}

void mapped_hold(struct mapped_memory *memory)
{
    memory->holders++;
}

bool mapped_let_go(struct machine *machine, struct mapped_memory *memory)
{
    if (!memory->holders)
        return false;
    memory->holders--;
    drop(machine, memory);
    return true;
}

size_t mapped_size(const struct mapped_memory *memory)
{
    return memory->size;
}

int mapped_machine(const struct mapped_memory *memory)
{
    return memory->machine;
}

/* --- Both ------------------------------------------------------------------------------------- */

/* The mappings that lie in the range, which they fill without a hole: the first, and how many.
 * NULL: that is not so. */
static struct mapping *find_mappings(const struct reservation *range, uint64_t address, size_t size,
                                     size_t *count)
{
    struct mapping *first = NULL;
    uint64_t next = address;

    *count = 0;
    for (size_t i = 0; i < range->count && next < address + size; i++) {
        struct mapping *mapping = &range->mappings[i];
        if (mapping->address != next)
            continue;
        first = first ? first : mapping;
        next += mapping->size;
        ++*count;
    }
    return next == address + size ? first : NULL;
}

static bool is_free(const struct reservation *range, uint64_t address, size_t size)
{
    for (size_t i = 0; i < range->count; i++)
        if (overlap(range->mappings[i].address, range->mappings[i].size, address, size))
            return false;
    return true;
}

static const struct mapping *mapping_at(const struct machine *machine, uint64_t address)
{
    const struct reservation *range = find_range(machine, address, 1);

    for (size_t i = 0; range && i < range->count; i++)
        if (address - range->mappings[i].address < range->mappings[i].size)
            return &range->mappings[i];
    return NULL;
}

struct mapped_memory *mapped_at(const struct machine *machine, uint64_t address)
{
    const struct mapping *mapping = mapping_at(machine, address);

    return mapping ? mapping->memory : NULL;
}

/* Make allocations of the runs of a range in which accesses can go on from one mapping to the next.
 * False: no memory. */
static bool publish(struct memory *memory, const struct reservation *range)
{
    bool done = true;

    memory_withdraw(memory, range->address, range->size);
    for (size_t i = 0, last; i < range->count; i = last) {
        const struct mapping *first = &range->mappings[i];
        size_t size = 0;
        for (last = i; last < range->count; last++) {
            const struct mapping *next = &range->mappings[last];
            if (next->address != first->address + size || next->access != first->access ||
                next->memory->machine != first->memory->machine)
                break;
            size += next->size;
        }
        if (first->access)
            done &=
                memory_publish(memory, first->address, size, first->memory->machine, first->access);
    }
    return done;
}

static void *pages_of(const struct memory *memory, uint64_t address)
{
    return host_pointer(address + memory->region_size);
}

bool mapped_map(struct machine *machine, uint64_t address, size_t size,
                struct mapped_memory *memory)
{
    struct reservation *range = find_range(machine, address, size);
    size_t at = 0;

    if (!range || size > memory->size || !is_free(range, address, size))
        return false;
    while (at < range->count && range->mappings[at].address < address)
        at++;
    if (range->count == range->room) {
        const size_t room = range->room ? 2 * range->room : 16;
        struct mapping *mappings = realloc(range->mappings, room * sizeof *mappings);
        if (!mappings)
            return false;
        range->mappings = mappings;
        range->room = room;
    }
    if (mmap(pages_of(machine->memory, address), size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, machine->memory->mapped->file, memory->offset) == MAP_FAILED)
        return false;
    memmove(range->mappings + at + 1, range->mappings + at,
            (range->count - at) * sizeof *range->mappings);
    range->mappings[at] = (struct mapping){address, size, memory, 0};
    range->count++;
    memory->mappings++;
    return true;
}

bool mapped_unmap(struct machine *machine, uint64_t address, size_t size)
{
    struct reservation *range = find_range(machine, address, size);
    size_t count;
    struct mapping *first = range ? find_mappings(range, address, size, &count) : NULL;

    if (!first)
        return range && is_free(range, address, size);
    mmap(pages_of(machine->memory, address), size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    for (size_t i = 0; i < count; i++) {
        first[i].memory->mappings--;
        drop(machine, first[i].memory);
    }
    range->count -= count;
    memmove(first, first + count, (size_t)(range->mappings + range->count - first) * sizeof *first);
    return publish(machine->memory, range);
}

bool mapped_allow(struct machine *machine, uint64_t address, size_t size, int number, bool may)
{
    struct reservation *range = find_range(machine, address, size);
    size_t count;
    struct mapping *first = range ? find_mappings(range, address, size, &count) : NULL;

    if (!first)
        return false;
    for (size_t i = 0; i < count; i++)
        first[i].access = may ? first[i].access | UINT64_C(1) << number
                              : first[i].access & ~(UINT64_C(1) << number);
    return publish(machine->memory, range);
}

bool mapped_allows(const struct machine *machine, uint64_t address, int number)
{
    const struct mapping *mapping = mapping_at(machine, address);

    return mapping && mapping->access >> number & 1;
}

bool mapped_describe(const struct machine *machine, uint64_t address, char *text, size_t size)
{
    const struct reservation *range = find_range(machine, address, 1);

    if (!range || mapped_allows(machine, address, machine->number))
        return false;
    char where[80];
    snprintf(where, sizeof where, "%" PRIu64 " bytes into %zu bytes of reserved addresses",
             address - range->address, range->size);
    if (mapping_at(machine, address))
        snprintf(text, size, "%s, to whose memory device %d has no access (cuMemSetAccess)", where,
                 machine->number);
    else
        snprintf(text, size, "%s, where no memory is mapped (cuMemMap)", where);
    return true;
}
