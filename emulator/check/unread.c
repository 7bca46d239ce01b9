/* SPDX-License-Identifier: MIT */
#include "check/unread.h"

#include <inttypes.h>
#include <stdlib.h>

#include "check/call_site.h"
#include "machine/observer_memory.h"

struct unread {
    struct {
        char *kernel;
        uint64_t number;
        size_t size;
        const void *caller;
    } first; /* the oldest allocation */
    size_t count;
    bool none;
};

void result_write(struct result *result, const struct launch *launch)
{
    if (!result->kernel)
        result->kernel = observer_copy(kernel_info(launch->kernel)->name);
    result->launch = launch->number;
    result->machine = launch->machine;
}

struct unread *unread_new(void)
{
    return observer_allocate(1, sizeof(struct unread));
}

void unread_free(struct unread *unread)
{
    free(unread->first.kernel);
    free(unread);
}

void unread_none(struct unread *unread)
{
    unread->none = true;
}

void unread_add(struct unread *unread, const struct result *result,
                const struct allocation *allocation, const void *caller)
{
    if (!result->kernel || result->taken || !allocation)
        return;
    if (unread->count++ && allocation->number > unread->first.number)
        return;
    free(unread->first.kernel);
    unread->first.kernel = observer_copy(result->kernel);
    unread->first.number = allocation->number;
    unread->first.size = allocation->size;
    unread->first.caller = caller;
}

void unread_print(const struct unread *unread, FILE *file)
{
    const void *caller = unread->first.caller;
    char site[300], made[320] = "";

    if (!unread->count || unread->none)
        return;
    if (caller && call_site(caller, site, sizeof(site)))
        snprintf(made, sizeof(made), ", made at %s", site);
    fprintf(file,
            "emu: note: nobody read what kernel %s wrote to allocation no. %" PRIu64
            " (%zu bytes)%s: no copy, no other launch",
            unread->first.kernel, unread->first.number, unread->first.size, made);
    if (unread->count > 1)
        fprintf(file, " (the first of %zu allocations)", unread->count);
    fputc('\n', file);
}
