/* Device memory of the period GPUs: what is asked of it is served in the order it comes, at the
 * bandwidth that pages and refresh leave; between loads and stores the bus turns round, and pages
 * are closed and opened. */
#include "time/period_parts.h"

void period_memory_start(struct period_memory *memory, const struct gpu *gpu)
{
    /* Two transfers a clock. */
    const double bytes_a_clock = 2.0 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8 *
                                 gpu->memory_efficiency / gpu->clock_khz;

    *memory = (struct period_memory){
        .clocks_per_unit = PERIOD_UNIT_BYTES / bytes_a_clock,
        .turnaround = gpu->turnaround_clocks,
    };
}

uint64_t period_memory_serve(struct period_memory *memory, uint64_t arrives, uint32_t units,
                             bool store)
{
    if (units == 0)
        return 0; /* a texture's cache had it all */

    double start = memory->free > (double)arrives ? memory->free : (double)arrives;

    if (memory->wrote != store)
        start += memory->turnaround;
    memory->wrote = store;
    memory->free = start + units * memory->clocks_per_unit;
    memory->busy += units * memory->clocks_per_unit;
    return (uint64_t)(memory->free - (double)arrives);
}
