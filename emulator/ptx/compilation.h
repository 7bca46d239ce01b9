/* SPDX-License-Identifier: MIT */
/* What lexer, parser and resolver share while one text is compiled: the arena that owns every byte
 * of the result, tables of names, and the one way to fail. */
#ifndef COMPILATION_H
#define COMPILATION_H

#include <setjmp.h>

#include "ptx.h"

/* Memory that is given back all at once. */
struct arena {
    struct arena_block *blocks;
};

void arena_free(struct arena *arena);

struct compilation {
    struct arena *arena;
    jmp_buf *failed; /* where fail_at() goes */
    bool by_function; /* what is wrong in a function is wrong with it alone */
    char *error;
    size_t error_size;
};

/* Leave "line 12: MESSAGE" in the error buffer and give up. Line 0: the message alone. */
_Noreturn void fail_at(struct compilation *c, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Do something for one function. False: it failed, and the error buffer says why; unless all of the
 * module is to fail then. */
typedef void compilation_step(void *self);
bool attempt(struct compilation *c, compilation_step *step, void *self);

/* `size` zeroed bytes, aligned for anything. */
void *compilation_allocate(struct compilation *c, size_t size);

/* `count` zeroed elements of `size` bytes. */
void *compilation_array(struct compilation *c, size_t count, size_t size);

/* The `length` bytes of `text` and a NUL. */
char *compilation_text(struct compilation *c, const char *text, size_t length);

/* Room for one more element behind `count` of them; the new one is zero. Returns the array, which
 * may have moved. */
void *grow(struct compilation *c, void *items, int count, size_t size);

/* A pointer to a new zeroed element at the end of the array `items` of `count` elements. */
#define APPEND(c, items, count) \
    ((items) = grow((c), (items), (count), sizeof *(items)), &(items)[(count)++])

/* A hash table from names to a kind and a value, what they mean is up to its owner. */
struct name {
    const char *text; /* not ended by a NUL */
    size_t length;
    int kind, value;
};
struct names {
    struct name *slots;
    size_t capacity, count;
};

/* NULL where there is none. */
const struct name *find_name(const struct names *names, const char *text, size_t length);

/* Add a name that is not there yet. `text` must outlive the table. */
void add_name(struct compilation *c, struct names *names, const char *text, size_t length, int kind,
              int value);

#endif
