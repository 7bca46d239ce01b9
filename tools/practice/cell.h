/* SPDX-License-Identifier: MIT */
/* Where a stranger's whole program may run: processes, files, memory and network of its own.
 *
 * A cell is a set of namespaces. It sees the system's programs and libraries and what it is shown,
 * all of that only to be read. What it writes, in CELL_FOLDER or /tmp, is memory of a limited size.
 * When its first process ends, or whoever made the cell is killed, the kernel kills every process
 * in it.
 */
#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stddef.h>

#define CELL_FOLDER "/cell"

struct cell_plan {
    const char *const *shown; /* paths, NULL behind the last */
    unsigned processes; /* and threads, all together */
    size_t disk; /* bytes of all files together */
};

/* Call `body` as the first process of a cell, in CELL_FOLDER, and wait for it. If we are root, that
 * is given up for good. Must be called with one thread. Returns what waitpid says of it; -1 with
 * errno set where the system allows no cell. */
int cell_run(const struct cell_plan *plan, void (*body)(void *self), void *self);

/* Does it work here? Asks in a child. */
bool cell_works(void);

/* In a cell, before a stranger's program: from here on this process gets no more rights and makes
 * no namespaces, and no system call that such programs have no use for. */
bool cell_lock(void);

/* From its first process: kill all others; and wait for their end, too. */
void cell_kill(void);
void cell_clear(void);

/* From its first process: the bytes of memory that all others use; 0 where nobody can tell. */
size_t cell_memory(void);

#endif
