/* SPDX-License-Identifier: MIT */
/* Warps in line, the one with the lowest key first. Nearly all come with a key above the others',
 * so each is let in from behind. */
#ifndef G80_LINE_H
#define G80_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    G80_MAX_WARPS = 64,
    G80_LINE = 4 * G80_MAX_WARPS, /* room to move up into */
};

struct g80_line {
    int first, end;
    /* Rising from `first` on; see line_key(). At `end` is LINE_END, above all others. */
    uint64_t keys[G80_LINE];
};
#define LINE_END UINT64_MAX

/* A slot's key is a number of up to 57 bits, and of equal ones the slot decides. */
static inline uint64_t line_key(uint64_t number, int slot)
{
    return number * G80_MAX_WARPS + (uint64_t)slot;
}

static inline void line_start(struct g80_line *line)
{
    line->first = line->end = 0;
    line->keys[0] = LINE_END;
}

static inline uint64_t line_first(const struct g80_line *line)
{
    return line->keys[line->first];
}

/* Returns the slot of the first one, which leaves. */
static inline int line_take(struct g80_line *line)
{
    return (int)(line->keys[line->first++] % G80_MAX_WARPS);
}

static inline void line_join(struct g80_line *line, uint64_t key)
{
    if (line->end == G80_LINE - 1) {
        line->end -= line->first;
        memmove(line->keys, line->keys + line->first, (size_t)line->end * sizeof(*line->keys));
        line->first = 0;
    }
    int at = line->end++;
    line->keys[line->end] = LINE_END;
    for (; at > line->first && line->keys[at - 1] > key; at--)
        line->keys[at] = line->keys[at - 1];
    line->keys[at] = key;
}

#endif
