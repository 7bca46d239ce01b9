/* SPDX-License-Identifier: MIT */
/* What lexer, parser and resolver share while a text is compiled: the arena that owns all memory
 * of the result, tables of names, and the way to fail. */
#ifndef COMPILATION_H
#define COMPILATION_H

#include <setjmp.h>

#include "ptx.h"

/* Memory that is freed all at once. */
struct arena {
    struct arena_block *blocks;
};

void arena_free(struct arena *arena);

struct compilation {
    struct arena *arena;
    jmp_buf *failed; /* where fail_at() jumps to */
    int text; /* the number of the text that is read, if there are several; or 0 */
    char *error;
    size_t error_size;
};

/* Write "line 12: MESSAGE" to the error buffer, or just the message if `line` is 0, and end the
 * compilation. Of one of several texts it is "object 2, line 12: MESSAGE". */
_Noreturn void fail_at(struct compilation *c, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Do a step of the work on one function. If it fails and the other functions need not fail with
 * it, returns false, and the error buffer has the reason. */
typedef void compilation_step(void *self);
bool attempt(struct compilation *c, compilation_step *step, void *self);

/* Allocate `size` zeroed bytes, aligned for any type. */
void *compilation_allocate(struct compilation *c, size_t size);

/* Allocate `count` zeroed elements of `size` bytes. */
void *compilation_array(struct compilation *c, size_t count, size_t size);

/* A copy of the `length` bytes of `text`, with a NUL at the end. */
char *compilation_text(struct compilation *c, const char *text, size_t length);

/* Make room for one more element, which is zeroed, at the end of an array of `count`. Returns
 * the array, which may have moved. */
void *grow(struct compilation *c, void *items, int count, size_t size);

/* Append a zeroed element to the array `items`, of `count` elements, and give a pointer to it. */
#define APPEND(c, items, count) \
    ((items) = grow((c), (items), (count), sizeof *(items)), &(items)[(count)++])

/* A hash table from names to a kind and a value, whose meaning is up to the owner. */
struct name {
    const char *text; /* without a NUL at its end */
    size_t length;
    int kind, value;
};
struct names {
    struct name *slots;
    size_t capacity, count;
};

/* Returns NULL if there is no such name. */
const struct name *find_name(const struct names *names, const char *text, size_t length);

/* Add a name that is not in the table. `text` must outlive the table. */
void add_name(struct compilation *c, struct names *names, const char *text, size_t length, int kind,
              int value);

#endif
