/* SPDX-License-Identifier: MIT */
/* A machine: what it is like, who watches it, where its clocks come from. */
#include "children.h"
#include "heap.h"
#include "launch.h"

#include <stdlib.h>
#include <unistd.h>

struct machine *machine_new(const struct gpu *gpu, int workers)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    machine->gpu = *gpu;
    machine->heap_bytes = 8 << 20; /* as CUDA has it */
    machine->workers = workers > 0 ? workers : cores > 0 ? (int)cores : 1;
    if (!memory_start(&machine->memory, gpu->memory)) {
        free(machine);
        return NULL;
    }
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    children_free(machine);
    heap_clear(machine);
    memory_stop(&machine->memory);
    texture_table_free(&machine->textures);
    free(machine);
}

const struct gpu *machine_gpu(const struct machine *machine)
{
    return &machine->gpu;
}

void machine_observe(struct machine *machine, const struct observer *observer)
{
    if (machine->observer_count == MAX_OBSERVERS)
        abort(); /* a program adds them by hand */
    machine->observers[machine->observer_count++] = *observer;
}

void machine_set_schedule(struct machine *machine, struct schedule schedule)
{
    machine->schedule = schedule;
}

void machine_insist_on_schedule(struct machine *machine)
{
    machine->insists = true;
}

bool machine_insists_on_schedule(const struct machine *machine)
{
    return machine->insists;
}

void machine_set_lenient(struct machine *machine, bool lenient)
{
    machine->lenient = lenient;
}

void machine_set_clock(struct machine *machine, machine_clock_function *clock, void *self)
{
    machine->clock = clock;
    machine->clock_self = self;
}
