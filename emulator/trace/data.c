/* SPDX-License-Identifier: MIT */
/* The data of the page: one JSON object on one line.
 *
 *   {"program", "gpu": {...}, "model": {"name"}, "counters": [keys],
 *    "sources": [{"path", "ptx", "text": [lines] or null}],
 *    "kernels": [{"name", "function", "signature", "grid", "block", "shared_bytes", "launches",
 *      "failed_launches",
 *      "totals": {key: n}, as the profile has them, those that are not 0,
 *      "lines": [[source, number, [n of these], PTX]],
 *      "sampled": {"blocks", "of_blocks", "warps", "of_warps", "records", "of_records"},
 *      "sites": [[source, number, text, target, next, meet]],
 *      "records": [{"site", "block", "warp", "time", "clock", "allocation", ... see sample.c}],
 *      "allocations": {number: [bytes, name]},
 *      "timing": {...}, "times": {...}}]}
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/machine.h"
#include "trace/parts.h"

enum { MOST_SOURCE_BYTES = 256 << 10, MOST_SOURCES_BYTES = 1 << 20, MOST_KERNELS = 200 };

/* Sources. */

/* Is there room for this file? If so, its bytes are added to `used`. */
static bool has_room(const char *path, long *used)
{
    struct stat status;

    if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size > MOST_SOURCE_BYTES ||
        *used + status.st_size > MOST_SOURCES_BYTES)
        return false;
    *used += status.st_size;
    return true;
}

/* Write the lines of the file, or null if it cannot be read or is too long. */
static void write_source_text(const char *path, long *used, FILE *file)
{
    FILE *source = has_room(path, used) ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool first = true;

    if (!source) {
        fputs("null", file);
        return;
    }
    fputc('[', file);
    while ((length = getline(&line, &room, source)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            length--;
        if (!first)
            fputc(',', file);
        first = false;
        write_string(line, (size_t)length, file);
    }
    fputc(']', file);
    free(line);
    fclose(source);
}

/* The name of the file and the folder it is in. More of the path is not shown, since it would
 * tell where the checkout is. */
static const char *short_path(const char *path)
{
    const char *name = strrchr(path, '/');

    while (name && name > path && name[-1] != '/')
        name--;
    return name ? name : path;
}

static void write_sources(const struct trace *trace, FILE *file)
{
    long used = 0;

    fputs("\"sources\":[", file);
    for (int i = 0; i < trace->source_count; i++) {
        const struct source *source = &trace->sources[i];
        fprintf(file, "%s{\"path\":", i ? "," : "");
        write_text(source->is_ptx ? source->path : short_path(source->path), file);
        fprintf(file, ",\"ptx\":%s,\"text\":", source->is_ptx ? "true" : "false");
        if (source->is_ptx)
            fputs("null", file);
        else
            write_source_text(source->path, &used, file);
        fputc('}', file);
    }
    fputc(']', file);
}

/* Kernels. */

static void write_counters(FILE *file)
{
    fputs("\"counters\":[", file);
    for (int c = 0; c < PROFILE_COUNTER_COUNT; c++)
        fprintf(file, "%s\"%s\"", c ? "," : "", count_key((enum profile_counter)c));
    fputc(']', file);
}

static void write_dim(const char *name, struct dim dim, FILE *file)
{
    fprintf(file, ",\"%s\":[%u,%u,%u]", name, dim.x, dim.y, dim.z);
}

/* Write the counters that are not 0, and their totals. */
static void write_totals(const uint64_t *n, FILE *file)
{
    const char *before = ",\"totals\":{";

    for (int c = 0; c < PROFILE_COUNTER_COUNT; c++) {
        if (!n[c])
            continue;
        fprintf(file, "%s\"%s\":%" PRIu64, before, count_key((enum profile_counter)c), n[c]);
        before = ",";
    }
    fputs(strlen(before) > 1 ? ",\"totals\":{}" : "}", file);
}

/* Write the same counters, in the same order, for each line. */
static void write_lines(const struct traced_kernel *kernel, FILE *file)
{
    fputs(",\"lines\":[", file);
    for (size_t i = 0; i < kernel->line_count; i++) {
        const char *before = "";
        const struct traced_line *line = &kernel->lines[i];
        fprintf(file, "%s[%d,%d,[", i ? "," : "", line->source, line->number);
        for (int c = 0; c < PROFILE_COUNTER_COUNT; c++) {
            if (!kernel->n[c])
                continue;
            fprintf(file, "%s%" PRIu64, before, line->n[c]);
            before = ",";
        }
        fputc(']', file);
        if (line->ptx) {
            fputc(',', file);
            write_text(line->ptx, file);
        }
        fputc(']', file);
    }
    fputc(']', file);
}

static void write_sampled(const struct traced_kernel *kernel, FILE *file)
{
    fputs(",\"sampled\":{\"blocks\":[", file);
    for (uint32_t i = 0; i < kernel->sampled_block_count; i++)
        fprintf(file, "%s%" PRIu64, i ? "," : "", kernel->sampled_blocks[i]);
    fprintf(file, "],\"of_blocks\":%" PRIu64 ",\"warps\":[", dim_count(kernel->grid));
    for (uint32_t i = 0; i < kernel->sampled_warp_count; i++)
        fprintf(file, "%s%u", i ? "," : "", kernel->sampled_warps[i]);
    fprintf(file, "],\"of_warps\":%u,\"records\":%zu,\"of_records\":%zu}", dim_warps(kernel->block),
            kernel->record_count, kernel->record_count + kernel->records_left_out);
}

static void write_sites(const struct traced_kernel *kernel, FILE *file)
{
    fputs(",\"sites\":[", file);
    for (size_t i = 0; i < kernel->site_count; i++) {
        const struct site *site = &kernel->sites[i];
        fprintf(file, "%s[%d,%d,", i ? "," : "", site->source, site->number);
        write_text(site->text, file);
        fprintf(file, ",%d,%d,%d]", site->target, site->next, site->meet);
    }
    fputc(']', file);
}

static void write_records(const struct traced_kernel *kernel, FILE *file)
{
    fputs(",\"records\":[", file);
    for (size_t i = 0; i < kernel->record_count; i++) {
        const struct record *record = &kernel->records[i];
        fprintf(file, "%s{\"site\":%d,\"block\":%" PRIu64 ",\"warp\":%u,\"time\":%" PRIu64,
                i ? "," : "", kernel->record_sites[i], record->block, record->warp, record->time);
        if (record->has_clock)
            fprintf(file, ",\"clock\":%" PRIu64, record->clock);
        if (record->has_allocation)
            fprintf(file, ",\"allocation\":%" PRIu64, record->allocation);
        fprintf(file, ",%s}", record->text);
    }
    fputc(']', file);
}

/* Write each allocation once, when the first record that touched it comes. */
static void write_allocations(const struct traced_kernel *kernel, FILE *file)
{
    const char *before = ",\"allocations\":{";

    for (size_t i = 0; i < kernel->record_count; i++) {
        const struct record *record = &kernel->records[i];
        bool is_new = record->has_allocation;
        for (size_t k = 0; is_new && k < i; k++)
            is_new = !kernel->records[k].has_allocation ||
                     kernel->records[k].allocation != record->allocation;
        if (!is_new)
            continue;
        fprintf(file, "%s\"%" PRIu64 "\":[%zu,", before, record->allocation,
                record->allocation_size);
        write_text(record->allocation_name, file);
        fputc(']', file);
        before = ",";
    }
    fputs(strlen(before) > 1 ? ",\"allocations\":{}" : "}", file);
}

static void write_timing(const struct traced_kernel *kernel, FILE *file)
{
    const struct timing_launch *timing = &kernel->timing;

    fprintf(file,
            ",\"timing\":{\"ms\":%.9g,\"all_ms\":%.9g,\"resident_blocks\":%d,\"occupancy\":%.6g,"
            "\"limit\":\"%s\"}",
            timing->ms, kernel->ms, timing->resident_blocks, timing->occupancy,
            timing_limit_name(timing->limit));
}

static void write_bins(const struct launch_spans *times, FILE *file)
{
    int last = SPAN_BINS;

    while (last > 0) {
        uint64_t sum = 0;
        for (int state = 0; state < TIMELINE_STATE_COUNT; state++)
            sum += times->bins[last - 1][state];
        if (sum)
            break;
        last--;
    }
    fprintf(file, ",\"bin_clocks\":%" PRIu64 ",\"bins\":[", times->bin_clocks);
    for (int bin = 0; bin < last; bin++) {
        fputs(bin ? ",[" : "[", file);
        for (int state = 0; state < TIMELINE_STATE_COUNT; state++)
            fprintf(file, "%s%" PRIu64, state ? "," : "", times->bins[bin][state]);
        fputc(']', file);
    }
    fputc(']', file);
}

static void write_times(const struct launch_spans *times, FILE *file)
{
    if (!times->sms) {
        fputs(",\"times\":null", file);
        return;
    }
    fprintf(file,
            ",\"times\":{\"clocks\":%" PRIu64 ",\"sms_shown\":%d,\"sms\":%d,"
            "\"blocks_left_out\":%zu,\"blocks\":[",
            times->clocks, times->sms_shown, times->sms, times->blocks_left_out);
    for (size_t i = 0; i < times->block_count; i++) {
        const struct block_span *block = &times->blocks[i];
        fprintf(file, "%s[%d,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "", block->sm,
                block->slot, block->number, block->begin, block->end);
    }
    fprintf(file, "],\"sm\":%d,\"spans_until\":%" PRIu64 ",\"spans\":[", TIMELINE_SM,
            times->spans_until);
    for (size_t i = 0; i < times->span_count; i++) {
        const struct warp_span *span = &times->spans[i];
        fprintf(file, "%s[%d,%" PRIu64 ",%u,%d,%" PRIu64 ",%" PRIu64 "]", i ? "," : "", span->slot,
                span->number, span->warp, (int)span->state, span->begin, span->end);
    }
    fputc(']', file);
    write_bins(times, file);
    fputc('}', file);
}

/* What tells C++ names: the program's C++ library, or the system's where the program has none or
 * hides its own, as a static one; or NULL. */
static void *find_demangler(void)
{
    static const char name[] = "__cxa_demangle";
    void *const symbol = dlsym(RTLD_DEFAULT, name);
    void *const library = symbol ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY);

    return library ? dlsym(library, name) : symbol;
}

/* Write the C++ name of a function, with its template arguments; null where nobody can tell it. */
static void write_signature(const char *function, FILE *file)
{
    void *const symbol = find_demangler();
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
    char *signature = NULL;
    int status;

    memcpy(&demangle, &symbol, sizeof(demangle));
    if (demangle)
        signature = demangle(function, NULL, NULL, &status);
    fputs(",\"signature\":", file);
    if (signature)
        write_text(signature, file);
    else
        fputs("null", file);
    free(signature);
}

static void write_kernel(const struct traced_kernel *kernel, bool with_lines, FILE *file)
{
    fputs("{\"name\":", file);
    write_text(kernel->name, file);
    fputs(",\"function\":", file);
    write_text(kernel->function, file);
    write_signature(kernel->function, file);
    write_dim("grid", kernel->grid, file);
    write_dim("block", kernel->block, file);
    fprintf(file, ",\"shared_bytes\":%zu,\"launches\":%" PRIu64 ",\"failed_launches\":%" PRIu64,
            kernel->shared_bytes, kernel->launches, kernel->failed);
    write_totals(kernel->n, file);
    if (with_lines)
        write_lines(kernel, file);
    else
        fputs(",\"lines\":[]", file);
    write_sampled(kernel, file);
    write_sites(kernel, file);
    write_records(kernel, file);
    write_allocations(kernel, file);
    write_timing(kernel, file);
    write_times(&kernel->times, file);
    fputc('}', file);
}

static void write_gpu(const struct gpu *gpu, FILE *file)
{
    static const char *const rules[] = {
        [COALESCE_SECTORS] = "sectors",
        [COALESCE_HALF_WARP] = "half_warp",
        [COALESCE_SEGMENTS] = "segments",
    };

    fputs("\"gpu\":{\"name\":", file);
    write_text(gpu->name, file);
    fprintf(file,
            ",\"compute\":\"%d.%d\",\"sms\":%d,\"banks\":%d,\"bank_lanes\":%d,\"rule\":\"%s\","
            "\"clock_khz\":%d,\"threads_per_sm\":%d}",
            gpu->major, gpu->minor, gpu->multiprocessors, gpu->banks, gpu->bank_lanes,
            rules[gpu->coalescing], gpu->clock_khz, gpu->max_threads_per_sm);
}

void write_data(const struct trace *trace, const char *program, FILE *file)
{
    fputs("{\"program\":", file);
    write_text(program, file);
    fputc(',', file);
    write_gpu(machine_gpu(trace->machine), file);
    fputs(",\"model\":{\"name\":", file);
    write_text(timing_model_name(trace->timing), file);
    fputs("},", file);
    write_counters(file);
    fputc(',', file);
    write_sources(trace, file);
    fputs(",\"kernels\":[", file);
    for (size_t i = 0; i < trace->kernel_count; i++) {
        if (i)
            fputc(',', file);
        write_kernel(&trace->kernels[i], i < MOST_KERNELS, file);
    }
    fputs("]}", file);
}
