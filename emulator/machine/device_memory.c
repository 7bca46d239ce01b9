/* SPDX-License-Identifier: MIT */
/* Device memory: allocations in a reserved region, host ranges that were registered, and how to
 * find out which of them an address belongs to.
 *
 * Every allocation has pages of its own with an unmapped one after; new ones take fresh addresses
 * while there are any, so that a pointer to freed memory does not come to point at something else.
 */
#include "host_memory.h"
#include "launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, GRANULE = 256, REGION_PER_CAPACITY = 2 };
enum { LARGE = 16 << 20 }; /* smaller allocations are filled, and the host is not asked */

bool memory_start(struct memory *memory, size_t capacity, int machines)
{
    memset(memory, 0, sizeof *memory);
    memory->capacity = capacity;
    memory->region_size = round_up(capacity, PAGE) * REGION_PER_CAPACITY * (size_t)machines;
    memory->region = mmap(NULL, 2 * memory->region_size, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->region == MAP_FAILED)
        return false;
    memory->fresh = (uint64_t)(uintptr_t)memory->region + PAGE;
    pthread_mutex_init(&memory->lock, NULL);
    return true;
}

static void list_free(struct allocation_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

void memory_stop(struct memory *memory)
{
    munmap(memory->region, 2 * memory->region_size);
    fresh_pages_free(&memory->pages);
    mapped_stop(memory->mapped);
    list_free(&memory->live);
    list_free(&memory->freed);
    pthread_mutex_destroy(&memory->lock);
}

/* How many allocations start at `address` or below. */
static size_t list_position(const struct allocation_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list->items[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool list_insert(struct allocation_list *list, struct allocation *allocation)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        struct allocation **items = realloc(list->items, room * sizeof(struct allocation *));
        if (!items)
            return false;
        list->items = items;
        list->room = room;
    }
    const size_t at = list_position(list, allocation->address);
    memmove(list->items + at + 1, list->items + at,
            (list->count - at) * sizeof(struct allocation *));
    list->items[at] = allocation;
    list->count++;
    return true;
}

static struct allocation *list_take(struct allocation_list *list, size_t at)
{
    struct allocation *taken = list->items[at];
    list->count--;
    memmove(list->items + at, list->items + at + 1,
            (list->count - at) * sizeof(struct allocation *));
    return taken;
}

/* Forget freed allocations that [address, end) now covers, which are neighbours: no two overlap. */
static void forget_freed(struct allocation_list *freed, uint64_t address, uint64_t end)
{
    for (size_t at = list_position(freed, end - 1); at > 0; at--) {
        const struct allocation *last = freed->items[at - 1];
        if (last->address + last->size <= address)
            return;
        free(list_take(freed, at - 1));
    }
}

static bool in_region(const struct memory *memory, uint64_t address)
{
    const uint64_t start = (uint64_t)(uintptr_t)memory->region;
    return address >= start && address - start < memory->region_size;
}

/* Room for `span` bytes of whole pages and the unmapped page after: fresh, else between what
 * lives. Returns 0 where there is none. */
uint64_t memory_find_room(struct memory *memory, size_t span)
{
    const uint64_t start = (uint64_t)(uintptr_t)memory->region + PAGE;
    const uint64_t end = (uint64_t)(uintptr_t)memory->region + memory->region_size;
    if (span + PAGE <= end - memory->fresh) {
        const uint64_t address = memory->fresh;
        memory->fresh += span + PAGE;
        return address;
    }
    uint64_t candidate = start;
    for (size_t i = 0; i < memory->live.count; i++) {
        const struct allocation *allocation = memory->live.items[i];
        if (!in_region(memory, allocation->address))
            continue;
        candidate = mapped_behind(memory->mapped, candidate, span + PAGE);
        if (candidate < allocation->address && span + PAGE <= allocation->address - candidate)
            return candidate;
        const uint64_t behind = allocation->address + round_up(allocation->size, PAGE) + PAGE;
        candidate = behind > candidate ? behind : candidate;
    }
    candidate = mapped_behind(memory->mapped, candidate, span + PAGE);
    return candidate < end && span + PAGE <= end - candidate ? candidate : 0;
}

static uint64_t shift_of(const struct memory *memory, enum memory_kind kind)
{
    return kind == MEMORY_MANAGED || kind == MEMORY_HOST ? 0 : memory->region_size;
}

static struct allocation *allocation_new(struct memory *memory, uint64_t address, size_t size,
                                         enum memory_kind kind, const char *name, int machine)
{
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        return NULL;
    *allocation = (struct allocation){.address = address,
                                      .size = size,
                                      .kind = kind,
                                      .name = name,
                                      .machine = machine,
                                      .shift = shift_of(memory, kind),
                                      .number = ++memory->last_number};
    if (!list_insert(&memory->live, allocation)) {
        free(allocation);
        return NULL;
    }
    return allocation;
}

/* A program may write all it was given: if the host had less, Linux would kill the process. */
bool memory_host_can_give(struct memory *memory, size_t size)
{
    if (size < LARGE)
        return true;
    const uint64_t available = host_memory("");
    if (!memory->host)
        memory->host = available < UINT64_MAX - memory->used ? available + memory->used : available;
    return size <= available && size <= memory->host && memory->used <= memory->host - size;
}

/* Make pages readable and writable, as fresh memory is: managed memory, which is the host's too, is
 * the host's zeros. */
static bool make_fresh(struct memory *memory, uint64_t address, size_t span, enum memory_kind kind)
{
    void *pages = host_pointer(address + shift_of(memory, kind));
    if (kind == MEMORY_DEVICE && span >= LARGE && fresh_pages_map(&memory->pages, pages, span))
        return true;
    if (mprotect(pages, span, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (kind != MEMORY_MANAGED)
        memset(pages, FRESH_BYTE, span);
    return true;
}

uint64_t memory_allocate(struct machine *machine, size_t size, enum memory_kind kind,
                         const char *name)
{
    struct memory *memory = machine->memory;
    if (size == 0 || size > memory->capacity)
        return 0;
    const size_t span = round_up(size, PAGE);
    uint64_t address = 0;

    pthread_mutex_lock(&memory->lock);
    if (round_up(size, GRANULE) <= memory_available(machine) && memory_host_can_give(memory, size))
        address = memory_find_room(memory, span);
    if (address && !make_fresh(memory, address, span, kind))
        address = 0;
    if (address && !allocation_new(memory, address, size, kind, name, machine->number))
        address = 0;
    if (address) {
        memory->used += round_up(size, GRANULE);
        memory->used_by[machine->number] += round_up(size, GRANULE);
        forget_freed(&memory->freed, address, address + span);
    }
    pthread_mutex_unlock(&memory->lock);
    return address;
}

bool memory_publish(struct memory *memory, uint64_t address, size_t size, int machine,
                    uint64_t access)
{
    struct allocation *allocation =
        allocation_new(memory, address, size, MEMORY_DEVICE, NULL, machine);
    if (allocation)
        allocation->access = access;
    return allocation;
}

void memory_withdraw(struct memory *memory, uint64_t address, size_t size)
{
    for (size_t at = list_position(&memory->live, address + size - 1); at > 0; at--) {
        if (memory->live.items[at - 1]->address < address)
            return;
        free(list_take(&memory->live, at - 1));
    }
}

bool memory_register_host(struct machine *machine, void *address, size_t size)
{
    struct memory *memory = machine->memory;
    const uint64_t start = (uint64_t)(uintptr_t)address;
    if (size == 0 || start == 0 || start + size < start)
        return false;

    pthread_mutex_lock(&memory->lock);
    const size_t at = list_position(&memory->live, start + size - 1);
    const struct allocation *below = at ? memory->live.items[at - 1] : NULL;
    const bool overlaps = (below && below->address + below->size > start) ||
                          in_region(memory, start) || in_region(memory, start + size - 1);
    const bool done = !overlaps && allocation_new(memory, start, size, MEMORY_HOST, NULL, 0);
    pthread_mutex_unlock(&memory->lock);
    return done;
}

/* Give the pages back, and remember the allocation for messages. */
static void retire(struct memory *memory, struct allocation *allocation)
{
    void *pages = allocation_host(allocation, allocation->address);
    const size_t span = round_up(allocation->size, PAGE);
    mmap(pages, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    memory->used -= round_up(allocation->size, GRANULE);
    memory->used_by[allocation->machine] -= round_up(allocation->size, GRANULE);
    allocation->name = NULL;
    if (!list_insert(&memory->freed, allocation))
        free(allocation);
}

bool memory_release(struct machine *machine, uint64_t address)
{
    struct memory *memory = machine->memory;
    pthread_mutex_lock(&memory->lock);
    const size_t at = list_position(&memory->live, address);
    const bool found = at && memory->live.items[at - 1]->address == address;
    if (found) {
        struct allocation *allocation = list_take(&memory->live, at - 1);
        if (allocation->kind == MEMORY_HOST)
            free(allocation);
        else
            retire(memory, allocation);
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

const struct allocation *memory_find(const struct machine *machine, uint64_t address, size_t size)
{
    const struct allocation_list *live = &machine->memory->live;
    const size_t at = list_position(live, address);
    if (at == 0)
        return NULL;
    const struct allocation *allocation = live->items[at - 1];
    const uint64_t offset = address - allocation->address;
    if (offset > allocation->size || size > allocation->size - offset)
        return NULL;
    return offset == allocation->size && size == 0 ? NULL : allocation;
}

static bool is_shared(const struct allocation *allocation)
{
    return allocation->kind == MEMORY_MANAGED || allocation->kind == MEMORY_HOST;
}

static bool may_reach(const struct machine *machine, const struct allocation *allocation)
{
    if (allocation->access)
        return allocation->access >> machine->number & 1;
    return machine->reach >> allocation->machine & 1 || is_shared(allocation);
}

bool memory_is_shared(const struct machine *machine)
{
    const struct allocation_list *live = &machine->memory->live;

    for (size_t i = 0; i < live->count; i++)
        if (is_shared(live->items[i]))
            return true;
    return false;
}

bool memory_is_abroad(const struct machine *machine, uint64_t address)
{
    const struct allocation *allocation = memory_find(machine, address, 1);
    return allocation && allocation->machine != machine->number && !is_shared(allocation);
}

const struct allocation *memory_reach(const struct machine *machine, uint64_t address, size_t size)
{
    const struct allocation *allocation = memory_find(machine, address, size);
    return allocation && may_reach(machine, allocation) ? allocation : NULL;
}

void *memory_host(const struct machine *machine, uint64_t address)
{
    const struct allocation *allocation = memory_find(machine, address, 1);
    return allocation ? allocation_host(allocation, address) : host_pointer(address);
}

uint64_t memory_address(const struct machine *machine, const void *pointer)
{
    const uint64_t there = (uint64_t)(uintptr_t)pointer;
    const uint64_t address = there - machine->memory->region_size;
    return in_region(machine->memory, address) ? address : there;
}

bool memory_is_own(const struct machine *machine, uint64_t address)
{
    return in_region(machine->memory, address);
}

size_t memory_available(const struct machine *machine)
{
    return machine->memory->capacity - machine->memory->used_by[machine->number];
}

uint64_t memory_base(const struct machine *machine)
{
    return (uint64_t)(uintptr_t)machine->memory->region;
}

/* Does the host have something at `address`? */
static bool host_has(uint64_t address)
{
    unsigned char resident;
    const uint64_t page = address & ~(uint64_t)(PAGE - 1);
    return mincore(host_pointer(page), 1, &resident) == 0;
}

void describe_allocation(const struct allocation *allocation, char *text, size_t size)
{
    const char *what =
        allocation->kind == MEMORY_HOST ? "range of registered host memory" : "allocation";
    char name[100];
    if (!allocation->name) {
        snprintf(text, size, "a %zu-byte %s", allocation->size, what);
        return;
    }
    ptx_variable_name(allocation->name, name, sizeof name);
    snprintf(text, size, "the %zu-byte variable %s", allocation->size, name);
}

/* Is it a variable of nvcc's, as $str, which has the texts of the program? */
static bool is_unknown(const struct allocation *allocation)
{
    return allocation->name && *allocation->name == '$';
}

/* Describes an address in none of the live allocations by the nearest that the program knows: those
 * from number `at` on are above it. */
static void describe_nearest(const struct memory *memory, size_t at, uint64_t address, char *text,
                             size_t size)
{
    struct allocation *const *live = memory->live.items;
    size_t last = at, next = at;
    char what[160];

    while (last && is_unknown(live[last - 1]))
        last--;
    while (next < memory->live.count && is_unknown(live[next]))
        next++;
    const struct allocation *below = last ? live[last - 1] : NULL;
    const struct allocation *above = next < memory->live.count ? live[next] : NULL;
    const uint64_t past = below ? address - (below->address + below->size) : UINT64_MAX;
    const uint64_t before = above ? above->address - address : UINT64_MAX;
    if (!in_region(memory, address) || !(below || above)) {
        snprintf(text, size, "no memory of the device");
        return;
    }
    describe_allocation(past <= before ? below : above, what, sizeof what);
    if (past <= before)
        snprintf(text, size, "%" PRIu64 " bytes past the end of %s", past, what);
    else
        snprintf(text, size, "%" PRIu64 " bytes before %s", before, what);
}

void memory_describe(const struct machine *machine, uint64_t address, size_t size, char *text,
                     size_t text_size)
{
    const struct memory *memory = machine->memory;
    char what[160];
    if (address < PAGE) {
        snprintf(text, text_size, "a null pointer");
        return;
    }
    if (mapped_describe(machine, address, text, text_size))
        return;
    const size_t freed_at = list_position(&memory->freed, address);
    const struct allocation *old = freed_at ? memory->freed.items[freed_at - 1] : NULL;
    if (old && address - old->address < old->size) {
        snprintf(text, text_size, "%" PRIu64 " bytes into a %zu-byte allocation that was freed",
                 address - old->address, old->size);
        return;
    }
    const size_t at = list_position(&memory->live, address);
    const struct allocation *below = at ? memory->live.items[at - 1] : NULL;
    if (below && address + size <= below->address + below->size && !may_reach(machine, below)) {
        describe_allocation(below, what, sizeof what);
        snprintf(text, text_size,
                 "%" PRIu64 " bytes into %s of device %d, to which device %d has no peer access",
                 address - below->address, what, below->machine, machine->number);
    } else if (below && address + size <= below->address + below->size) {
        describe_allocation(below, what, sizeof what);
        snprintf(text, text_size, "%" PRIu64 " bytes into %s", address - below->address, what);
    } else if (below && address - below->address < below->size) {
        describe_allocation(below, what, sizeof what);
        snprintf(text, text_size, "its last %" PRIu64 " bytes are past the end of %s",
                 address + size - (below->address + below->size), what);
    } else if (!in_region(memory, address) && host_has(address)) {
        snprintf(text, text_size, "a pointer to host memory that kernels cannot reach");
    } else {
        describe_nearest(memory, at, address, text, text_size);
    }
}
