/* SPDX-License-Identifier: MIT */
/* The line of the source that an instruction is of. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptx.h"

const char *ptx_short_path(const char *path)
{
    char here[PATH_MAX];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length && strncmp(path, here, length) == 0 && path[length] == '/')
        return path + length + (strncmp(path + length, "/./", 3) ? 1 : 3);
    const char *start = path;
    int slashes = 0;
    for (const char *c = path + strlen(path); c > path && slashes < 2; c--) {
        if (c[-1] == '/' && ++slashes == 2)
            start = c;
    }
    return start;
}

char *ptx_where(const struct ptx_module *module, const struct ptx_instr *instr, bool outermost,
                char *buffer, size_t size)
{
    const struct ptx_location *location = NULL;
    if (instr->location >= 0)
        location = &module->locations[instr->location];
    while (location && outermost && location->inlined_at >= 0)
        location = &module->locations[location->inlined_at];
    if (location && location->file < module->file_count && module->files[location->file])
        snprintf(buffer, size, "%s:%d", ptx_short_path(module->files[location->file]),
                 location->line);
    else
        snprintf(buffer, size, "PTX line %d", instr->line);
    return buffer;
}

void ptx_source_line(const struct ptx_module *module, const struct ptx_instr *instr,
                     char line[PTX_SOURCE_LINE_SIZE])
{
    const bool inlined = instr->location >= 0 && module->locations[instr->location].inlined_at >= 0;
    char inner[PTX_SOURCE_LINE_SIZE / 2 - 8], outer[PTX_SOURCE_LINE_SIZE / 2 - 8];

    ptx_where(module, instr, false, inner, sizeof inner);
    ptx_where(module, instr, true, outer, sizeof outer);
    if (inlined && strcmp(inner, outer) != 0)
        snprintf(line, PTX_SOURCE_LINE_SIZE, "%s, inlined at %s", inner, outer);
    else
        snprintf(line, PTX_SOURCE_LINE_SIZE, "%s", inner);
}
