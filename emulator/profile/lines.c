/* SPDX-License-Identifier: MIT */
#include "profile/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/hash_table.h"
#include "machine/machine.h"
#include "machine/observer_memory.h"
#include "machine/texture.h"
#include "gpus/coalesce.h"

struct counts {
    uint64_t instructions, threads; /* warps', lanes' that the guard let through */
    uint64_t requests, sectors; /* of global memory and of textures */
    uint64_t wavefronts, ideal; /* of shared memory */
};

struct counted {
    const struct ptx_instr *instr;
    struct counts counts;
};

/* One worker's counts of the launch under way. */
struct worker_lines {
    _Alignas(64) struct hash_table counted;
};

struct line {
    int number;
    struct counts counts;
};

struct kernel_lines {
    char *name, *path; /* path: NULL, its lines are of the PTX */
    struct line *lines; /* by number */
    size_t count, room;
};

struct lines {
    struct observer observer;
    struct gpu gpu;
    struct worker_lines *workers;
    int worker_count;
    struct kernel_lines *kernels;
    size_t kernel_count;
};

static struct counts *counts_of(struct worker_lines *worker, const struct ptx_instr *instr)
{
    struct counted *counted = hash_table_make(&worker->counted, sizeof(*counted), (uintptr_t)instr);

    return &counted->counts;
}

/* Events. */

static void on_launch_begin(void *self, const struct launch *launch)
{
    struct lines *lines = self;

    lines->workers = observer_allocate((size_t)launch->workers, sizeof(*lines->workers));
    lines->worker_count = launch->workers;
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    struct lines *lines = self;
    struct counts *counts = counts_of(&lines->workers[event->worker], event->instr);

    counts->instructions++;
    counts->threads += (uint64_t)__builtin_popcount(event->executing);
}

static void on_access(void *self, const struct access_event *event)
{
    struct lines *lines = self;
    struct counts *counts = counts_of(&lines->workers[event->worker], event->instr);

    if (event->space == PTX_GLOBAL) {
        const struct traffic traffic =
            coalesce(lines->gpu.coalescing, event->lanes, event->addresses, event->bytes);
        counts->requests++;
        counts->sectors += traffic.sectors;
    } else if (event->space == PTX_SHARED) {
        const struct wavefronts wavefronts =
            bank_wavefronts(lines->gpu.banks, lines->gpu.bank_lanes, event->kind == ACCESS_LOAD,
                            event->lanes, event->addresses, event->bytes);
        counts->wavefronts += wavefronts.total;
        counts->ideal += wavefronts.ideal;
    }
}

static void on_fetch(void *self, const struct fetch_event *event)
{
    struct lines *lines = self;
    struct counts *counts = counts_of(&lines->workers[event->worker], event->instr);
    uint64_t sectors[FETCH_SECTORS];

    counts->requests++;
    counts->sectors += fetch_sectors(event, sectors);
}

/* Folding instructions into lines. */

/* The file a kernel is written in: of the outermost place of its first instruction with one. */
static int file_of(const struct ptx_module *module, const struct ptx_function *function)
{
    for (int i = 0; i < function->instr_count; i++) {
        int at = function->instrs[i].location;
        while (at >= 0 && module->locations[at].inlined_at >= 0)
            at = module->locations[at].inlined_at;
        if (at >= 0)
            return module->locations[at].file;
    }
    return -1;
}

/* The innermost line of `file` that led to `instr`; else the outermost. */
static int line_of(const struct ptx_module *module, const struct ptx_instr *instr, int file)
{
    int at = instr->location;

    if (file < 0 || at < 0)
        return file < 0 ? instr->line : 0;
    while (module->locations[at].file != file && module->locations[at].inlined_at >= 0)
        at = module->locations[at].inlined_at;
    return module->locations[at].file == file ? module->locations[at].line : 0;
}

static struct kernel_lines *find_kernel(struct lines *lines, const char *name, const char *path)
{
    for (size_t i = 0; i < lines->kernel_count; i++)
        if (strcmp(lines->kernels[i].name, name) == 0 &&
            (path ? lines->kernels[i].path && strcmp(lines->kernels[i].path, path) == 0
                  : !lines->kernels[i].path))
            return &lines->kernels[i];
    lines->kernels =
        observer_grow(lines->kernels, lines->kernel_count + 1, sizeof(*lines->kernels));
    lines->kernels[lines->kernel_count] = (struct kernel_lines){
        .name = observer_copy(name), .path = path ? observer_copy(path) : NULL};
    return &lines->kernels[lines->kernel_count++];
}

static struct counts *find_line(struct kernel_lines *kernel, int number)
{
    size_t at = 0;

    while (at < kernel->count && kernel->lines[at].number < number)
        at++;
    if (at < kernel->count && kernel->lines[at].number == number)
        return &kernel->lines[at].counts;
    MAKE_ROOM(kernel->lines, kernel->count, kernel->room);
    memmove(kernel->lines + at + 1, kernel->lines + at,
            (kernel->count - at) * sizeof(*kernel->lines));
    kernel->lines[at] = (struct line){.number = number};
    kernel->count++;
    return &kernel->lines[at].counts;
}

static void add(struct counts *sum, const struct counts *more)
{
    sum->instructions += more->instructions;
    sum->threads += more->threads;
    sum->requests += more->requests;
    sum->sectors += more->sectors;
    sum->wavefronts += more->wavefronts;
    sum->ideal += more->ideal;
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct lines *lines = self;
    const struct kernel_info *info = kernel_info(launch->kernel);
    const int file = file_of(info->module, info->function);
    struct kernel_lines *kernel =
        find_kernel(lines, info->name, file >= 0 ? info->module->files[file] : NULL);
    (void)fault;

    for (int w = 0; w < lines->worker_count; w++) {
        struct hash_table *table = &lines->workers[w].counted;
        for (size_t i = 0; i < table->room; i++) {
            const struct counted *counted = hash_table_at(table, sizeof(*counted), i);
            if (counted->instr)
                add(find_line(kernel, line_of(info->module, counted->instr, file)),
                    &counted->counts);
        }
        hash_table_free(table);
    }
    free(lines->workers);
    lines->workers = NULL;
}

struct lines *lines_new(const struct machine *machine)
{
    struct lines *lines = observer_allocate(1, sizeof(*lines));

    lines->gpu = *machine_gpu(machine);
    lines->observer = (struct observer){
        .self = lines,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .instruction = on_instruction,
        .access = on_access,
        .fetch = on_fetch,
    };
    return lines;
}

void lines_free(struct lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->kernel_count; i++) {
        free(lines->kernels[i].name);
        free(lines->kernels[i].path);
        free(lines->kernels[i].lines);
    }
    free(lines->kernels);
    free(lines);
}

const struct observer *lines_observer(struct lines *lines)
{
    return &lines->observer;
}

/* Printing. */

static void print_ratio(uint64_t over, uint64_t under, FILE *file)
{
    if (under)
        fprintf(file, " %8.2f", (double)over / (double)under);
    else
        fprintf(file, " %8s", "");
}

static void print_counts(const struct counts *counts, FILE *file)
{
    fprintf(file, " %12" PRIu64, counts->instructions);
    print_ratio(counts->threads, counts->instructions, file);
    print_ratio(counts->sectors, counts->requests, file);
    if (counts->wavefronts)
        fprintf(file, " %10" PRIu64, counts->wavefronts - counts->ideal);
    else
        fprintf(file, " %10s", "");
}

/* Lines between the kernel's first and last that have no counts, and the text of all. */
static void print_source(const struct kernel_lines *kernel, FILE *source, FILE *file)
{
    char *text = NULL;
    size_t room = 0, next = 0;
    int number = 0;

    while (next < kernel->count && kernel->lines[next].number == 0)
        next++;
    if (next == kernel->count)
        return;
    const int first = kernel->lines[next].number;
    while (next < kernel->count && getline(&text, &room, source) >= 0) {
        if (++number < first)
            continue;
        text[strcspn(text, "\n")] = '\0';
        fprintf(file, "%5d", number);
        if (kernel->lines[next].number == number)
            print_counts(&kernel->lines[next++].counts, file);
        else
            fprintf(file, " %12s %8s %8s %10s", "", "", "", "");
        fprintf(file, "  %s\n", text);
    }
    free(text);
}

static void print_kernel(const struct kernel_lines *kernel, FILE *file)
{
    FILE *source = kernel->path ? fopen(kernel->path, "r") : NULL;

    fprintf(file, "%s, %s\n", kernel->name, kernel->path ? kernel->path : "PTX");
    fprintf(file, "%5s %12s %8s %8s %10s\n", "line", "warp instr.", "lanes", "sectors",
            "conflicts");
    if (kernel->count && kernel->lines[0].number == 0) {
        fprintf(file, "%5s", "-");
        print_counts(&kernel->lines[0].counts, file);
        fputs("  (no line of this file)\n", file);
    }
    if (source) {
        print_source(kernel, source, file);
        fclose(source);
        return;
    }
    for (size_t i = 0; i < kernel->count; i++) {
        if (kernel->lines[i].number == 0)
            continue;
        fprintf(file, "%5d", kernel->lines[i].number);
        print_counts(&kernel->lines[i].counts, file);
        fputc('\n', file);
    }
}

void lines_print(struct lines *lines, FILE *file)
{
    fprintf(file,
            "profile by line on %s (PTX instructions; active lanes, sectors per global "
            "request)\n",
            lines->gpu.name);
    if (lines->kernel_count == 0)
        fputs("no kernel was launched\n", file);
    for (size_t i = 0; i < lines->kernel_count; i++)
        print_kernel(&lines->kernels[i], file);
}
