/* SPDX-License-Identifier: MIT */
#include "tensor.h"

enum { CHUNK = 16 };

static uint32_t rows_of(const struct tensor_map *map)
{
    uint32_t rows = 1;
    for (int k = 1; k < map->rank; k++)
        rows *= map->box[k];
    return rows;
}

static uint32_t row_bytes(const struct tensor_map *map)
{
    return (uint32_t)map->box[0] * map->element;
}

uint32_t tensor_bytes(const struct tensor_map *map)
{
    return rows_of(map) * row_bytes(map);
}

struct tensor_map tensor_unordered(const struct tensor_map *map)
{
    struct tensor_map unordered = *map;
    if (map->swizzle == row_bytes(map))
        unordered.swizzle = 0;
    return unordered;
}

int tensor_pieces(const struct tensor_map *map)
{
    enum { EDGES = 2 }; /* where the tensor begins, and where it ends */
    const uint32_t chunks = map->swizzle ? row_bytes(map) / CHUNK : 1;
    return (int)(rows_of(map) * (chunks + EDGES));
}

/* Chunk by chunk the address is as before but for its lowest bits above the chunk: those trade with
 * the ones three further up, two for 64 bytes and three for 128. */
static uint64_t swizzled(const struct tensor_map *map, uint64_t address)
{
    return map->swizzle ? address ^ (address >> 3 & (map->swizzle - CHUNK)) : address;
}

/* A row of a box: where in global memory its first element would be, and which bytes of it are the
 * tensor's. */
struct row {
    uint64_t address;
    uint32_t begin, end;
};

static struct row find_row(const struct tensor_map *map, const int32_t *at, uint32_t number,
                           bool stores)
{
    struct row row = {.address = map->address};
    bool inside = true;
    for (int k = 1; k < map->rank; k++) {
        const int64_t index = (int64_t)at[k] + number % map->box[k] * map->step[k];
        number /= map->box[k];
        inside = inside && index >= 0 && (uint64_t)index < map->size[k];
        row.address += (uint64_t)index * map->stride[k - 1];
    }
    const int64_t left = (int64_t)map->size[0] - at[0];
    row.address += (uint64_t)((int64_t)at[0] * map->element);
    row.end = left <= 0 ? 0 : left < map->box[0] ? (uint32_t)left : map->box[0];
    row.begin = at[0] >= 0 ? 0 : -(int64_t)at[0] < map->box[0] ? (uint32_t)-at[0] : map->box[0];
    if (!inside || row.begin >= row.end)
        row.begin = row.end = 0;
    row.begin *= map->element;
    row.end *= map->element;
    if (stores)
        row.end = (row.end + CHUNK - 1) / CHUNK * CHUNK;
    return row;
}

/* The next offset after `at` where a piece of the row has to end. */
static uint32_t next_cut(const struct tensor_map *map, const struct row *row, uint32_t at)
{
    uint32_t next = map->swizzle ? (at / CHUNK + 1) * CHUNK : row_bytes(map);
    if (at < row->begin && row->begin < next)
        next = row->begin;
    if (at < row->end && row->end < next)
        next = row->end;
    return next;
}

bool tensor_cut(const struct tensor_map *map, const int32_t *at, uint64_t to, bool stores,
                bool (*take)(void *self, const struct tensor_piece *piece), void *self)
{
    const uint32_t rows = rows_of(map), bytes = row_bytes(map);
    for (uint32_t r = 0; r < rows; r++) {
        const struct row row = find_row(map, at, r, stores);
        for (uint32_t offset = 0, end; offset < bytes; offset = end) {
            const bool inside = offset >= row.begin && offset < row.end;
            end = next_cut(map, &row, offset);
            const struct tensor_piece piece = {
                .address = inside ? row.address + offset : 0,
                .to = swizzled(map, to + r * bytes + offset),
                .bytes = end - offset,
                .run = inside && offset == row.begin ? row.end - row.begin : 0};
            if (!take(self, &piece))
                return false;
        }
    }
    return true;
}
