/* SPDX-License-Identifier: MIT */
/* Pages that look written, and take none of the host's memory before they are. */
#ifndef FRESH_PAGES_H
#define FRESH_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The value of bytes that nobody wrote: not 0, so that no program relies on that. */
enum { FRESH_BYTE = 0xCD };

/* A file of such bytes, made when first needed. All zeros to begin with. */
struct fresh_pages {
    bool made;
    int file;
    dev_t device;
    ino_t inode;
};

/* Let [start, start + size), whole pages, read as FRESH_BYTE; a page takes memory when it is first
 * written. False: the host does not let us, and the pages are in any state. */
bool fresh_pages_map(struct fresh_pages *pages, void *start, size_t size);
void fresh_pages_free(struct fresh_pages *pages);

#endif
