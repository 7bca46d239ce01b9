/* SPDX-License-Identifier: MIT */
/* Makes the text of the file, which is either the page with its data or the events. */
#include <stdlib.h>
#include <string.h>

#include "trace/parts.h"

/* page/page.html with its style and its scripts in it, put together by CMake. */
static const unsigned char page[] = {
#include "trace_page.inc"
    0};

static void write_page(const struct trace *trace, const char *program, FILE *file)
{
    static const char marker[] = "@DATA@";
    const char *text = (const char *)page;
    const char *data = strstr(text, marker);

    fwrite(text, 1, (size_t)(data - text), file);
    write_data(trace, program, file);
    fputs(data + strlen(marker), file);
}

char *trace_text(const struct trace *trace, enum trace_format format, const char *program,
                 size_t *length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, length);

    if (!file)
        return NULL;
    if (format == TRACE_PAGE)
        write_page(trace, program, file);
    else
        write_events(trace, program, file);
    if (fclose(file)) {
        free(text);
        return NULL;
    }
    return text;
}
