/* SPDX-License-Identifier: MIT */
/* A machine: what it is like, who watches it, where its clocks come from. */
#include "children.h"
#include "cores.h"
#include "heap.h"
#include "launch.h"

#include <malloc.h>
#include <stdlib.h>

/* Registers and shared memory come with a launch and go with it. What has gone stays with the
 * process for the next one: given back, each page would be asked for again. */
static void keep_freed_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* to which malloc() would raise it by itself */
    mallopt(M_TOP_PAD, 1 << 20);
}

static struct machine *make(const struct gpu *gpu, int workers, int number, struct memory *memory)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->gpu = *gpu;
    machine->heap_bytes = 8 << 20; /* as CUDA has it */
    machine->workers = workers > 0 ? workers : usable_cores();
    machine->number = number;
    machine->reach = UINT64_C(1) << number;
    machine->memory = memory;
    return machine;
}

struct machine *machine_new_first(const struct gpu *gpu, int workers, int count)
{
    keep_freed_memory();
    struct memory *memory = malloc(sizeof *memory);
    const bool started = memory && memory_start(memory, gpu->memory, count);
    struct machine *machine = started ? make(gpu, workers, 0, memory) : NULL;
    if (machine)
        return machine;
    if (started)
        memory_stop(memory);
    free(memory);
    return NULL;
}

struct machine *machine_new(const struct gpu *gpu, int workers)
{
    return machine_new_first(gpu, workers, 1);
}

struct machine *machine_new_beside(struct machine *first, int number)
{
    return make(&first->gpu, first->workers, number, first->memory);
}

void machine_set_reach(struct machine *machine, int number, bool may)
{
    machine->reach = (machine->reach & ~(UINT64_C(1) << number)) | (uint64_t)may << number;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    children_free(machine);
    heap_clear(machine);
    texture_table_free(&machine->textures);
    if (machine->number == 0) {
        memory_stop(machine->memory);
        free(machine->memory);
    }
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

int machine_observer_count(const struct machine *machine)
{
    return machine->observer_count;
}

void machine_observe_alike(struct machine *machine, const struct machine *other, int from)
{
    for (int i = from; i < other->observer_count; i++)
        machine_observe(machine, &other->observers[i]);
}

void machine_set_schedule(struct machine *machine, struct schedule schedule)
{
    machine->schedule = schedule;
}

void machine_set_engine(struct machine *machine, enum kernel_engine engine)
{
    machine->engine = engine;
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

void machine_set_signal(struct machine *machine, const volatile int *signal)
{
    machine->signal = signal;
}

void machine_set_sampling(struct machine *machine, bool sampling)
{
    machine->sampling = sampling;
}

void machine_set_clock(struct machine *machine, machine_clock_function *clock, void *self)
{
    machine->clock = clock;
    machine->clock_self = self;
}
