/* SPDX-License-Identifier: MIT */
/* Records a trace: handles the events of the current launch, and keeps a part of them at its
 * end. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/observer_memory.h"
#include "trace/parts.h"

enum {
    MOST_RECORDS_BYTES = 2 << 20, /* of a whole trace */
    MOST_KERNEL_BYTES = 1 << 20, /* of one kernel */
    MOST_DRAWN = 24, /* kernels with a sample and times */
    MOST_SPANS = 4 * SPANS_SHOWN, /* of a whole trace */
    MOST_BLOCKS = 4 * SPAN_BLOCKS, /* of a whole trace */
    MOST_LAUNCHES = 20000,
};

/* Gives an instruction a number, from 1 on. */
struct numbered {
    const struct ptx_instr *instr;
    int number;
};

/* The counts by instruction, and the active lanes of the current instruction. */
struct traced_worker {
    _Alignas(64) struct hash_table counted;
    uint32_t active;
};

static uint64_t *counts_of(const struct trace *trace, int worker, const struct ptx_instr *instr)
{
    return count_by_instr(&trace->workers[worker].counted, instr);
}

/* Events. */

static void on_instruction(void *self, const struct instruction_event *event)
{
    const struct trace *trace = self;

    trace->workers[event->worker].active = event->active;
    count_instruction(counts_of(trace, event->worker, event->instr), event);
}

static void on_access(void *self, const struct access_event *event)
{
    struct trace *trace = self;

    count_access(counts_of(trace, event->worker, event->instr), event);
    if (trace->sample.block_count)
        sample_access(&trace->sample, trace->workers[event->worker].active, event);
}

static void on_product(void *self, const struct collective_event *event)
{
    counts_of(self, event->worker, event->instr)[PROFILE_TENSOR_INSTRUCTIONS]++;
}

static void on_fetch(void *self, const struct fetch_event *event)
{
    struct trace *trace = self;

    count_fetch(counts_of(trace, event->worker, event->instr), event);
    if (trace->sample.block_count)
        sample_fetch(&trace->sample, trace->workers[event->worker].active, event);
}

static void on_branch(void *self, const struct branch_event *event)
{
    struct trace *trace = self;

    count_branch(counts_of(trace, event->worker, event->instr), event);
    if (trace->sample.block_count)
        sample_branch(&trace->sample, event);
}

static void on_barrier(void *self, const struct barrier_event *event)
{
    struct trace *trace = self;

    count_barrier(counts_of(trace, event->worker, event->instr), event);
    if (trace->sample.block_count)
        sample_barrier(&trace->sample, event);
}

static void on_barrier_open(void *self, const struct barrier_open_event *event)
{
    struct trace *trace = self;

    if (trace->sample.block_count)
        sample_barrier_open(&trace->sample, event);
}

static void on_block(void *self, int sm, int slot, uint64_t number, uint64_t begin, uint64_t end)
{
    const struct trace *trace = self;

    if (trace->watching)
        spans_block(trace->watching, sm, slot, number, begin, end);
}

static void on_warp(void *self, int slot, uint64_t number, uint32_t warp, enum timeline_state state,
                    uint64_t begin, uint64_t end)
{
    const struct trace *trace = self;
    const struct warp_span span = {slot, number, warp, state, begin, end};

    if (trace->watching)
        spans_warp(trace->watching, &span);
}

/* Launches. */

/* The index of the kernel and shape of `launch`, which are added if they are new. */
static size_t find_kernel(struct trace *trace, const struct launch *launch)
{
    const struct kernel_info *info = kernel_info(launch->kernel);
    const size_t shared_bytes = info->function->shared_bytes + launch->dynamic_shared;
    const size_t count = trace->kernel_count;

    for (size_t i = 0; i < count; i++) {
        const struct traced_kernel *kernel = &trace->kernels[i];
        if (!strcmp(kernel->function, info->function->name) &&
            dim_equal(kernel->grid, launch->grid) && dim_equal(kernel->block, launch->block) &&
            kernel->shared_bytes == shared_bytes)
            return i;
    }
    trace->kernels = observer_grow(trace->kernels, count + 1, sizeof(*trace->kernels));
    trace->kernels[count] = (struct traced_kernel){
        .name = observer_copy(info->name),
        .function = observer_copy(info->function->name),
        .grid = launch->grid,
        .block = launch->block,
        .shared_bytes = shared_bytes,
    };
    return trace->kernel_count++;
}

/* How much of the room that is left one kernel may take: half of it, so that there is always
 * some for the next. */
static size_t room_for_one(size_t left, size_t most)
{
    return left / 2 < most ? left / 2 + 1 : most;
}

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct trace *trace = self;

    trace->workers = observer_allocate((size_t)launch->workers, sizeof(*trace->workers));
    trace->worker_count = launch->workers;
    trace->start_ms = timing_now_ms(trace->timing);
    trace->kernel = find_kernel(trace, launch);
    struct traced_kernel *kernel = &trace->kernels[trace->kernel];
    if (kernel->launches > 0 || trace->kernel >= MOST_DRAWN)
        return;
    sample_begin(&trace->sample, trace->machine, trace->timing, launch);
    spans_begin(&kernel->times, dim_count(launch->grid),
                machine_gpu(trace->machine)->multiprocessors,
                room_for_one(MOST_BLOCKS - trace->blocks, SPAN_BLOCKS));
    trace->watching = &kernel->times;
}

/* The index of the line in the kernel's lines, or where it would be added. */
static size_t line_index(const struct traced_kernel *kernel, struct source_line at)
{
    size_t low = 0, high = kernel->line_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct traced_line *line = &kernel->lines[middle];
        if (line->source < at.source || (line->source == at.source && line->number < at.number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct traced_line *find_line(struct traced_kernel *kernel, struct source_line at)
{
    const size_t index = line_index(kernel, at);
    const size_t rest = kernel->line_count - index;
    struct traced_line *lines = kernel->lines;

    if (rest && lines[index].source == at.source && lines[index].number == at.number)
        return &lines[index];
    MAKE_ROOM(kernel->lines, kernel->line_count, kernel->line_room);
    lines = kernel->lines;
    if (rest)
        memmove(&lines[index + 1], &lines[index], rest * sizeof(*lines));
    lines[index] = (struct traced_line){.source = at.source, .number = at.number};
    kernel->line_count++;
    return &lines[index];
}

static int by_text(const void *a, const void *b)
{
    const struct instr_counts *const *left = a, *const *right = b;

    return (*left)->instr->line - (*right)->instr->line;
}

/* The counts of all workers in the order of the text, so that it makes no difference which
 * worker did what. */
static const struct instr_counts **counts_in_order(const struct trace *trace, size_t *count)
{
    size_t room = 1;

    for (int w = 0; w < trace->worker_count; w++)
        room += trace->workers[w].counted.count;
    const struct instr_counts **all = observer_allocate(room, sizeof(*all));
    *count = 0;
    for (int w = 0; w < trace->worker_count; w++) {
        const struct hash_table *table = &trace->workers[w].counted;
        for (size_t i = 0; i < table->room; i++) {
            all[*count] = hash_table_at(table, sizeof(**all), i);
            *count += all[*count]->instr != NULL;
        }
    }
    qsort(all, *count, sizeof(*all), by_text);
    return all;
}

/* Add the counts to the lines. Sources get their numbers in the order in which their lines come. */
static void fold_counts(struct trace *trace, struct traced_kernel *kernel,
                        const struct kernel_info *info)
{
    size_t count;
    const struct instr_counts **all = counts_in_order(trace, &count);

    for (size_t i = 0; i < count; i++) {
        const struct source_line at = source_line_of(trace, info, all[i]->instr);
        struct traced_line *line = find_line(kernel, at);
        if (trace->sources[at.source].is_ptx && !line->ptx)
            line->ptx = observer_copy(all[i]->instr->whole);
        count_add(line->n, all[i]->n);
    }
    free(all);
    for (int w = 0; w < trace->worker_count; w++)
        hash_table_free(&trace->workers[w].counted);
    free(trace->workers);
    trace->workers = NULL;
    trace->worker_count = 0;
}

static void add_up(struct traced_kernel *kernel)
{
    memset(kernel->n, 0, sizeof(kernel->n));
    for (size_t i = 0; i < kernel->line_count; i++) {
        count_totals(kernel->lines[i].n);
        count_add(kernel->n, kernel->lines[i].n);
    }
}

/* The line of instruction number `index` of a function, if it belongs to that source; otherwise
 * 0. */
static int line_at(struct trace *trace, const struct kernel_info *info,
                   const struct ptx_function *function, int index, int source)
{
    if (index < 0 || index >= function->instr_count)
        return 0;
    const struct source_line at = source_line_of(trace, info, &function->instrs[index]);
    return at.source == source ? at.number : 0;
}

static struct site make_site(struct trace *trace, const struct kernel_info *info,
                             const struct ptx_instr *instr)
{
    const struct ptx_function *function = ptx_function_of(info->module, instr);
    const struct source_line at = source_line_of(trace, info, instr);
    struct site site = {at.source, at.number, .text = observer_copy(instr->whole)};

    if (instr->target >= 0) {
        const int index = (int)(instr - function->instrs);
        site.target = line_at(trace, info, function, instr->target, at.source);
        site.next = line_at(trace, info, function, index + 1, at.source);
        site.meet = line_at(trace, info, function, instr->reconverge, at.source);
    }
    return site;
}

/* Keep as much of the sample as there is room for. What is kept does not need the instructions,
 * which may be freed. */
static void keep_records(struct trace *trace, struct traced_kernel *kernel,
                         const struct kernel_info *info)
{
    const size_t most = room_for_one(MOST_RECORDS_BYTES - trace->text_bytes, MOST_KERNEL_BYTES);
    struct hash_table sites = {0};
    size_t count, bytes = 0;

    kernel->records = sample_records(&trace->sample, &count);
    kernel->record_sites = observer_allocate(count + 1, sizeof(*kernel->record_sites));
    kernel->sites = observer_allocate(count + 1, sizeof(*kernel->sites));
    for (size_t i = 0; i < count; i++) {
        struct record *record = &kernel->records[i];
        const size_t size = strlen(record->text);
        if (bytes + size > most)
            break;
        struct numbered *site = hash_table_make(&sites, sizeof(*site), (uintptr_t)record->instr);
        if (!site->number) {
            kernel->sites[kernel->site_count++] = make_site(trace, info, record->instr);
            site->number = (int)kernel->site_count;
        }
        kernel->record_sites[kernel->record_count++] = site->number - 1;
        record->text = observer_copy(record->text);
        record->instr = NULL;
        if (record->allocation_name)
            record->allocation_name = observer_copy(record->allocation_name);
        bytes += size;
    }
    trace->text_bytes += bytes;
    kernel->records_left_out = count - kernel->record_count;
    hash_table_free(&sites);
}

static void keep_sample(struct trace *trace, struct traced_kernel *kernel,
                        const struct kernel_info *info)
{
    struct sample *sample = &trace->sample;

    keep_records(trace, kernel, info);
    kernel->sampled_block_count = sample->block_count;
    for (uint32_t i = 0; i < sample->block_count; i++)
        kernel->sampled_blocks[i] = sample->blocks[i].number;
    kernel->sampled_warp_count = sample->warp_count;
    memcpy(kernel->sampled_warps, sample->warp_numbers, sizeof(kernel->sampled_warps));
    sample_end(sample);
}

static void note_launch(struct trace *trace, double ms)
{
    if (trace->launch_count == MOST_LAUNCHES)
        return;
    MAKE_ROOM(trace->launches, trace->launch_count, trace->launch_room);
    trace->launches[trace->launch_count++] =
        (struct traced_launch){trace->kernel, trace->start_ms, ms};
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct trace *trace = self;
    struct traced_kernel *kernel = &trace->kernels[trace->kernel];
    const struct timing_launch timing = timing_last(trace->timing);

    fold_counts(trace, kernel, kernel_info(launch->kernel));
    add_up(kernel);
    if (kernel->launches++ == 0)
        kernel->timing = timing;
    kernel->failed += fault && fault->kind != FAULT_NONE;
    kernel->ms += timing.ms;
    note_launch(trace, timing.ms);
    if (trace->sample.block_count)
        keep_sample(trace, kernel, kernel_info(launch->kernel));
    if (trace->watching) {
        spans_finish(trace->watching, room_for_one(MOST_SPANS - trace->spans, SPANS_SHOWN));
        trace->blocks += trace->watching->block_count;
        trace->spans += trace->watching->span_count;
    }
    trace->watching = NULL;
}

/* A trace. */

struct trace *trace_new(const struct machine *machine, struct timing *timing)
{
    struct trace *trace = observer_allocate(1, sizeof(*trace));

    trace->machine = machine;
    trace->timing = timing;
    trace->timeline = (struct timeline){trace, on_block, on_warp};
    trace->observer = (struct observer){
        .self = trace,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .instruction = on_instruction,
        .access = on_access,
        .fetch = on_fetch,
        .branch = on_branch,
        .barrier = on_barrier,
        .barrier_open = on_barrier_open,
        .product = on_product,
    };
    timing_draw(timing, &trace->timeline);
    return trace;
}

static void free_kernel(struct traced_kernel *kernel)
{
    for (size_t i = 0; i < kernel->line_count; i++)
        free(kernel->lines[i].ptx);
    for (size_t i = 0; i < kernel->site_count; i++)
        free(kernel->sites[i].text);
    for (size_t i = 0; i < kernel->record_count; i++) {
        free(kernel->records[i].text);
        free((void *)kernel->records[i].allocation_name);
    }
    free(kernel->lines);
    free(kernel->sites);
    free(kernel->records);
    free(kernel->record_sites);
    free(kernel->name);
    free(kernel->function);
    spans_free(&kernel->times);
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->kernel_count; i++)
        free_kernel(&trace->kernels[i]);
    for (int i = 0; i < trace->source_count; i++)
        free(trace->sources[i].path);
    free(trace->kernels);
    free(trace->sources);
    free(trace->launches);
    free(trace);
}

const struct observer *trace_observer(struct trace *trace)
{
    return &trace->observer;
}
