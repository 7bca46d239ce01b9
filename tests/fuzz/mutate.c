/* SPDX-License-Identifier: MIT */
/* Mutations of PTX texts that mostly leave PTX: by lines, words and numbers. */
#include <ctype.h>

#include "fuzz.h"

static uint32_t random_state;

static uint32_t below(size_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * count) >> 32);
}

/* A piece of a text. */
struct piece {
    size_t from, to;
};

/* The line around a place at random, with its line feed. */
static struct piece any_line(const char *text, size_t size)
{
    struct piece line = {below(size), 0};
    while (line.from > 0 && text[line.from - 1] != '\n')
        line.from--;
    for (line.to = line.from; line.to < size && text[line.to] != '\n';)
        line.to++;
    line.to += line.to < size;
    return line;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_%$.:@", c));
}

/* A word as PTX has it, or what stands between two words, around a place at random: `.u32` of
 * `add.u32` is one. */
static struct piece any_word(const char *text, size_t size)
{
    struct piece word = {below(size), 0};
    const bool inside = is_word(text[word.from]);
    while (word.from > 0 && is_word(text[word.from - 1]) == inside && text[word.from] != '.')
        word.from--;
    for (word.to = word.from + 1;
         word.to < size && is_word(text[word.to]) == inside && text[word.to] != '.';)
        word.to++;
    return word;
}

/* `data` with [at.from, at.to) replaced; its new size. What has no room is not done. */
static size_t replace(char *data, size_t size, size_t room, struct piece at, const char *with,
                      size_t length)
{
    const size_t behind = size - at.to, result = at.from + length + behind;
    if (result > room)
        return size;
    char *copy = fuzz_text((const uint8_t *)with, length);
    memmove(data + at.from + length, data + at.to, behind);
    memcpy(data + at.from, copy, length);
    free(copy);
    return result;
}

static size_t put_number(char *data, size_t size, size_t room)
{
    static const char *const numbers[] = {
        "0",
        "1",
        "-1",
        "2",
        "3",
        "4",
        "8",
        "15",
        "16",
        "31",
        "32",
        "33",
        "63",
        "64",
        "65",
        "127",
        "128",
        "255",
        "256",
        "1024",
        "65535",
        "65536",
        "0x7fffffff",
        "0x80000000",
        "4294967295",
        "4294967296",
        "0x7fffffffffffffff",
        "18446744073709551615",
        "0f7fc00000",
    };
    for (int tries = 0; tries < 100; tries++) {
        const struct piece word = any_word(data, size);
        const char *number = numbers[below(sizeof numbers / sizeof *numbers)];
        if (isdigit((unsigned char)data[word.from]))
            return replace(data, size, room, word, number, strlen(number));
    }
    return size;
}

/* A word in the place of another that begins like it. */
static size_t put_word(char *data, size_t size, size_t room)
{
    for (int tries = 0; tries < 100; tries++) {
        const struct piece from = any_word(data, size), to = any_word(data, size);
        if (data[from.from] == data[to.from] || !below(20))
            return replace(data, size, room, to, data + from.from, from.to - from.from);
    }
    return size;
}

static size_t put_line(char *data, size_t size, size_t room)
{
    const struct piece from = any_line(data, size), to = any_line(data, size);
    const struct piece before = {to.from, below(2) ? to.from : to.to};
    return replace(data, size, room, before, data + from.from, from.to - from.from);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    char *text = (char *)data;
    random_state = seed;
    for (uint32_t count = 1 + below(3); count > 0 && size > 0; count--)
        switch (below(8)) {
        case 0:
            size = LLVMFuzzerMutate(data, size, room);
            break;
        case 1:
            size = replace(text, size, room, any_line(text, size), "", 0);
            break;
        case 2:
        case 3:
            size = put_line(text, size, room);
            break;
        case 4:
        case 5:
            size = put_number(text, size, room);
            break;
        default:
            size = put_word(text, size, room);
        }
    return size;
}

/* The first text with some lines of the second. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t room, unsigned seed)
{
    size_t size = size1 < room ? size1 : room;
    random_state = seed;
    memcpy(out, data1, size);
    for (uint32_t count = 1 + below(4); count > 0 && size > 0 && size2 > 0; count--) {
        const struct piece line = any_line((const char *)data2, size2);
        const size_t at = any_line((char *)out, size).from;
        size = replace((char *)out, size, room, (struct piece){at, at},
                       (const char *)data2 + line.from, line.to - line.from);
    }
    return size;
}
