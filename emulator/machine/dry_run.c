/* SPDX-License-Identifier: MIT */
/* Launches that change nothing. A time model that can time a kernel only once it has run needs one
 * if the kernel asks for the time. */
#include "children.h"
#include "heap.h"
#include "launch.h"

#include <stdlib.h>

enum { PIECE = 4096 };
/* All allocated memory is copied, used or not, and the host may not have room for that. */
static const size_t most_kept = (size_t)1 << 30;

static size_t bytes_in_use(const struct memory *memory)
{
    size_t bytes = 0;

    for (size_t i = 0; i < memory->live.count; i++)
        bytes += memory->live.items[i]->size;
    return bytes;
}

static char *keep_memory(const struct memory *memory)
{
    const size_t bytes = bytes_in_use(memory);
    char *kept = bytes <= most_kept ? malloc(bytes + 1) : NULL, *at = kept;

    for (size_t i = 0; kept && i < memory->live.count; i++) {
        const struct allocation *allocation = memory->live.items[i];
        memcpy(at, allocation_host(allocation, allocation->address), allocation->size);
        at += allocation->size;
    }
    return kept;
}

/* Write only what has changed: the host may be using its own part of the memory. */
static void restore_memory(const struct memory *memory, const char *kept)
{
    for (size_t i = 0; i < memory->live.count; i++) {
        const struct allocation *allocation = memory->live.items[i];
        char *now = allocation_host(allocation, allocation->address);
        for (size_t from = 0; from < allocation->size; from += PIECE) {
            const size_t left = allocation->size - from;
            const size_t bytes = left < PIECE ? left : PIECE;
            if (memcmp(now + from, kept + from, bytes) != 0)
                memcpy(now + from, kept + from, bytes);
        }
        kept += allocation->size;
    }
}

bool machine_dry_run(struct machine *machine, const struct launch_request *request,
                     const struct observer *observers, int observer_count, struct fault *fault)
{
    struct observer all[MAX_OBSERVERS];
    const int count = machine->observer_count;
    struct heap *heap = request->kernel->program->allocates ? heap_keep(machine) : NULL;
    char *kept = keep_memory(machine->memory);

    if (!kept) {
        if (heap)
            heap_restore(machine, heap);
        return false;
    }
    memcpy(all, machine->observers, sizeof all);
    memcpy(machine->observers, observers, (size_t)observer_count * sizeof *observers);
    machine->observer_count = observer_count;
    machine->quiet = true;
    machine_launch(machine, request, fault);
    machine->quiet = false;
    machine->launches--;
    children_clear(machine);
    memcpy(machine->observers, all, sizeof all);
    machine->observer_count = count;
    restore_memory(machine->memory, kept);
    free(kept);
    if (heap)
        heap_restore(machine, heap);
    return true;
}
