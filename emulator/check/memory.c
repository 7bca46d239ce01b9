/* SPDX-License-Identifier: MIT */
#include "check/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"

struct held {
    uint64_t address;
    size_t size;
    const void *caller;
    struct held *next;
};

struct check_memory {
    struct observer observer;
    const struct machine *machine;
    struct reports *reports;
    struct held *held; /* what the program has allocated, the latest first */
};

static void on_fault(void *self, const struct fault_event *event)
{
    struct check_memory *memory = self;
    const struct launch *launch = warp_launch(event->warp);

    if (event->kind != FAULT_ADDRESS && event->kind != FAULT_MISALIGNED)
        return;
    if (reports_again(memory->reports, CHECK_MEMORY, event->instr, NULL, (uint64_t)event->kind))
        return;
    const struct finding finding = {
        .kind = CHECK_MEMORY,
        .launch = launch,
        .what = event->what,
        .why = event->detail,
        .parties = {{.act = "access",
                     .instr = event->instr,
                     .block = warp_id(event->warp).block,
                     .thread = warp_thread(event->warp, event->lane)}},
        .party_count = 1,
    };
    reports_add(memory->reports, &finding);
}

struct check_memory *check_memory_new(const struct machine *machine, struct reports *reports)
{
    struct check_memory *memory = observer_allocate(1, sizeof(*memory));

    *memory = (struct check_memory){
        .observer = {.self = memory, .fault = on_fault}, .machine = machine, .reports = reports};
    return memory;
}

void check_memory_free(struct check_memory *memory)
{
    while (memory && memory->held) {
        struct held *held = memory->held;
        memory->held = held->next;
        free(held);
    }
    free(memory);
}

const struct observer *check_memory_observer(struct check_memory *memory)
{
    return &memory->observer;
}

void check_memory_allocated(struct check_memory *memory, uint64_t address, size_t size,
                            const void *caller)
{
    struct held *held = observer_allocate(1, sizeof(*held));

    *held = (struct held){address, size, caller, memory->held};
    memory->held = held;
}

void check_memory_freed(struct check_memory *memory, uint64_t address)
{
    for (struct held **link = &memory->held; *link; link = &(*link)->next) {
        struct held *held = *link;
        if (held->address != address)
            continue;
        *link = held->next;
        free(held);
        return;
    }
}

void check_memory_bad_free(struct check_memory *memory, const char *function, uint64_t address,
                           const void *caller)
{
    char what[400], found[240];

    memory_describe(memory->machine, address, 1, found, sizeof(found));
    const bool twice = strstr(found, "freed") != NULL;
    snprintf(what, sizeof(what), "%s of 0x%" PRIx64 ": %s%s", function, address,
             twice ? "freed twice: " : "not the start of an allocation: ", found);
    reports_add_call(memory->reports, CHECK_MEMORY, what, caller, address);
}

void check_memory_leaks(struct check_memory *memory)
{
    char what[160];

    for (struct held *held = memory->held; held; held = held->next) {
        const struct allocation *allocation = memory_find(memory->machine, held->address, 1);
        snprintf(what, sizeof(what), "allocation no. %" PRIu64 " of %zu bytes was never freed",
                 allocation ? allocation->number : 0, held->size);
        reports_add_call(memory->reports, CHECK_LEAK, what, held->caller, held->address);
    }
}

void check_memory_count_leaks(const struct check_memory *memory, FILE *file)
{
    size_t count = 0, bytes = 0;

    for (const struct held *held = memory->held; held; held = held->next) {
        count++;
        bytes += held->size;
    }
    if (count == 1)
        fprintf(file, "emu: %zu allocation of %zu bytes never freed; --check=leak names it\n",
                count, bytes);
    else if (count)
        fprintf(file,
                "emu: %zu allocations of %zu bytes in all never freed; --check=leak names them\n",
                count, bytes);
}
