/* SPDX-License-Identifier: MIT */
/* The Trace Event Format: complete events ("X") for launches, for blocks in their slots on SMs,
 * and for the warps of one SM. Each kind has its own processes and threads. Times are in
 * microseconds of the modelled clock.
 *
 * See "Trace Event Format", by the Chromium project. */
#include <inttypes.h>

#include "machine/machine.h"
#include "trace/parts.h"

/* Process 1 is the launches. Each kernel with times has two more: its blocks, by SM, and the
 * warps of the SM. */
enum { LAUNCHES = 1, FIRST_KERNEL = 2, KINDS = 2, SLOTS = 64, ROWS = 128 /* as many overlap */ };

static void write_name(const char *what, size_t process, int thread, const char *label,
                       const char *name, FILE *file)
{
    fprintf(file,
            ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%zu,\"tid\":%d,\"args\":{\"name\":", what,
            process, thread);
    char text[400];
    snprintf(text, sizeof(text), "%s%s", label, name);
    write_text(text, file);
    fputs("}}", file);
}

/* The first row in which the launch overlaps no other, or the last row. */
static int row_of(double row_ends[ROWS], const struct traced_launch *launch)
{
    int row = 0;

    while (row + 1 < ROWS && row_ends[row] > launch->start_ms)
        row++;
    row_ends[row] = launch->start_ms + launch->ms;
    return row;
}

static void write_launches(const struct trace *trace, FILE *file)
{
    double row_ends[ROWS] = {0};

    for (size_t i = 0; i < trace->launch_count; i++) {
        const struct traced_launch *launch = &trace->launches[i];
        const struct traced_kernel *kernel = &trace->kernels[launch->kernel];
        fputs(",\n{\"ph\":\"X\",\"cat\":\"launch\",\"name\":", file);
        write_text(kernel->name, file);
        fprintf(file,
                ",\"pid\":%d,\"tid\":%d,\"ts\":%.4f,\"dur\":%.4f,\"args\":{\"grid\":\"%u %u %u\","
                "\"block\":\"%u %u %u\"}}",
                LAUNCHES, row_of(row_ends, launch), launch->start_ms * 1000, launch->ms * 1000,
                kernel->grid.x, kernel->grid.y, kernel->grid.z, kernel->block.x, kernel->block.y,
                kernel->block.z);
    }
}

/* When the clocks of the first launch begin to count, which is after the time it takes to start
 * it. */
static double first_launch_us(const struct trace *trace, size_t kernel)
{
    size_t i = 0;

    while (i + 1 < trace->launch_count && trace->launches[i].kernel != kernel)
        i++;
    return trace->launches[i].start_ms * 1000 + machine_gpu(trace->machine)->launch_us;
}

static void write_span(const char *category, size_t process, int thread, double start,
                       uint64_t begin, uint64_t end, double clocks_a_us, FILE *file)
{
    fprintf(file,
            ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%zu,\"tid\":%d,\"ts\":%.4f,\"dur\":%.4f,",
            category, process, thread, start + (double)begin / clocks_a_us,
            (double)(end - begin) / clocks_a_us);
}

static void write_kernel(const struct trace *trace, size_t index, FILE *file)
{
    static const char *const states[] = {
        [TIMELINE_ISSUES] = "issuing",
        [TIMELINE_MEMORY] = "waiting for memory",
        [TIMELINE_BARRIER] = "at a barrier",
        [TIMELINE_OTHER] = "waiting for a result or its turn",
    };
    const struct traced_kernel *kernel = &trace->kernels[index];
    const struct launch_spans *times = &kernel->times;
    const size_t blocks = FIRST_KERNEL + KINDS * index, warps = blocks + 1;
    const double clocks_a_us = machine_gpu(trace->machine)->clock_khz / 1000.0;
    const double start = first_launch_us(trace, index);
    bool named[SPAN_SLOTS] = {false};
    char label[64];

    if (times->block_count)
        write_name("process_name", blocks, 0, "blocks on SMs: ", kernel->name, file);
    if (times->span_count)
        write_name("process_name", warps, 0, "warps of SM 0: ", kernel->name, file);
    for (size_t i = 0; i < times->block_count; i++) {
        const struct block_span *block = &times->blocks[i];
        snprintf(label, sizeof(label), "SM %d, place %d", block->sm, block->slot);
        if (block->begin == 0)
            write_name("thread_name", blocks, block->sm * SLOTS + block->slot, label, "", file);
        write_span("block", blocks, block->sm * SLOTS + block->slot, start, block->begin,
                   block->end, clocks_a_us, file);
        fprintf(file, "\"name\":\"block %" PRIu64 "\",\"args\":{\"sm\":%d,\"place\":%d}}",
                block->number, block->sm, block->slot);
    }
    for (size_t i = 0; i < times->span_count; i++) {
        const struct warp_span *span = &times->spans[i];
        if (!named[span->slot]) {
            snprintf(label, sizeof(label), "place %d", span->slot);
            write_name("thread_name", warps, span->slot, label, "", file);
            named[span->slot] = true;
        }
        write_span("warp", warps, span->slot, start, span->begin, span->end, clocks_a_us, file);
        fprintf(file, "\"name\":\"%s\",\"args\":{\"block\":%" PRIu64 ",\"warp\":%u}}",
                states[span->state], span->number, span->warp);
    }
}

void write_events(const struct trace *trace, const char *program, FILE *file)
{
    const struct gpu *gpu = machine_gpu(trace->machine);

    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":", file);
    write_text(program, file);
    fputs(",\"gpu\":", file);
    write_text(gpu->name, file);
    fputs(",\"model\":", file);
    write_text(timing_model_name(trace->timing), file);
    fprintf(file,
            "},\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,"
            "\"args\":{\"name\":\"launches\"}}",
            LAUNCHES);
    write_launches(trace, file);
    for (size_t i = 0; i < trace->kernel_count; i++)
        write_kernel(trace, i, file);
    fputs("\n]}\n", file);
}
