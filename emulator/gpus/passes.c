/* SPDX-License-Identifier: MIT */
#include "gpus/passes.h"

#include <string.h>

enum { HALF_WARP = WARP_SIZE / 2 };

/* Pieces so far. */
struct list {
    struct piece *pieces;
    int count, most;
};

static void add(struct list *list, uint64_t address, uint32_t bytes)
{
    if (list->count < list->most)
        list->pieces[list->count] = (struct piece){address, bytes};
    list->count++;
}

static bool has(const struct list *list, uint64_t address)
{
    for (int i = 0; i < list->count && i < list->most; i++)
        if (list->pieces[i].address == address)
            return true;
    return false;
}

static void list_sectors(struct list *list, uint32_t lanes, const uint64_t *addresses,
                         uint32_t bytes)
{
    EACH_LANE(lane, lanes) {
        const uint64_t end = addresses[lane] + bytes;
        for (uint64_t at = addresses[lane] / SECTOR_BYTES * SECTOR_BYTES; at < end;
             at += SECTOR_BYTES)
            if (!has(list, at))
                add(list, at, SECTOR_BYTES);
    }
}

/* Compute 1.0 and 1.1: one segment for all, or a transaction for each lane. */
static void list_in_order(struct list *list, uint32_t lanes, const uint64_t *addresses,
                          uint32_t bytes)
{
    const struct half_warp_traffic traffic =
        coalesce_half_warp(COALESCE_HALF_WARP, lanes, addresses, bytes);
    const int first = __builtin_ctz(lanes);

    for (uint32_t i = 0; i < traffic.shared; i++) {
        const uint32_t size = traffic.moved / traffic.shared;
        add(list, addresses[first] - (uint64_t)first * bytes + (uint64_t)i * size, size);
    }
    for (int lane = 0; traffic.single && lane < HALF_WARP; lane++)
        if (lanes >> lane & 1)
            add(list, addresses[lane] / SECTOR_BYTES * SECTOR_BYTES,
                bytes < SECTOR_BYTES ? SECTOR_BYTES : bytes);
}

/* Compute 1.2 and 1.3: each segment that lanes touch, cut to the half or quarter they need. */
static void list_segments(struct list *list, uint32_t lanes, const uint64_t *addresses,
                          uint32_t bytes)
{
    const uint64_t whole = bytes <= 2 ? bytes * SECTOR_BYTES : LINE_BYTES;

    while (lanes) {
        const uint64_t start = addresses[__builtin_ctz(lanes)] / whole * whole;
        uint64_t begin = start + whole, end = start, at = start, size = whole;
        for (int lane = 0; lane < HALF_WARP; lane++) {
            if (!(lanes >> lane & 1) || addresses[lane] / whole * whole != start)
                continue;
            lanes &= ~(1u << lane);
            begin = addresses[lane] < begin ? addresses[lane] : begin;
            end = addresses[lane] + bytes > end ? addresses[lane] + bytes : end;
        }
        while (size > SECTOR_BYTES && (begin >= at + size / 2 || end <= at + size / 2)) {
            size /= 2;
            at += begin >= at + size ? size : 0;
        }
        add(list, at, (uint32_t)size);
    }
}

int global_pieces(enum coalescing rule, uint32_t lanes, const uint64_t *addresses, uint32_t bytes,
                  struct piece *pieces, int most)
{
    struct list list = {pieces, 0, most};

    if (rule == COALESCE_SECTORS)
        list_sectors(&list, lanes, addresses, bytes);
    for (int first = 0; rule != COALESCE_SECTORS && first < WARP_SIZE; first += HALF_WARP) {
        const uint32_t half = lanes >> first & 0xFFFF;
        if (half && rule == COALESCE_HALF_WARP)
            list_in_order(&list, half, addresses + first, bytes);
        else if (half)
            list_segments(&list, half, addresses + first, bytes);
    }
    return list.count;
}

/* Banks. */

static uint64_t word_of(const uint64_t *offsets, int lane, uint32_t word)
{
    return offsets[lane] / BANK_BYTES + word;
}

/* A group of lanes that are served together from pass `first` on: words of one bank go one after
 * the other, in the order of the lanes; those that want the same word share it. Returns the pass
 * after the last. */
static uint32_t serve_group(int banks, uint32_t lanes, const uint64_t *offsets, uint32_t words,
                            uint32_t first, uint16_t passes[WARP_SIZE][PASS_WORDS])
{
    uint64_t seen[WARP_SIZE * PASS_WORDS];
    uint16_t pass_of[WARP_SIZE * PASS_WORDS];
    uint32_t in_bank[WARP_SIZE] = {0}, count = 0, last = first;

    for (int lane = 0; lane < WARP_SIZE; lane++)
        for (uint32_t w = 0; lanes >> lane & 1 && w < words; w++) {
            const uint64_t word = word_of(offsets, lane, w);
            uint32_t i = 0;
            while (i < count && seen[i] != word)
                i++;
            if (i == count) {
                seen[count] = word;
                pass_of[count++] = (uint16_t)(first + in_bank[word % (uint64_t)banks]++);
            }
            passes[lane][w] = pass_of[i];
            last = pass_of[i] + 1U > last ? pass_of[i] + 1U : last;
        }
    return last;
}

static uint32_t serve_groups(int banks, uint32_t group, uint32_t lanes, const uint64_t *offsets,
                             uint32_t words, uint16_t passes[WARP_SIZE][PASS_WORDS])
{
    uint32_t pass = 0;

    for (uint32_t lane = 0; lane < WARP_SIZE; lane += group) {
        const uint32_t part = lanes & (uint32_t)(((UINT64_C(1) << group) - 1) << lane);
        if (part)
            pass = serve_group(banks, part, offsets, words, pass, passes);
    }
    return pass;
}

/* Compute 1.x: word by word, a pass for the word of the lowest lane left, broadcast, and one of
 * each other bank. */
static void serve_half(int banks, uint32_t lanes, const uint64_t *offsets, uint32_t w,
                       uint32_t *pass, uint16_t passes[WARP_SIZE][PASS_WORDS])
{
    for (; lanes; ++*pass) {
        const uint64_t broadcast = word_of(offsets, __builtin_ctz(lanes), w);
        uint64_t busy = UINT64_C(1) << broadcast % (uint64_t)banks;

        EACH_LANE(lane, lanes) {
            const uint64_t word = word_of(offsets, lane, w);
            const uint64_t bank = UINT64_C(1) << word % (uint64_t)banks;
            if (word != broadcast && busy & bank)
                continue;
            busy |= bank;
            lanes &= ~(1u << lane);
            passes[lane][w] = (uint16_t)*pass;
        }
    }
}

void bank_passes(int banks, int bank_lanes, bool load, uint32_t lanes, const uint64_t *offsets,
                 uint32_t bytes, uint16_t passes[WARP_SIZE][PASS_WORDS])
{
    const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES;
    const uint32_t total = bank_wavefronts(banks, bank_lanes, load, lanes, offsets, bytes).total;
    uint32_t pass = 0;

    memset(passes, 0, sizeof(passes[0]) * WARP_SIZE);
    if (bank_lanes == HALF_WARP) {
        for (int half = 0; half < WARP_SIZE; half += HALF_WARP)
            for (uint32_t w = 0; w < words; w++)
                serve_half(banks, lanes & (uint32_t)0xFFFF << half, offsets, w, &pass, passes);
        return;
    }
    /* Wide loads may go in groups twice as large. */
    for (uint32_t group = (uint32_t)bank_lanes / words; group <= WARP_SIZE; group *= 2)
        if (serve_groups(banks, group, lanes, offsets, words, passes) == total)
            return;
}
