/* SPDX-License-Identifier: MIT */
#include "profile/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/observer_memory.h"
#include "profile/count.h"

/* One worker's counts of the launch under way. */
struct worker_lines {
    _Alignas(64) struct hash_table counted;
};

struct line {
    int number;
    uint64_t n[PROFILE_COUNTER_COUNT];
};

struct kernel_lines {
    char *name, *path; /* path: NULL, its lines are of the PTX */
    struct line *lines; /* by number */
    size_t count, room;
};

struct lines {
    struct gpu gpu;
    struct worker_lines *workers;
    int worker_count;
    struct kernel_lines *kernels;
    size_t kernel_count;
};

static uint64_t *counts_of(const struct lines *lines, int worker, const struct ptx_instr *instr)
{
    return count_by_instr(&lines->workers[worker].counted, instr);
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
    count_instruction(counts_of(self, event->worker, event->instr), event);
}

static void on_access(void *self, const struct access_event *event)
{
    const struct lines *lines = self;

    count_access(counts_of(lines, event->worker, event->instr), event);
}

static void on_fetch(void *self, const struct fetch_event *event)
{
    count_fetch(counts_of(self, event->worker, event->instr), event);
}

static void on_product(void *self, const struct collective_event *event)
{
    counts_of(self, event->worker, event->instr)[PROFILE_TENSOR_INSTRUCTIONS]++;
}

/* Folding instructions into lines. */

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

static uint64_t *find_line(struct kernel_lines *kernel, int number)
{
    size_t at = 0;

    while (at < kernel->count && kernel->lines[at].number < number)
        at++;
    if (at < kernel->count && kernel->lines[at].number == number)
        return kernel->lines[at].n;
    MAKE_ROOM(kernel->lines, kernel->count, kernel->room);
    memmove(kernel->lines + at + 1, kernel->lines + at,
            (kernel->count - at) * sizeof(*kernel->lines));
    kernel->lines[at] = (struct line){.number = number};
    kernel->count++;
    return kernel->lines[at].n;
}

static void on_launch_end(void *self, const struct launch *launch, const struct fault *fault)
{
    struct lines *lines = self;
    const struct kernel_info *info = kernel_info(launch->kernel);
    const int file = ptx_file_of(info->module, info->function);
    struct kernel_lines *kernel =
        find_kernel(lines, info->name, file >= 0 ? info->module->files[file] : NULL);
    (void)fault;

    for (int w = 0; w < lines->worker_count; w++) {
        struct hash_table *table = &lines->workers[w].counted;
        for (size_t i = 0; i < table->room; i++) {
            const struct instr_counts *counts = hash_table_at(table, sizeof(*counts), i);
            if (counts->instr)
                count_add(find_line(kernel, line_of(info->module, counts->instr, file)), counts->n);
        }
        hash_table_free(table);
    }
    free(lines->workers);
    lines->workers = NULL;
}

struct lines *lines_new(struct machine *machine)
{
    struct lines *lines = observer_allocate(1, sizeof(*lines));

    lines->gpu = *machine_gpu(machine);
    const struct observer observer = {
        .self = lines,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .instruction = on_instruction,
        .access = on_access,
        .fetch = on_fetch,
        .product = on_product,
    };
    machine_observe(machine, &observer);
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

/* Printing. */

static void print_ratio(uint64_t over, uint64_t under, FILE *file)
{
    if (under)
        fprintf(file, " %8.2f", (double)over / (double)under);
    else
        fprintf(file, " %8s", "");
}

static void print_counts(uint64_t *n, FILE *file)
{
    count_totals(n);
    fprintf(file, " %12" PRIu64, n[PROFILE_WARP_INSTRUCTIONS]);
    print_ratio(n[PROFILE_THREAD_INSTRUCTIONS], n[PROFILE_WARP_INSTRUCTIONS], file);
    print_ratio(n[PROFILE_GLOBAL_SECTORS] + n[PROFILE_TEXTURE_SECTORS],
                n[PROFILE_GLOBAL_LOADS] + n[PROFILE_GLOBAL_STORES] + n[PROFILE_GLOBAL_ATOMICS] +
                    n[PROFILE_TEXTURE_FETCHES],
                file);
    if (n[PROFILE_SHARED_WAVEFRONTS])
        fprintf(file, " %10" PRIu64, n[PROFILE_SHARED_CONFLICTS]);
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
            print_counts(kernel->lines[next++].n, file);
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
        print_counts(kernel->lines[0].n, file);
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
        print_counts(kernel->lines[i].n, file);
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
