/* SPDX-License-Identifier: MIT */
/* Finds the source lines of instructions. */
#include <string.h>

#include "machine/observer_memory.h"
#include "trace/parts.h"

static bool is_cuda(const char *path)
{
    const char *suffix = strrchr(path, '.');

    return suffix && (!strcmp(suffix, ".cu") || !strcmp(suffix, ".cuh"));
}

static int find_source(struct trace *trace, const char *path, bool is_ptx)
{
    for (int i = 0; i < trace->source_count; i++)
        if (trace->sources[i].is_ptx == is_ptx && !strcmp(trace->sources[i].path, path))
            return i;

    trace->sources =
        observer_grow(trace->sources, (size_t)trace->source_count + 1, sizeof(*trace->sources));
    trace->sources[trace->source_count] = (struct source){observer_copy(path), is_ptx};
    return trace->source_count++;
}

struct source_line source_line_of(struct trace *trace, const struct kernel_info *info,
                                  const struct ptx_instr *instr)
{
    const struct ptx_module *module = info->module;
    const int own = ptx_file_of(module, info->function);

    if (own < 0)
        return (struct source_line){find_source(trace, info->function->name, true), instr->line};
    for (int at = instr->location; at >= 0; at = module->locations[at].inlined_at) {
        const struct ptx_location *location = &module->locations[at];
        if (location->file == own || is_cuda(module->files[location->file]))
            return (struct source_line){find_source(trace, module->files[location->file], false),
                                        location->line};
    }
    return (struct source_line){find_source(trace, module->files[own], false), 0};
}
