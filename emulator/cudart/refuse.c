/* SPDX-License-Identifier: MIT */
/* Calls whose arguments are refused. A program that does not look at what a call returns would go
 * on without a word, so one line says which call it was, where, and why. Where checkers look, it is
 * one of their reports. */
#include "cudart/runtime.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The program's call that this thread is in. */
static _Thread_local struct {
    const char *name;
    const void *caller;
    const void *launch; /* where the launch began that is about to call, or NULL */
    bool in_driver; /* what it calls in turn is no call of the program's */
    const char *by_kernel; /* the call of a kernel that it makes, or NULL */
} the_call;

void call_note(const char *name, const void *caller)
{
    if (the_call.in_driver)
        return;
    the_call.name = name;
    the_call.caller = the_call.launch ? the_call.launch : caller;
    the_call.launch = NULL;
}

void call_launches(const void *caller)
{
    the_call.launch = caller;
}

void call_by_kernel(const char *name)
{
    the_call.by_kernel = name;
}

void call_enter_driver(const char *name, const void *caller)
{
    call_note(name, caller);
    the_call.in_driver = true;
}

void call_leave_driver(void)
{
    the_call.in_driver = false;
}

/* Has it been said already of a call from there? */
static bool again(struct runtime *runtime, const void *caller)
{
    return list_has(&runtime->refused, caller) || !list_add(&runtime->refused, (void *)caller);
}

void call_refused(struct runtime *runtime, const char *what)
{
    char site[300];

    if (the_call.by_kernel) {
        runtime_complain(runtime, "%s", what);
        return;
    }
    if (runtime->checks) {
        checks_refused(runtime->checks, what, the_call.caller);
        return;
    }
    if (again(runtime, the_call.caller)) {
        runtime->complaints++;
        return;
    }
    call_site(the_call.caller, site, sizeof(site));
    runtime_complain(runtime, "%s, called from %s", what, site);
}

cudaError_t call_refuse(struct runtime *runtime, cudaError_t error, const char *done,
                        const char *format, ...)
{
    const char *name = the_call.by_kernel ? the_call.by_kernel : the_call.name;
    char reason[600], what[800];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    if (!strcmp(done, "copied"))
        snprintf(what, sizeof(what), "%s() refused, nothing was copied: %s", name, reason);
    else
        snprintf(what, sizeof(what), "%s() refused, nothing was written: %s", name, reason);
    call_refused(runtime, what);
    return error;
}

/* "a 4000-byte allocation, made at vadd.cu:20" */
static void describe(const struct runtime *runtime, const struct allocation *allocation, char *text,
                     size_t size)
{
    const struct block *block = allocation_find(runtime, api_pointer(allocation->address));
    char what[160], site[300];

    describe_allocation(allocation, what, sizeof(what));
    if (block && block->caller) {
        call_site(block->caller, site, sizeof(site));
        snprintf(text, size, "%s, made at %s", what, site);
    } else {
        snprintf(text, size, "%s", what);
    }
}

cudaError_t call_refuse_memory(struct runtime *runtime, bool writes, const char *done,
                               uint64_t address, size_t bytes)
{
    const struct allocation *allocation = memory_find(runtime->machine, address, 1);
    char what[480];

    if (!allocation) {
        memory_describe(runtime->machine, address, bytes, what, sizeof(what));
        return call_refuse(runtime, cudaErrorInvalidValue, done,
                           writes ? "its destination is %s" : "its source is %s", what);
    }
    const uint64_t at = address - allocation->address;
    describe(runtime, allocation, what, sizeof(what));
    if (at)
        return call_refuse(runtime, cudaErrorInvalidValue, done,
                           "it %s %zu bytes from byte %" PRIu64 " on of %s",
                           writes ? "writes" : "reads", bytes, at, what);
    return call_refuse(runtime, cudaErrorInvalidValue, done, "it %s %zu bytes %s %s",
                       writes ? "writes" : "reads", bytes, writes ? "to" : "from", what);
}

const char *call_shadow(const struct runtime *runtime, uint64_t address)
{
    for (size_t i = 0; i < runtime->variables.count; i++) {
        const struct variable *variable = runtime->variables.items[i];
        if (!variable->managed && address - (uint64_t)variable->host < variable->size)
            return variable->name;
    }
    return NULL;
}
