/* SPDX-License-Identifier: MIT */
#include "trace/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpus/passes.h"
#include "machine/observer_memory.h"
#include "machine/texture.h"

/* How often one warp has executed one instruction, and how many records of that were kept. */
struct visits {
    const struct ptx_instr *instr;
    uint64_t times;
    uint32_t kept;
};

/* Lanes of a warp that have come to a barrier. */
struct arrival {
    uint32_t warp, lanes;
    uint64_t clock;
};

enum { WIDEST = 32 }; /* bytes that a lane moves; more is a bulk copy */

/* Choose up to `most` of `count` things, evenly spread, with the first and the last among them.
 * Returns how many. */
static uint32_t spread(uint64_t count, uint32_t most, uint64_t *numbers)
{
    const uint32_t wanted = count < most ? (uint32_t)count : most;

    for (uint32_t i = 0; i < wanted; i++)
        numbers[i] = wanted > 1 ? i * (count - 1) / (wanted - 1) : 0;
    return wanted;
}

void sample_begin(struct sample *sample, const struct machine *machine, const struct timing *timing,
                  const struct launch *launch)
{
    uint64_t numbers[SAMPLE_BLOCKS > SAMPLE_WARPS ? SAMPLE_BLOCKS : SAMPLE_WARPS];

    *sample = (struct sample){
        .machine = machine,
        .timing = timing,
        .grid = launch->grid,
        .warps_a_block = dim_warps(launch->block),
    };
    sample->warp_count = spread(sample->warps_a_block, SAMPLE_WARPS, numbers);
    for (uint32_t i = 0; i < sample->warp_count; i++)
        sample->warp_numbers[i] = (uint32_t)numbers[i];
    sample->block_count = spread(dim_count(launch->grid), SAMPLE_BLOCKS, numbers);
    for (uint32_t i = 0; i < sample->block_count; i++)
        sample->blocks[i].number = numbers[i];
}

static void free_list(struct record_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->records[i].text);
    free(list->records);
}

void sample_end(struct sample *sample)
{
    for (uint32_t i = 0; i < sample->block_count; i++) {
        struct sampled_block *block = &sample->blocks[i];
        for (uint32_t w = 0; w < sample->warp_count; w++) {
            hash_table_free(&block->warps[w].visits);
            free_list(&block->warps[w].list);
        }
        for (int b = 0; b < SAMPLE_BARRIERS; b++)
            free(block->gatherings[b].arrivals);
        free_list(&block->list);
    }
    sample->block_count = 0;
}

static struct record *add_record(struct record_list *list, struct record record)
{
    MAKE_ROOM(list->records, list->count, list->room);
    list->records[list->count] = record;
    return &list->records[list->count++];
}

static struct sampled_block *find_block(struct sample *sample, struct dim index)
{
    const uint64_t number = dim_number(sample->grid, index);

    for (uint32_t i = 0; i < sample->block_count; i++)
        if (sample->blocks[i].number == number)
            return &sample->blocks[i];
    return NULL;
}

/* Keep the first few times, and later each time at which the count has doubled. */
static bool is_kept(uint64_t time)
{
    return time < SAMPLE_TIMES || ((time + 1) & time) == 0;
}

/* Begin a record of what `warp` does. Returns NULL if the warp is not in the sample, or this
 * time is not. */
static struct record *begin_record(struct sample *sample, const struct warp *warp,
                                   const struct ptx_instr *instr)
{
    const struct warp_id id = warp_id(warp);
    struct sampled_block *block = find_block(sample, id.block);
    uint32_t w = 0;

    while (block && w < sample->warp_count && sample->warp_numbers[w] != id.index)
        w++;
    if (!block || w == sample->warp_count)
        return NULL;
    struct visits *visits =
        hash_table_make(&block->warps[w].visits, sizeof(*visits), (uintptr_t)instr);
    const uint64_t time = visits->times++;
    if (!is_kept(time))
        return NULL;
    struct record record = {
        .instr = instr,
        .block = block->number,
        .warp = id.index,
        .time = time,
        .rank = visits->kept++,
    };
    record.has_clock = timing_event_clock(sample->timing, warp, &record.clock);
    return add_record(&block->warps[w].list, record);
}

static FILE *begin_text(struct record *record, size_t *length)
{
    FILE *file = open_memstream(&record->text, length);

    if (!file) {
        fputs("emu: no memory for a trace\n", stderr);
        abort();
    }
    return file;
}

/* Write a value for each of `lanes`: as start and step if all steps are the same, otherwise as a
 * list. */
static void print_lanes(FILE *file, const char *name, uint32_t lanes, const uint64_t *values)
{
    const uint32_t first = (uint32_t)__builtin_ctz(lanes);
    const uint32_t rest = lanes & (lanes - 1);
    const uint32_t second = rest ? (uint32_t)__builtin_ctz(rest) : first;
    const int64_t difference = (int64_t)(values[second] - values[first]);
    const int64_t step = rest ? difference / (second - first) : 0;
    bool is_run = step * (second - first) == difference;

    EACH_LANE(lane, lanes)
        is_run = is_run && (int64_t)(values[lane] - values[first]) == step * (lane - first);
    if (is_run) {
        fprintf(file, ",\"%s\":{\"from\":%" PRIu64 ",\"step\":%" PRId64 "}", name, values[first],
                step);
        return;
    }
    fprintf(file, ",\"%s\":[", name);
    EACH_LANE(lane, lanes)
        fprintf(file, "%s%" PRIu64, lane == first ? "" : ",", values[lane]);
    fputc(']', file);
}

/* Write addresses as offsets in their allocation. Where the allocation is in memory is not
 * shown, except for its position in a cache line. Sets what allocation the record touched.
 * Returns what was subtracted from the first lane's address. */
static uint64_t print_addresses(const struct sample *sample, struct record *record, FILE *file,
                                uint32_t lanes, const uint64_t *addresses)
{
    uint64_t offsets[WARP_SIZE] = {0}, numbers[WARP_SIZE] = {0}, base = 0;
    const struct allocation *allocation = NULL;
    bool one = true;

    EACH_LANE(lane, lanes) {
        if (!allocation || addresses[lane] < allocation->address ||
            addresses[lane] >= allocation->address + allocation->size)
            allocation = memory_find(sample->machine, addresses[lane], 1);
        if (!allocation) { /* no allocation has it: a fault */
            offsets[lane] = addresses[lane] % LINE_BYTES;
            continue;
        }
        offsets[lane] = addresses[lane] - allocation->address / LINE_BYTES * LINE_BYTES;
        numbers[lane] = allocation->number;
        if (!record->has_allocation) {
            record->has_allocation = true;
            record->allocation = allocation->number;
            record->allocation_size = allocation->size;
            record->allocation_name = allocation->name;
            base = addresses[lane] - offsets[lane];
        }
        one = one && allocation->number == record->allocation;
    }
    print_lanes(file, "at", lanes, offsets);
    if (!one)
        print_lanes(file, "in", lanes, numbers);
    return base;
}

static void print_global(const struct sample *sample, struct record *record, FILE *file,
                         const struct access_event *event)
{
    enum { MOST = 64 };
    const enum coalescing rule = machine_gpu(sample->machine)->coalescing;
    const struct traffic traffic = coalesce(rule, event->lanes, event->addresses, event->bytes);
    const uint64_t base = print_addresses(sample, record, file, event->lanes, event->addresses);
    struct piece pieces[MOST];

    fprintf(file, ",\"sectors\":%u,\"transactions\":%u,\"moved\":%u", traffic.sectors,
            traffic.transactions, traffic.moved);
    if (rule == COALESCE_SECTORS || event->bytes > WIDEST)
        return; /* the page finds the sectors itself */
    const int count =
        global_pieces(rule, event->lanes, event->addresses, event->bytes, pieces, MOST);
    for (int i = 0; i < count && i < MOST; i++)
        fprintf(file, "%s[%" PRIu64 ",%u]", i ? "," : ",\"pieces\":[", pieces[i].address - base,
                pieces[i].bytes);
    fputc(']', file);
}

static void print_shared(const struct sample *sample, FILE *file, const struct access_event *event)
{
    const struct gpu *gpu = machine_gpu(sample->machine);
    const bool load = event->kind == ACCESS_LOAD;
    const struct wavefronts wavefronts = bank_wavefronts(
        gpu->banks, gpu->bank_lanes, load, event->lanes, event->addresses, event->bytes);
    uint16_t passes[WARP_SIZE][PASS_WORDS];
    const uint32_t words = event->bytes <= BANK_BYTES ? 1 : event->bytes / BANK_BYTES;
    const char *before = ",\"passes\":[";

    print_lanes(file, "at", event->lanes, event->addresses);
    fprintf(file, ",\"wavefronts\":%u,\"ideal\":%u", wavefronts.total, wavefronts.ideal);
    if (wavefronts.total == 1 || words > PASS_WORDS)
        return;
    bank_passes(gpu->banks, gpu->bank_lanes, load, event->lanes, event->addresses, event->bytes,
                passes);
    for (int lane = 0; lane < WARP_SIZE; lane++)
        for (uint32_t w = 0; event->lanes >> lane & 1 && w < words; w++) {
            fprintf(file, "%s%u", before, passes[lane][w]);
            before = ",";
        }
    fputc(']', file);
}

void sample_access(struct sample *sample, uint32_t active, const struct access_event *event)
{
    static const char *const kinds[] = {"load", "store", "atomic"};
    size_t length;

    if (event->space == PTX_PARAM)
        return; /* in machine code they are operands */
    struct record *record = begin_record(sample, event->warp, event->instr);
    if (!record)
        return;
    FILE *file = begin_text(record, &length);
    fprintf(file, "\"what\":\"%s\",\"active\":%u,\"lanes\":%u,\"live\":%u,\"bytes\":%u",
            kinds[event->kind], active, event->lanes, warp_live(event->warp), event->bytes);
    if (event->copies)
        fputs(",\"copies\":true", file);
    switch (event->space) {
    case PTX_GLOBAL:
        fputs(",\"space\":\"global\"", file);
        print_global(sample, record, file, event);
        break;
    case PTX_SHARED:
        fprintf(file, ",\"space\":\"shared\"%s", event->remote ? ",\"remote\":true" : "");
        print_shared(sample, file, event);
        break;
    case PTX_LOCAL:
        fputs(",\"space\":\"local\"", file);
        print_lanes(file, "at", event->lanes, event->addresses);
        fprintf(file, ",\"sectors\":%u",
                local_sectors(event->lanes, event->addresses, event->bytes));
        break;
    default:
        fputs(",\"space\":\"constant\"", file);
        print_addresses(sample, record, file, event->lanes, event->addresses);
        fprintf(file, ",\"passes\":%u", distinct_addresses(event->lanes, event->addresses));
    }
    fclose(file);
}

void sample_fetch(struct sample *sample, uint32_t active, const struct fetch_event *event)
{
    struct record *record = begin_record(sample, event->warp, event->instr);
    uint64_t sectors[FETCH_SECTORS];
    size_t length;

    if (!record)
        return;
    FILE *file = begin_text(record, &length);
    fprintf(file,
            "\"what\":\"fetch\",\"space\":\"texture\",\"active\":%u,\"lanes\":%u,\"live\":%u,"
            "\"bytes\":%u,\"sectors\":%u,\"taps\":[",
            active, event->lanes, warp_live(event->warp), event->bytes,
            fetch_sectors(event, sectors));
    for (int tap = 0, told = 0; tap < event->tap_count; tap++) {
        const uint32_t lanes = event->taps[tap].lanes;
        if (!lanes)
            continue;
        fprintf(file, "%s{\"lanes\":%u", told++ ? "," : "", lanes);
        print_addresses(sample, record, file, lanes, event->taps[tap].addresses);
        fputc('}', file);
    }
    fputc(']', file);
    fclose(file);
}

void sample_branch(struct sample *sample, const struct branch_event *event)
{
    struct record *record = begin_record(sample, event->warp, event->instr);
    size_t length;

    if (!record)
        return;
    FILE *file = begin_text(record, &length);
    fprintf(file, "\"what\":\"branch\",\"active\":%u,\"taken\":%u,\"live\":%u", event->active,
            event->taken, warp_live(event->warp));
    fclose(file);
}

/* A barrier belongs to the whole block, so here all of its warps count, not only those in the
 * sample. */
void sample_barrier(struct sample *sample, const struct barrier_event *event)
{
    const struct warp_id id = warp_id(event->warp);
    struct sampled_block *block = find_block(sample, id.block);
    struct arrival arrival = {id.index, event->lanes, 0};
    struct record record = {.instr = event->instr};

    if (!block || event->of_warp)
        return;
    struct gathering *gathering = &block->gatherings[event->number];
    if (!is_kept(gathering->opened))
        return;
    record.has_clock = timing_event_clock(sample->timing, event->warp, &arrival.clock);
    record.block = block->number;
    record.warp = id.index;
    record.clock = arrival.clock;
    if (gathering->count == 0)
        gathering->record = record;
    MAKE_ROOM(gathering->arrivals, gathering->count, gathering->room);
    gathering->arrivals[gathering->count++] = arrival;
}

void sample_barrier_open(struct sample *sample, const struct barrier_open_event *event)
{
    struct sampled_block *block = find_block(sample, event->block);
    size_t length;

    if (!block || event->number >= SAMPLE_BARRIERS)
        return;
    struct gathering *gathering = &block->gatherings[event->number];
    const uint64_t time = gathering->opened++;
    if (gathering->count == 0)
        return;
    struct record *record = add_record(&block->list, gathering->record);
    record->time = time;
    record->rank = (uint32_t)(time < SAMPLE_TIMES ? time : 64 - (uint64_t)__builtin_clzll(time));
    FILE *file = begin_text(record, &length);
    fprintf(file, "\"what\":\"barrier\",\"number\":%d,\"arrivals\":[", event->number);
    for (size_t i = 0; i < gathering->count; i++) {
        const struct arrival *arrival = &gathering->arrivals[i];
        fprintf(file, "%s[%u,%u", i ? "," : "", arrival->warp, arrival->lanes);
        if (record->has_clock)
            fprintf(file, ",%" PRIu64, arrival->clock);
        fputc(']', file);
    }
    fputc(']', file);
    fclose(file);
    gathering->count = 0;
}

static int compare(const void *a, const void *b)
{
    const struct record *left = a, *right = b;

    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (left->block != right->block)
        return left->block < right->block ? -1 : 1;
    if (left->warp != right->warp)
        return left->warp < right->warp ? -1 : 1;
    if (left->instr != right->instr) /* of one function, or of functions in the order of its text */
        return left->instr->line < right->instr->line ? -1 : 1;
    return left->time < right->time ? -1 : left->time > right->time;
}

struct record *sample_records(const struct sample *sample, size_t *count)
{
    struct record *all;
    size_t room = 1;

    for (uint32_t b = 0; b < sample->block_count; b++) {
        room += sample->blocks[b].list.count;
        for (uint32_t w = 0; w < sample->warp_count; w++)
            room += sample->blocks[b].warps[w].list.count;
    }
    all = observer_allocate(room, sizeof(*all));
    *count = 0;
    for (uint32_t b = 0; b < sample->block_count; b++) {
        const struct sampled_block *block = &sample->blocks[b];
        for (uint32_t w = 0; w <= sample->warp_count; w++) {
            const struct record_list *list =
                w < sample->warp_count ? &block->warps[w].list : &block->list;
            if (list->count)
                memcpy(&all[*count], list->records, list->count * sizeof(*all));
            *count += list->count;
        }
    }
    qsort(all, *count, sizeof(*all), compare);
    return all;
}
