/* SPDX-License-Identifier: MIT */
/* Device memory: what is asked of it is served in the order it comes, at the
 * bandwidth that pages and refresh leave to words of that width; between loads and stores the bus
 * turns around, and pages are closed and opened. Where there is a queue for stores, they wait in it
 * until it is full, or until nothing else is asked for. */
#include "time/g80_parts.h"

void g80_memory_start(struct g80_memory *memory, const struct gpu *gpu)
{
    /* Two transfers a clock. */
    const double bytes_a_clock =
        2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8 / gpu->clock_khz;
    const double efficiency[G80_WIDTHS] = {gpu->memory_efficiency, gpu->memory_efficiency_64,
                                           gpu->memory_efficiency_128};

    *memory = (struct g80_memory){
        .turnaround = gpu->turnaround_clocks,
        .room = (uint32_t)(gpu->store_queue / G80_UNIT_BYTES),
    };
    for (int width = 0; width < G80_WIDTHS; width++)
        memory->clocks_per_unit[width] = G80_UNIT_BYTES / (bytes_a_clock * efficiency[width]);
}

/* The bus is taken for `clocks`, from `when` or later. */
static void take_bus(struct g80_memory *memory, double when, double clocks, bool stores)
{
    memory->free = memory->free > when ? memory->free : when;
    if (memory->wrote != stores)
        memory->free += memory->turnaround;
    memory->wrote = stores;
    memory->free += clocks;
    memory->busy += clocks;
}

static void empty_queue(struct g80_memory *memory, double when)
{
    take_bus(memory, when, memory->queued_clocks, true);
    memory->queued = 0;
    memory->queued_clocks = 0;
}

static void store(struct g80_memory *memory, double arrives, uint32_t units, double clocks)
{
    memory->queued += units;
    memory->queued_clocks += clocks;
    memory->stored = arrives;
    if (memory->queued >= memory->room)
        empty_queue(memory, arrives);
}

/* Before a load that arrives at `arrives`, is there time for the stores that wait? */
static bool is_idle(const struct g80_memory *memory, double arrives)
{
    const double from = memory->free > memory->stored ? memory->free : memory->stored;

    return memory->queued > 0 && arrives - from >= memory->queued_clocks + 2 * memory->turnaround;
}

uint64_t g80_memory_serve(struct g80_memory *memory, uint64_t arrives, uint32_t units,
                          enum g80_width width, bool is_store)
{
    const double when = (double)arrives, clocks = units * memory->clocks_per_unit[width];

    if (units == 0)
        return 0; /* a texture's cache had it all */
    if (is_store) {
        store(memory, when, units, clocks);
    } else {
        if (is_idle(memory, when))
            empty_queue(memory, memory->stored);
        take_bus(memory, when, clocks, false);
    }
    return memory->free > when ? (uint64_t)(memory->free - when) : 0;
}

uint64_t g80_memory_end(struct g80_memory *memory)
{
    if (memory->queued > 0)
        empty_queue(memory, memory->stored);
    return (uint64_t)memory->free;
}
