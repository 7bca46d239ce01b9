/* SPDX-License-Identifier: MIT */
/* What the parser and the resolver share: the memory of a module, errors, and tables of names. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compilation.h"

enum { BLOCK_BYTES = 64 * 1024, FIRST_CAPACITY = 8 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

void fail_at(struct compilation *c, int line, const char *format, ...)
{
    int used = 0;
    if (c->error_size > 0)
        c->error[0] = '\0';
    if (line > 0 && c->text > 0)
        used = snprintf(c->error, c->error_size, "object %d, line %d: ", c->text, line);
    else if (line > 0)
        used = snprintf(c->error, c->error_size, "line %d: ", line);
    if (used >= 0 && (size_t)used < c->error_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(c->error + used, c->error_size - (size_t)used, format, arguments);
        va_end(arguments);
    }
    longjmp(*c->failed, 1);
}

bool attempt(struct compilation *c, compilation_step *step, void *self)
{
    jmp_buf *const outer = c->failed;
    jmp_buf here;
    if (setjmp(here) != 0) {
        c->failed = outer;
        return false;
    }
    c->failed = &here;
    step(self);
    c->failed = outer;
    return true;
}

static struct arena_block *add_block(struct compilation *c, size_t size)
{
    size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct arena_block *block = calloc(1, sizeof *block + bytes);
    if (!block)
        fail_at(c, 0, "no memory left for the PTX (%zu bytes)", bytes);
    block->size = bytes;
    block->next = c->arena->blocks;
    c->arena->blocks = block;
    return block;
}

void *compilation_allocate(struct compilation *c, size_t size)
{
    const size_t unit = _Alignof(max_align_t);
    size_t rounded = (size + unit - 1) / unit * unit;
    struct arena_block *block = c->arena->blocks;
    if (!block || block->size - block->used < rounded)
        block = add_block(c, rounded);
    void *memory = block->bytes + block->used;
    block->used += rounded;
    return memory;
}

void *compilation_array(struct compilation *c, size_t count, size_t size)
{
    if (count > PTRDIFF_MAX / size)
        fail_at(c, 0, "no memory left for the PTX (%zu elements)", count);
    return compilation_allocate(c, count * size);
}

char *compilation_text(struct compilation *c, const char *text, size_t length)
{
    char *copy = compilation_allocate(c, length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* The capacity is not stored anywhere. It is always a power of two, so the array is full when
 * the count is one. */
void *grow(struct compilation *c, void *items, int count, size_t size)
{
    bool full = count == 0 || (count >= FIRST_CAPACITY && (count & (count - 1)) == 0);
    if (!full)
        return items;
    size_t capacity = count == 0 ? FIRST_CAPACITY : 2 * (size_t)count;
    void *larger = compilation_array(c, capacity, size);
    if (count > 0)
        memcpy(larger, items, (size_t)count * size);
    return larger;
}

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const char *text, size_t length)
{
    uint64_t value = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 0x100000001b3;
    return value;
}

/* The slot that holds `text`, or the empty slot where it would be put. Probing is linear, and
 * the table is never full. */
static struct name *find_slot(const struct names *names, const char *text, size_t length)
{
    size_t at = hash(text, length) & (names->capacity - 1);
    for (;; at = (at + 1) & (names->capacity - 1)) {
        struct name *slot = &names->slots[at];
        if (!slot->text)
            return slot;
        if (slot->length == length && memcmp(slot->text, text, length) == 0)
            return slot;
    }
}

const struct name *find_name(const struct names *names, const char *text, size_t length)
{
    if (names->count == 0)
        return NULL;
    const struct name *slot = find_slot(names, text, length);
    return slot->text ? slot : NULL;
}

static void widen(struct compilation *c, struct names *names)
{
    struct names wider = {.capacity = names->capacity ? 2 * names->capacity : FIRST_CAPACITY};
    wider.slots = compilation_array(c, wider.capacity, sizeof *wider.slots);
    wider.count = names->count;
    for (size_t i = 0; i < names->capacity; i++) {
        const struct name *old = &names->slots[i];
        if (old->text)
            *find_slot(&wider, old->text, old->length) = *old;
    }
    *names = wider;
}

void add_name(struct compilation *c, struct names *names, const char *text, size_t length, int kind,
              int value)
{
    if (2 * names->count >= names->capacity)
        widen(c, names);
    *find_slot(names, text, length) = (struct name){text, length, kind, value};
    names->count++;
}
