/* SPDX-License-Identifier: MIT */
/* The lines that the cycle model notes of a request. */
#include "../../cmocka_main.h"

#include <stdlib.h>

#include "gpus/coalesce.h"
#include "machine/shape.h"
#include "time/cycle_notes.h"

enum { BASE = 1 << 20 };

/* The lines of the request, one lane after the other. */
static int expected_uses(const struct access_event *event, union line_use uses[WARP_SIZE])
{
    int count = 0;

    EACH_LANE(lane, event->lanes)
        for (uint32_t i = 0; i < event->bytes; i++) {
            const uint64_t byte = event->addresses[lane] - BASE + i;
            int at = 0;
            while (at < count && uses[at].line != byte / LINE_BYTES)
                at++;
            if (at == count)
                uses[count++] = (union line_use){.line = byte / LINE_BYTES};
            uses[at].sectors |= 1u << byte % LINE_BYTES / SECTOR_BYTES;
        }
    return count;
}

/* A bulk copy says how much of them it used. */
static void compare_copied(struct arrival copied, const union line_use *expected, int count)
{
    int sectors = 0;

    for (int i = 0; i < count; i++)
        sectors += __builtin_popcount(expected[i].sectors);
    assert_int_equal(copied.lines, count);
    assert_int_equal(copied.sectors, sectors);
}

/* The uses that are kept are those of sampled lines. */
static void compare_kept(const struct block_uses *uses, const struct l2 *l2,
                         const union line_use *expected, int count)
{
    uint32_t kept = 0;

    for (int i = 0; i < count; i++)
        if (l2_sampled(l2, expected[i].line)) {
            assert_true(kept < uses->count);
            assert_int_equal(uses->all[kept++].word, expected[i].word);
        }
    assert_int_equal(uses->count, kept);
    assert_int_equal(uses->requests, count);
}

/* Note it, by a warp that is logged or not, and compare. One line of 2^shift is sampled. */
static void compare_uses(struct access_event *event, bool logged, bool bulk, int shift)
{
    struct ptx_instr instr = {.opcode = OP_LD, .space = PTX_GLOBAL};
    instr.modifiers[MOD_BULK / 64] = (uint64_t)bulk << MOD_BULK % 64;
    struct cycle_op op = {.kind = CYCLE_MEMORY};
    struct cycle_function function = {.instrs = &instr, .count = 1};
    const struct cycle_code code = {
        .functions = &function, .function_count = 1, .op_count = 1, .ops = &op};
    const struct l2 l2 = {.shift = shift};
    const struct cycle_notes notes = {.code = &code, .l2 = &l2, .base = BASE};
    static struct warp warp;
    struct warp_log log = {.limit = 1000};
    struct block_uses uses = {.raw = NULL};
    union line_use expected[WARP_SIZE];

    event->instr = &instr;
    event->warp = &warp;
    event->space = PTX_GLOBAL;
    const int count = expected_uses(event, expected);
    if (event->shape)
        event->shape->price.global.lines = (uint32_t)count;
    cycle_note_access(&notes, logged ? &log : NULL, &uses, event);
    compare_kept(&uses, &l2, expected, count);
    if (logged && bulk)
        compare_copied(log.copied, expected, count);
    assert_int_equal(log.count, logged && !bulk ? 1 + count : 0);
    for (int i = 0; i < count && logged && !bulk; i++) {
        assert_int_equal(log.words[1 + i].line.number, expected[i].line);
        assert_int_equal(log.words[1 + i].line.sectors, expected[i].sectors);
    }
    free(uses.all);
    free(uses.when);
    free(log.words);
}

static uint64_t next_random(uint64_t below)
{
    static uint64_t state = 1;

    state = hash_spread(state + 1);
    return (state >> 32) % below;
}

TEST(lines_of_a_request)
{
    for (int i = 0; i < 4000; i++) {
        const uint64_t bytes = 1u << next_random(5), first = next_random(64) * bytes;
        const uint64_t apart = bytes * next_random(40), mask = next_random(2) * next_random(32);
        const uint32_t lanes = i % 3 ? UINT32_MAX : (uint32_t)next_random(UINT32_MAX) + 1;
        const uint64_t scattered = i % 4 == 3 ? 1 + next_random(64) : 1;
        uint64_t addresses[WARP_SIZE];
        for (uint64_t lane = 0; lane < WARP_SIZE; lane++)
            addresses[lane] = BASE + first + (lane ^ mask) * apart + bytes * next_random(scattered);
        const bool regular = lanes == UINT32_MAX && mask == 0 && scattered == 1;
        struct shape shape = {.op = NULL}; /* whose price, below, holds wherever it is */
        struct access_event event = {.lanes = lanes,
                                     .bytes = (uint32_t)bytes,
                                     .addresses = addresses,
                                     .gapless = regular && apart <= SECTOR_BYTES,
                                     .low = addresses[0],
                                     .high = addresses[WARP_SIZE - 1],
                                     .shape = next_random(4) ? &shape : NULL};
        compare_uses(&event, i % 2, false, (int)next_random(3));
    }
}

TEST(lines_of_a_bulk_copy)
{
    for (int i = 0; i < 1000; i++) {
        const uint32_t lane = (uint32_t)next_random(WARP_SIZE);
        uint64_t addresses[WARP_SIZE] = {0};
        addresses[lane] = BASE + 16 * next_random(64);
        struct access_event event = {.lanes = 1u << lane,
                                     .bytes = 16 * (1 + (uint32_t)next_random(128)),
                                     .addresses = addresses};
        compare_uses(&event, i % 2, true, 0);
    }
}

TEST_MAIN()
