/* SPDX-License-Identifier: MIT */
/* Results forgotten on the device: memory that a kernel wrote, and that was neither copied nor read
 * by another launch, in a program that read nothing of what its kernels wrote. The init checker
 * keeps a `struct result` with each allocation. */
#ifndef CHECK_UNREAD_H
#define CHECK_UNREAD_H

#include <stdio.h>

#include "machine/machine.h"

struct result {
    char *kernel; /* the first that wrote there; NULL: none did */
    const struct machine *machine; /* of the launch that wrote there last, */
    uint64_t launch; /* and its number */
    bool filled; /* by a copy, so it is an input, too, which a launch may change in place */
    bool taken;
};

/* A kernel writes there. */
void result_write(struct result *result, const struct launch *launch);

/* A kernel loads, stores or changes something there. */
static inline void result_visit(struct result *result, const struct access_event *event)
{
    const struct launch *launch = warp_launch(event->warp);

    if (result->taken)
        return;
    if (event->kind != ACCESS_LOAD)
        result_write(result, launch);
    else if (result->kernel)
        result->taken = !result->filled || result->launch != launch->number ||
                        result->machine != launch->machine;
    result->taken |= event->kind == ACCESS_ATOMIC;
}

struct unread;

struct unread *unread_new(void);
void unread_free(struct unread *unread);
/* The host got something of what kernels wrote, or may have got it: there is nothing to print. */
void unread_none(struct unread *unread);
/* What `caller` allocated is about to be freed, or the program ends. */
void unread_add(struct unread *unread, const struct result *result,
                const struct allocation *allocation, const void *caller);
/* Print one line that names a result that was not taken, if the host got nothing. */
void unread_print(const struct unread *unread, FILE *file);

#endif
