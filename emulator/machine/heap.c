/* SPDX-License-Identifier: MIT */
/* The heap of kernels: blocks of 16 bytes times a power of two. All that is known of them is kept
 * here, out of reach of the kernels. */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "launch.h"

enum { UNIT = 16, CLASSES = 40 };

struct heap {
    uint64_t start;
    uint32_t units, fresh; /* units from `fresh` on were never used */
    int8_t *blocks; /* of a unit: 1 + the class of the block in use that begins there, or 0 */
    uint32_t *next; /* of a free block: 1 + the next of its class */
    uint32_t free[CLASSES]; /* 1 + the first free block */
};

void machine_set_heap(struct machine *machine, size_t bytes)
{
    const size_t most = (size_t)16 << 30;
    machine->heap_bytes = bytes < most ? bytes : most;
}

static void free_books(struct heap *heap)
{
    free(heap->blocks);
    free(heap->next);
    free(heap);
}

void heap_clear(struct machine *machine)
{
    if (!machine->heap)
        return;
    memory_release(machine, machine->heap->start);
    free_books(machine->heap);
    machine->heap = NULL;
}

/* A heap's books, for so many units. */
static struct heap *make_books(uint32_t units)
{
    struct heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return NULL;
    heap->units = units;
    heap->blocks = calloc((size_t)units + 1, sizeof *heap->blocks);
    heap->next = calloc((size_t)units + 1, sizeof *heap->next);
    if (heap->blocks && heap->next)
        return heap;
    free_books(heap);
    return NULL;
}

static struct heap *make_heap(struct machine *machine)
{
    const uint32_t units = (uint32_t)(machine->heap_bytes / UNIT);
    struct heap *heap = make_books(units);
    if (!heap)
        return NULL;
    heap->start = memory_allocate(machine, (size_t)units * UNIT, MEMORY_DEVICE, "heap of kernels");
    machine->heap = heap;
    if (!heap->start)
        heap_clear(machine);
    return machine->heap;
}

static void copy_books(const struct heap *from, struct heap *to)
{
    int8_t *blocks = to->blocks;
    uint32_t *next = to->next;
    *to = *from;
    to->blocks = blocks;
    to->next = next;
    memcpy(blocks, from->blocks, from->fresh); /* after that all are 0 */
    memcpy(next, from->next, from->fresh * sizeof *next);
}

struct heap *heap_keep(struct machine *machine)
{
    const struct heap *heap = machine->heap ? machine->heap : make_heap(machine);
    struct heap *kept = heap ? make_books(heap->units) : NULL;
    if (kept)
        copy_books(heap, kept);
    return kept;
}

void heap_restore(struct machine *machine, struct heap *kept)
{
    struct heap *heap = machine->heap;
    memset(heap->blocks, 0, heap->fresh);
    copy_books(kept, heap);
    free_books(kept);
}

/* The class whose blocks hold so many bytes; CLASSES: none does. */
static int class_of(uint64_t bytes)
{
    int class = 0;
    while (class < CLASSES && (uint64_t)UNIT << class < bytes)
        class ++;
    return class;
}

/* The first unit of a block, or UINT32_MAX. */
static uint32_t take_block(struct heap *heap, int class)
{
    if (class < 32 && (uint64_t)1 << class <= heap->units - heap->fresh) {
        const uint32_t unit = heap->fresh;
        heap->fresh += (uint32_t)1 << class;
        return unit;
    }
    const uint32_t unit = heap->free[class] - 1;
    if (heap->free[class])
        heap->free[class] = heap->next[unit];
    return unit;
}

uint64_t heap_allocate(struct machine *machine, uint64_t bytes)
{
    struct heap *heap = machine->heap ? machine->heap : make_heap(machine);
    const int class = class_of(bytes);
    if (!heap || bytes == 0 || class == CLASSES)
        return 0;
    const uint32_t unit = take_block(heap, class);
    if (unit == UINT32_MAX)
        return 0;
    heap->blocks[unit] = (int8_t)(1 + class);
    return heap->start + (uint64_t)unit * UNIT;
}

bool heap_free(struct machine *machine, uint64_t address)
{
    struct heap *heap = machine->heap;
    if (!heap || address % UNIT || address < heap->start ||
        (address - heap->start) / UNIT >= heap->units)
        return false;
    const uint32_t unit = (uint32_t)((address - heap->start) / UNIT);
    const int class = heap->blocks[unit] - 1;
    if (class < 0)
        return false;
    heap->blocks[unit] = 0;
    heap->next[unit] = heap->free[class];
    heap->free[class] = unit + 1;
    return true;
}
